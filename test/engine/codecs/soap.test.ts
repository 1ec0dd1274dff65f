import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SoapFault } from '../../../src/engine/codecs/codec.ts';
import { soapCodec } from '../../../src/engine/codecs/soap.ts';
import { bodyOf, failureOf, reasonOf } from './reading.ts';

const SOAP_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const SOAP_12 = 'http://www.w3.org/2003/05/soap-envelope';
const envelope = (body: string, uri = SOAP_11): string =>
  `<S:Envelope xmlns:S="${uri}"><S:Header/><S:Body wsu:Id="x" xmlns:wsu="urn:wsu">${body}</S:Body></S:Envelope>`;

function faultOf(text: string): SoapFault | undefined {
  const decoded = soapCodec.decode(Buffer.from(text));
  if (!decoded.ok) throw decoded.reason;
  return decoded.fault;
}

describe('writing SOAP', () => {
  const value = { header: { 'a:auth': { token: 't' } }, body: { 's:order': { line: [1, 2] } } };
  const namespaces = { a: 'urn:auth', s: 'urn:ship' };

  it('writes version 1.1 with its action in a header of its own', () => {
    expect(soapCodec.encode(value, { action: 'urn:ship/order', namespaces })).toEqual({
      bytes: Buffer.from(
        `<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="${SOAP_11}" xmlns:a="urn:auth" xmlns:s="urn:ship">` +
          '<soap:Header><a:auth><token>t</token></a:auth></soap:Header>' +
          '<soap:Body><s:order><line>1</line><line>2</line></s:order></soap:Body></soap:Envelope>',
      ),
      contentType: 'text/xml; charset=utf-8',
      headers: { SOAPAction: '"urn:ship/order"' },
    });
  });

  it('writes version 1.2 with its action in the Content-Type', () => {
    const encoded = soapCodec.encode(value, { version: '1.2', action: 'urn:ship/order', namespaces });
    expect(encoded.contentType).toBe('application/soap+xml; charset=utf-8; action="urn:ship/order"');
    expect(encoded.headers).toBeUndefined();
    expect(encoded.bytes.toString()).toContain(`xmlns:soap="${SOAP_12}"`);
  });

  it('sends the empty SOAPAction that 1.1 demands where there is none, and no Header without content', () => {
    const encoded = soapCodec.encode({ body: { a: 1 }, header: null });
    expect(encoded.headers).toEqual({ SOAPAction: '""' });
    expect(encoded.bytes.toString()).not.toContain('Header');
  });

  it.each<[string, unknown, Readonly<Record<string, string>>, string]>([
    ["uses the author's prefix for the envelope", {}, { e: SOAP_11 }, '<e:Envelope xmlns:e='],
    ['gives way to his use of soap', {}, { soap: 'urn:mine' }, '<soapenv:Envelope'],
    [
      'lets header blocks carry attributes of the envelope',
      { 'a:auth': { '@soap:mustUnderstand': 1 } },
      namespaces,
      'soap:mustUnderstand="1"',
    ],
  ])('%s', (_, header, declared, text) => {
    expect(soapCodec.encode({ header, body: {} }, { namespaces: declared }).bytes.toString()).toContain(text);
  });

  it.each([
    ['an undeclared prefix', { body: { 'x:a': { b: 1 } } }, {}, "body.x:a: the namespace prefix 'x' is not declared"],
    ['an illegal name', { body: { a: { 'b b': 1 } } }, {}, "body.a: 'b b' is not a name"],
    ['text for a body', { body: '<a/>' }, {}, 'body: must be a map of elements, but is a string'],
    ['attributes of Body', { body: { '@a': 1 } }, {}, 'body: holds elements only'],
    ['an action that would end the header', { body: {} }, { action: 'a"\r\nX: y' }, 'action: may hold no quotes'],
  ])('refuses %s', (_, refused, options, message) => {
    expect(failureOf(() => soapCodec.encode(refused, options)).message).toContain(message);
  });
});

