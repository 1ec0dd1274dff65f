import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/engine/dispatch/answer.ts';
import type { Step } from '../../../src/engine/profile/carrier.ts';

const limits = { sizeBytes: 10_000 } as Step['limits'];
const read = (
  body: string | Buffer,
  contentType: string | undefined,
  step: Partial<Pick<Step, 'response' | 'body'>> = {},
) =>
  readAnswer(
    { response: undefined, body: undefined, limits, ...step },
    { status: 200, headers: contentType === undefined ? {} : { 'content-type': contentType }, body: Buffer.from(body) },
  );
const soapBody = { codec: 'soap' } as Step['body'];

describe('the codec of an answer', () => {
  it('is that of its Content-Type', () => {
    expect(read('{"a":1}', 'application/json; charset=utf-8').answer.body).toEqual({ a: 1 });
    expect(read('<a><b>1</b></a>', 'text/xml').answer.body).toEqual({ a: { b: '1' } });
  });

  it('is as declared, whatever the carrier says', () => {
    expect(read('{"a":1}', 'text/html', { response: 'json' }).answer.body).toEqual({ a: 1 });
    expect(read('{"a":1}', 'application/json', { response: 'text' }).answer.body).toBe('{"a":1}');
  });

  it('is that of the request where the carrier says nothing', () => {
    expect(
      read(
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><a>1</a></s:Body></s:Envelope>',
        undefined,
        { body: soapBody },
      ).answer.body,
    ).toEqual({ a: '1' });
    expect(read('plain', undefined).answer.body).toBe('plain');
  });
});

describe('an answer', () => {
  it('of no bytes is nothing, and decodes, in every codec', () => {
    for (const response of ['json', 'xml', 'soap', 'text', 'binary'] as const) {
      const { answer, unreadable } = read('', 'application/json', { response });
      expect([answer.body, answer.text, unreadable]).toEqual([undefined, '', undefined]);
    }
  });

  it('that does not decode has its text, no body, and says why', () => {
    const { answer, unreadable } = read('<html>Oops', 'application/json');
    expect(answer).toEqual({ status: 200, headers: { 'content-type': 'application/json' }, text: '<html>Oops' });
    expect(unreadable?.message).toBeTruthy();
  });

  it('in a charset that nobody knows still has a text', () => {
    const { answer } = read(Buffer.from([0xe9]), 'text/plain; charset=klingon', { response: 'json' });
    expect(answer.text).toBe('é');
  });

  it('that is bytes stays bytes', () => {
    const bytes = Buffer.from([0, 255, 10]);
    expect(Buffer.from(read(bytes, 'application/pdf', { response: 'binary' }).answer.body as Uint8Array)).toEqual(
      bytes,
    );
  });

  it('that is a fault says so', () => {
    const { answer } = read(
      '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring></s:Fault></s:Body></s:Envelope>',
      'text/xml',
      { body: soapBody },
    );
    expect(answer.fault).toMatchObject({ code: 'Client', message: 'no' });
  });

  it('of no interest is not read', () => {
    expect(read('whatever', 'application/json', { response: 'none' })).toMatchObject({
      answer: { text: '' },
      unreadable: undefined,
    });
  });
});
