import { describe, expect, it } from 'vitest';
import { codecOf, parseMediaType } from '../../../src/engine/codecs/codec.ts';

describe('the codec of a Content-Type', () => {
  it.each([
    ['application/json; charset=utf-8', 'json'],
    ['Application/Problem+JSON', 'json'],
    ['application/vnd.acme.v2+json', 'json'],
    ['application/xml', 'xml'],
    ['text/xml;charset=UTF-8', 'xml'],
    ['application/atom+xml', 'xml'],
    ['application/soap+xml; action="x"', 'soap'],
    ['text/plain', 'text'],
    ['text/html', 'text'],
    ['text/csv', 'text'],
    ['application/pdf', 'binary'],
    ['image/png', 'binary'],
    ['image/svg+xml', 'binary'],
    ['application/octet-stream', 'binary'],
    ['multipart/mixed; boundary=x', 'multipart'],
    ['multipart/form-data; boundary=x', 'multipart'],
    ['application/x-www-form-urlencoded', 'form'],
    ['application/unheard-of', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s', (contentType, codec) => {
    expect(codecOf(contentType)).toBe(codec);
  });

  it('is SOAP for XML and attachments that answer SOAP', () => {
    expect(codecOf('text/xml', 'soap')).toBe('soap');
    expect(codecOf('multipart/related; boundary=x', 'soap')).toBe('soap');
    expect(codecOf('text/html', 'soap')).toBe('text');
    expect(codecOf('text/xml', 'json')).toBe('xml');
  });
});

describe('parameters', () => {
  it('are read quoted or bare, names in any case, the first of each', () => {
    const { type, parameters } = parseMediaType('Multipart/Mixed; Boundary="a;\\"b\\\\"; charset = utf-8 ;charset=x');
    expect(type).toBe('multipart/mixed');
    expect([...parameters]).toEqual([
      ['boundary', 'a;"b\\'],
      ['charset', 'utf-8'],
    ]);
  });
});
