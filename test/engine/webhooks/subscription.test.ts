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
    const url = 'https://shop.example.com/hook';
    const value = { url, orderTypes: ['FORWARD', 'REVERSE', 'EXCHANGE'] };
    const orderTypes = ['Forward', 'reverse', 'FORWARD', ' Exchange'];
    expect(read({ url, orderTypes })).toEqual({ ok: true, value });
  });

  test.each([[undefined], [[]], ['FORWARD'], [[1]], [['FORWARD', null]], [['SIDEWAYS']]])(
    'with orderTypes %j is refused',
    (orderTypes) => {
      expect(errorsOf({ url: 'https://shop.example.com', orderTypes })).toEqual([
        expect.stringMatching(/^orderTypes .*FORWARD, REVERSE, TRANSFER, EXCHANGE/),
      ]);
    },
  );

  test('may ask for some events only', () => {
    const given = { url: 'https://shop.example.com/hook', orderTypes: ['FORWARD'] };
    const events = ['consignment.order_delivered', 'consignment.label', 'consignment.label'];
    const value = { ...given, events: ['consignment.label', 'consignment.order_delivered'] };
    expect(read({ ...given, events })).toEqual({ ok: true, value });
    expect(read({ ...given, events: null })).toEqual({ ok: true, value: given });
  });

  test.each([
    ['consignment.status', 'events must be'],
    [[], 'events must be'],
    [['delivered'], 'events has "delivered"'],
    [[null], 'events has null'],
  ])('with events %j is refused', (events, says) => {
    const errors = errorsOf({ url: 'https://shop.example.com', orderTypes: ['FORWARD'], events });
    expect(errors[0]).toContain(says);
  });

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
    const url = 'http://127.0.0.1:9000/hook';
    const result = readSubscription({ url, orderTypes: ['transfer'] }, { allowPrivateNetworks: true });
    expect(result).toEqual({ ok: true, value: { url, orderTypes: ['TRANSFER'] } });
  });

  test.each([[undefined], [null], ['text'], [[]]])('that is %j is told both fields', (body) => {
    expect(errorsOf(body)).toHaveLength(2);
  });
});
