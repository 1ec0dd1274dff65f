import * as fc from 'fast-check';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { labelBytes, formatOf } from '../../../src/engine/codecs/label-document.ts';
import { startCost } from '../../support/cost.ts';

const PDF = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\nstartxref\n0\n%%EOF\n', 'latin1');
const PADDED = Buffer.concat([PDF, Buffer.alloc(2_000)]);
const PNG = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
  chunk('IDAT', deflateSync(Buffer.from([0, 0]))),
  chunk('IEND', Buffer.alloc(0)),
]);
const ZPL = '^XA^FO20,20^A0N,30^FDExample Street 1^FS^XZ';
const GIF = Buffer.from('GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x01\0\0;', 'latin1');
const JPEG = Buffer.from('\xFF\xD8\xFF\xE0data\xFF\xD9', 'latin1');

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}

const bytesOf = (value: unknown): { format: string; bytes: Buffer } => {
  const label = labelBytes(value);
  if (!label.ok) throw label.reason;
  return label;
};
const codeOf = (value: unknown, maxBytes?: number): string => {
  const label = labelBytes(value, maxBytes);
  if (label.ok) throw new Error(`is a ${label.format}`);
  return label.reason.code;
};

describe('the format of a document', () => {
  it.each([
    ['PDF', PDF],
    ['PDF', Buffer.from('\uFEFF\r\n%PDF-1.7')],
    ['PNG', PNG],
    ['GIF', GIF],
    ['JPEG', JPEG],
    ['ZPL', Buffer.from(ZPL)],
    ['ZPL', Buffer.from('\r\n  ^xa^xz')],
    ['ZPL', Buffer.from(`~DGR:LOGO.GRF,80000,10,${'0'.repeat(100_000)}\n^XA^XZ`)],
    ['ZPL', Buffer.from('\x10CT~~CD,~CC^~CT~\r\n^XA~TA000^XZ')],
    ['ZPL', Buffer.from('^FX a comment ^XA^XZ')],
    ['EPL', Buffer.from('\r\nN\r\nq812\r\nA50,50,0,3,1,1,N,"Example"\r\nP1\r\n')],
    ['HTML', Buffer.from('<!DOCTYPE html><html></html>')],
    ['HTML', Buffer.from('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>')],
    ['XML', Buffer.from('<error>no label</error>')],
    ['JSON', Buffer.from(' {"error":"no label"}')],
    ['unknown', Buffer.from('Label not ready')],
    ['unknown', Buffer.from('^not zpl')],
    ['unknown', Buffer.alloc(0)],
  ])('%s', (format, bytes) => {
    expect(formatOf(bytes)).toBe(format);
  });
});

describe('the bytes of a label', () => {
  it.each([
    ['a Buffer', PDF, 'PDF', PDF],
    ['a Uint8Array', Uint8Array.from(PNG), 'PNG', PNG],
    ['base64', PDF.toString('base64'), 'PDF', PDF],
    ['base64 in lines', `\n${PNG.toString('base64').replaceAll(/.{20}/g, '$&\r\n')}\n`, 'PNG', PNG],
    ['base64 of the URL alphabet without padding', JPEG.toString('base64url'), 'JPEG', JPEG],
    ['base64 twice over', Buffer.from(PDF.toString('base64')).toString('base64'), 'PDF', PDF],
    ['base64 as the bytes of an answer', Buffer.from(PDF.toString('base64')), 'PDF', PDF],
    ['base64 of ZPL', Buffer.from(ZPL).toString('base64'), 'ZPL', Buffer.from(ZPL)],
    ['a data URI', `data:application/pdf;base64,${PDF.toString('base64')}`, 'PDF', PDF],
    ['a data URI with parameters', `data:image/png;name=l.png;base64,${PNG.toString('base64')}`, 'PNG', PNG],
    ['a data URI without base64', `data:text/plain,${encodeURIComponent(ZPL)}`, 'ZPL', Buffer.from(ZPL)],
    ['ZPL as text', `\n${ZPL} é`, 'ZPL', Buffer.from(`\n${ZPL} é`)],
    ['a PDF as text, a character a byte', PDF.toString('latin1'), 'PDF', PDF],
    ['a PDF padded at its end', PADDED, 'PDF', PADDED],
    ['the only label of a multipart body', { info: {}, note: 'thanks', label: PDF.toString('base64') }, 'PDF', PDF],
  ])('are found in %s', (_, value, format, bytes) => {
    const label = bytesOf(value);
    expect(label.format).toBe(format);
    expect(label.bytes.equals(bytes)).toBe(true);
  });

  it.each([
    ['a PDF without its end', PDF.subarray(0, -8), 'label_truncated'],
    ['a PDF without its end, in base64', PDF.subarray(0, 24).toString('base64'), 'label_truncated'],
    ['a PNG without IEND', PNG.subarray(0, -12), 'label_truncated'],
    ['a PNG cut in its last chunk', PNG.subarray(0, -2), 'label_truncated'],
    ['ZPL without ^XZ', '^XA^FDExample', 'label_truncated'],
    ['ZPL whose second label is cut', `${ZPL}^XA^FD`, 'label_truncated'],
    ['a cut GIF', GIF.subarray(0, -1), 'label_truncated'],
    ['a cut JPEG', JPEG.subarray(0, -2), 'label_truncated'],
    ['HTML', '<html><body>Log in</body></html>', 'label_unknown_format'],
    ['an error in JSON, in base64', Buffer.from('{"error":1}').toString('base64'), 'label_unknown_format'],
    ['a word that could be base64', 'PENDING1', 'label_unknown_format'],
    ['a URL', 'https://labels.example.com/1.pdf', 'label_unknown_format'],
    ['a data URI of nonsense', 'data:application/pdf;base64,%%%', 'label_unknown_format'],
    ['an empty text', '', 'label_missing'],
    ['nothing', undefined, 'label_missing'],
    ['null', null, 'label_missing'],
    ['a number', 7, 'label_missing'],
    ['a multipart body without a label', { info: { id: 1 } }, 'label_missing'],
    ['a multipart body whose label is cut', { note: 'x', label: PDF.subarray(0, 20) }, 'label_truncated'],
    ['a multipart body with two labels', { a: PDF, b: ZPL }, 'label_ambiguous'],
  ])('are refused in %s', (_, value, code) => {
    expect(codeOf(value)).toBe(code);
  });

  it('are bounded', () => {
    expect(codeOf(PDF, 10)).toBe('label_too_large');
    expect(codeOf(PDF.toString('base64'), PDF.length - 1)).toBe('label_too_large');
    expect(bytesOf(PDF.toString('base64')).bytes).toHaveLength(PDF.length);
  });

  it('of twenty megabytes are found in less than a second', () => {
    const large = Buffer.concat([
      Buffer.from('%PDF-1.4\n'),
      Buffer.alloc(14_000_000, 'x'),
      Buffer.from('%%EOF'),
    ]).toString('base64');
    const cost = startCost();
    expect(bytesOf(large).format).toBe('PDF');
    expect(cost()).toBeLessThan(1_000);
  });
});

it('never throws and never calls a random document a whole label', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), fc.string({ unit: 'binary' }), fc.base64String(), fc.anything()), (value) => {
      expect(labelBytes(value).ok).toBe(false);
    }),
    { numRuns: 500 },
  );
});