describe('reading SOAP', () => {
  it.each([SOAP_11, SOAP_12])('reads to the content of Body, whatever the prefix (%s)', (uri) => {
    expect(bodyOf(soapCodec, envelope('<n:r xmlns:n="urn:n"><id>007</id></n:r>', uri))).toEqual({ r: { id: '007' } });
  });

  it.each<[string, string, string, SoapFault]>([
    [
      'of 1.1, its code without the prefix',
      '<S:Fault><faultcode>S:Client</faultcode><faultstring>bad zip</faultstring>' +
        '<detail><e:x xmlns:e="urn:e"><errorCode>7</errorCode></e:x></detail></S:Fault>',
      SOAP_11,
      { code: 'Client', message: 'bad zip', detail: { x: { errorCode: '7' } } },
    ],
    [
      'of 1.2 with its subcode',
      '<S:Fault><S:Code><S:Value>S:Sender</S:Value><S:Subcode><S:Value>m:Zip</S:Value></S:Subcode></S:Code>' +
        '<S:Reason><S:Text xml:lang="en">bad zip</S:Text><S:Text xml:lang="de">falsche PLZ</S:Text></S:Reason><S:Detail>why</S:Detail></S:Fault>',
      SOAP_12,
      { code: 'Sender', subcode: 'Zip', message: 'bad zip', detail: 'why' },
    ],
    [
      'whose code is no qualified name',
      '<S:Fault><faultcode>Error 12: no such depot</faultcode><faultstring/></S:Fault>',
      SOAP_11,
      { code: 'Error 12: no such depot', message: '' },
    ],
  ])('reads a fault %s', (_, body, uri, fault) => {
    expect(faultOf(envelope(body, uri))).toEqual(fault);
    expect(bodyOf(soapCodec, envelope(body, uri))).toHaveProperty('Fault');
    expect(JSON.stringify(bodyOf(soapCodec, envelope(body, uri)))).toContain(fault.message);
  });

  it('keeps the fault in the body, field by field', () => {
    const text = envelope('<S:Fault><faultcode>S:Client</faultcode><faultstring>bad zip</faultstring></S:Fault>');
    expect(bodyOf(soapCodec, text)).toHaveProperty('Fault.faultstring', 'bad zip');
  });

  it('gives no fault where there is none, and nothing for an empty body', () => {
    expect(faultOf(envelope('<r/>'))).toBeUndefined();
    expect(bodyOf(soapCodec, '')).toBeUndefined();
  });

  it.each(['<html><body>502</body></html>', '<Envelope/>', '{"a":1}', envelope('<r>').slice(0, -20)])(
    'refuses %s',
    (text) => {
      expect(reasonOf(soapCodec, text).code).toBe('body_not_readable');
    },
  );

  const attached = (href: string): Buffer =>
    Buffer.concat([
      Buffer.from(
        `--b\r\nContent-Type: application/xop+xml; charset=UTF-8; type="text/xml"\r\nContent-ID: <root@x>\r\n\r\n` +
          `${envelope(`<r><label><xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="${href}"/></label><n>1</n></r>`)}\r\n` +
          '--b\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <pdf 1@x>\r\n\r\n',
      ),
      Buffer.from([0x25, 0x50, 0x44, 0x46, 0, 0xff, 13, 10]),
      Buffer.from('\r\n--b--'),
    ]);
  const RELATED = 'multipart/related; type="application/xop+xml"; start="<root@x>"; boundary="b"';

  it('puts the attachments of a multipart answer where they are included', () => {
    expect(bodyOf(soapCodec, attached('cid:pdf%201@x'), RELATED)).toEqual({ r: { label: 'JVBERgD/DQo=', n: '1' } });
  });

  it('finds the root part by start, wherever it stands', () => {
    const parts = `--b\r\nContent-ID: <first>\r\n\r\n<other/>\r\n--b\r\nContent-ID: <root@x>\r\n\r\n${envelope('<r/>')}\r\n--b--`;
    expect(bodyOf(soapCodec, parts, RELATED)).toEqual({ r: '' });
    expect(reasonOf(soapCodec, parts, 'multipart/related; boundary=b').message).toContain("its root is 'other'");
  });

  it('refuses a reference to an attachment that did not come', () => {
    expect(reasonOf(soapCodec, attached('cid:other'), RELATED).message).toContain("'other'");
  });
});

it('reads back what it wrote, in either version', () => {
  const content = fc.dictionary(
    fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,5}$/),
    fc.stringMatching(/^[ -~]{0,9}[!-~]$/),
    { minKeys: 1, maxKeys: 4 },
  );
  fc.assert(
    fc.property(content, fc.constantFrom('1.1' as const, '1.2' as const), (body, version) => {
      const { Fault: _, nil: __, ...rest } = body;
      fc.pre(Object.keys(rest).length > 0);
      const encoded = soapCodec.encode({ header: { h: 'x' }, body: { r: rest } }, { version });
      expect(bodyOf(soapCodec, encoded.bytes, encoded.contentType)).toEqual({ r: rest });
    }),
    { numRuns: 100 },
  );
});
