import { describe, expect, test } from 'vitest';
import { readSubscription } from '../../../src/engine/webhooks/subscription.ts';

const policy = { allowPrivateNetworks: false };
const read = (body: unknown) => readSubscription(body, policy);
const errorsOf = (body: unknown) => {
  const result = read(body);
  return result.ok ? [] : result.errors;
};

describe('a subscription', () => {
  test('names order types in any case, each once', () => {
    expect(
      read({ url: 'https://shop.example.com/hook', orderTypes: ['Forward', 'reverse', 'FORWARD', ' Exchange'] }),
    ).toEqual({
      ok: true,
      value: { url: 'https://shop.example.com/hook', orderTypes: ['FORWARD', 'REVERSE', 'EXCHANGE'] },
    });
  });

  test.each([[undefined], [[]], ['FORWARD'], [[1]], [['FORWARD', null]], [['SIDEWAYS']]])(
    'with orderTypes %j is refused',
    (orderTypes) => {
      expect(errorsOf({ url: 'https://shop.example.com', orderTypes })).toEqual([
        expect.stringMatching(/^orderTypes .*FORWARD, REVERSE, TRANSFER, EXCHANGE/),
      ]);
    },
  );

  test.each([
    [undefined],
    [''],
    [7],
    ['shop.example.com'],
    ['ftp://shop.example.com'],
    ['http://shop.example.com'],
    ['https://user:secret@shop.example.com'],
    ['https://127.0.0.1/hook'],
    ['https://2130706433/hook'],
    ['https://169.254.169.254/'],
    [`https://shop.example.com/${'x'.repeat(2_048)}`],
  ])('to %j is refused', (url) => {
    expect(errorsOf({ url, orderTypes: ['FORWARD'] })).toEqual([expect.stringMatching(/^url /)]);
  });

  test('may lie on a private network where that is allowed', () => {
    const result = readSubscription(
      { url: 'http://127.0.0.1:9000/hook', orderTypes: ['transfer'] },
      { allowPrivateNetworks: true },
    );
    expect(result).toEqual({ ok: true, value: { url: 'http://127.0.0.1:9000/hook', orderTypes: ['TRANSFER'] } });
  });

  test.each([[undefined], [null], ['text'], [[]]])('that is %j is told both fields', (body) => {
    expect(errorsOf(body)).toHaveLength(2);
  });
});
