import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/engine/dispatch/answer.ts';
import type { Step } from '../../../src/engine/profile/carrier.ts';

const limits = { sizeBytes: 10_000 } as Step['limits'];
type Declared = Partial<Pick<Step, 'response' | 'body'>>;
const read = (body: string | Buffer, type: string | undefined, declared: Declared = {}, status = 200) =>
  readAnswer(
    { response: undefined, body: undefined, limits, ...declared },
    { status, headers: type === undefined ? {} : { 'content-type': type }, body: Buffer.from(body) },
  );
const soap = { body: { codec: 'soap' } as Step['body'] };
const envelope = (body: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${body}</s:Body></s:Envelope>`;
const json = 'application/json';

describe('the codec of an answer', () => {
  it.each<[string, string, string | undefined, Declared, unknown]>([
    ['is that of its Content-Type', '{"a":1}', `${json}; charset=utf-8`, {}, { a: 1 }],
    ['XML too', '<a><b>1</b></a>', 'text/xml', {}, { a: { b: '1' } }],
    ['is as declared, whatever the carrier says', '{"a":1}', 'text/html', { response: 'json' }, { a: 1 }],
    ['text too', '{"a":1}', json, { response: 'text' }, '{"a":1}'],
    ['is that of the request where the carrier says nothing', envelope('<a>1</a>'), undefined, soap, { a: '1' }],
    ['is text without a request', 'plain', undefined, {}, 'plain'],
  ])('%s', (_, body, type, declared, decoded) => {
    expect(read(body, type, declared).answer.body).toEqual(decoded);
  });

  it.each(['none', 'binary'] as const)('of a refusal is its own, where the step declares %s', (response) => {
    expect(read('{"a":1}', json, { response }, 422).answer.body).toEqual({ a: 1 });
  });
});

describe('an answer', () => {
  it.each(['json', 'xml', 'soap', 'text', 'binary'] as const)(
    'of no bytes is nothing in %s, and decodes',
    (response) => {
      const { answer, unreadable } = read('', json, { response });
      expect([answer.body, answer.text, unreadable]).toEqual([undefined, '', undefined]);
    },
  );

  it('that does not decode has its text, no body, and says why', () => {
    const { answer, unreadable } = read('<html>Oops', json);
    expect(answer).toEqual({ status: 200, headers: { 'content-type': json }, text: '<html>Oops' });
    expect(unreadable?.message).toBeTruthy();
  });

  it('in a charset that nobody knows still has a text', () => {
    const { answer } = read(Buffer.from([0xe9]), 'text/plain; charset=klingon', { response: 'json' });
    expect(answer.text).toBe('é');
  });

  it('that is bytes stays bytes', () => {
    const bytes = Buffer.from([0, 255, 10]);
    const { body } = read(bytes, 'application/pdf', { response: 'binary' }).answer;
    expect(Buffer.from(body as Uint8Array)).toEqual(bytes);
  });

  it('that is a fault says so', () => {
    const fault = envelope('<s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring></s:Fault>');
    expect(read(fault, 'text/xml', soap).answer.fault).toMatchObject({ code: 'Client', message: 'no' });
  });

  it('of no interest is not read', () => {
    expect(read('whatever', json, { response: 'none' })).toMatchObject({ answer: { text: '' }, unreadable: undefined });
  });
});
