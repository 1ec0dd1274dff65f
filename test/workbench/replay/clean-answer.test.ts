import { expect, test } from 'vitest';
import { decoderNamed } from '../../../src/engine/codecs/codecs.ts';
import { createCleaner } from '../../../src/workbench/replay/anonymise.ts';
import { cleanBody } from '../../../src/workbench/replay/clean-body.ts';

const cleanerAfter = (consignment: object) => {
  const cleaner = createCleaner(new Map([['770011', 'example-customer']]), false);
  cleaner.inputs({ consignment });
  return cleaner;
};
const clean = (body: string, contentType: string, consignment = {}): string =>
  cleanBody(Buffer.from(body), { contentType, cleaner: cleanerAfter(consignment), keepPeople: false }).toString();

test('XML loses people that the consignment names, in whatever case and spelling', () => {
  const cleaned = clean(
    '<a:Ship xmlns:a="x"><To>SMITH &amp; SONS</To><Password>p</Password><Ref>R-1</Ref><By>770011</By></a:Ship>',
    'text/xml',
    { destinationCompanyName: 'Smith & Sons' },
  );
  expect(cleaned).toMatch(
    /^<a:Ship xmlns:a="x"><To>Example Company \d+<\/To><Password>example-Password<\/Password><Ref>R-1<\/Ref><By>example-customer<\/By><\/a:Ship>$/,
  );
});

test('a name is not cut out of other words', () => {
  expect(clean('{"status":"Romeo","at":"Rome"}', 'application/json', { destinationName: 'Rome' })).toMatch(
    /"status": "Romeo",\n {2}"at": "Person \d+ Example"/,
  );
});

test('numbers stay as they were written', () => {
  expect(clean('{"id":12345678901234567890,"weight":1.50}', 'application/json')).toBe(
    '{\n  "id": 12345678901234567890,\n  "weight": 1.50\n}\n',
  );
});

test('a secret is told by its name, text or number; the number of a shipment is none', () => {
  expect(JSON.parse(clean('{"sessionId":"s","accountPin":1234,"pin":"329014521622"}', 'application/json'))).toEqual({
    sessionId: 'example-sessionId',
    accountPin: 'example-accountPin',
    pin: '329014521622',
  });
});

test('a label shows nobody', () => {
  const label = Buffer.from('%PDF-1.4\n(Josephine Muster) Tj\n%%EOF\n');
  expect(clean(label.toString(), 'application/pdf')).toBe('%PDF-1.4\n%%EOF\n');
  expect(clean(JSON.stringify({ pdf: label.toString('base64') }), 'application/json')).toContain(
    'JVBERi0xLjQKJSVFT0YK',
  );
});

const PDF = Buffer.from('%PDF-1.4\n(Josephine Muster) Tj \xff\xfe\n%%EOF\n', 'latin1');
const multipart = (parts: readonly (readonly [string, Buffer])[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([head, content]) => [Buffer.from(`--b-1\r\n${head}\r\n\r\n`), content, Buffer.from('\r\n')]),
    Buffer.from('--b-1--\r\n'),
  ]);

test('a multipart answer keeps its parts, their names and their types; each is cleaned by what it is', () => {
  const body = multipart([
    ['Content-Type: application/json\r\nContent-ID: <order>', Buffer.from('{"number":"A-1","firstName":"Josephine"}')],
    ['Content-Type: application/pdf\r\nContent-ID: <label>\r\nContent-Length: 40', PDF],
    [
      'Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <copy>',
      Buffer.from(PDF.toString('base64')),
    ],
    ['Content-Type: application/zip\r\nContent-ID: <papers>', Buffer.from('PK\x03\x04 Josephine \xff', 'latin1')],
  ]);
  const contentType = 'multipart/related; boundary="b-1"';
  const cleaned = cleanBody(body, { contentType, cleaner: cleanerAfter({}), keepPeople: false });
  expect(cleaned.toString('latin1')).not.toMatch(/josephine/i);
  const read = decoderNamed('multipart').decode(cleaned, { contentType });
  expect(read).toMatchObject({
    ok: true,
    body: {
      order: { number: 'A-1', firstName: expect.stringMatching(/^Person \d+ Example$/) as string },
      label: 'JVBERi0xLjQKJSVFT0YK',
      copy: 'JVBERi0xLjQKJSVFT0YK',
      papers: expect.stringMatching(/^UEsDB/) as string,
    },
  });
});

test('a label of any kind is small, and no answer is emptied', () => {
  const tiff = Buffer.concat([Buffer.from('II*\0'), Buffer.alloc(400, 0xfe), Buffer.from('Josephine')]);
  const binary = cleanBody(tiff, { contentType: 'image/tiff', cleaner: cleanerAfter({}), keepPeople: false });
  expect([binary.length < 20, binary.subarray(0, 4).toString('latin1')]).toEqual([true, 'II*\0']);
  expect(clean(JSON.stringify({ image: tiff.toString('base64') }), 'application/json').length).toBeLessThan(60);
  expect(clean('<Label>^XA^FO50,50^FDJosephine Muster^FS^FDStreet^FS^XZ</Label>', 'text/xml')).toBe(
    '<Label>^XA^FDexample^FS^XZ</Label>',
  );
  const cut = Buffer.from(`%PDF-1.4\n${'(Josephine) Tj '.repeat(30)}`).toString('base64');
  expect(JSON.parse(clean(JSON.stringify({ cut }), 'application/json'))).toEqual({
    cut: expect.stringMatching(/^JVBERi0xLjQ.{0,16}$/) as string,
  });
});

test('a text in Latin-1 is cleaned as one, and stays one', () => {
  const latin = Buffer.from(
    '<?xml version="1.0" encoding="ISO-8859-1"?><a><n>Jörg Größe</n><city>Köln</city></a>',
    'latin1',
  );
  const cleaner = cleanerAfter({ destinationName: 'Jörg Größe' });
  const cleaned = cleanBody(latin, { contentType: 'text/xml; charset=ISO-8859-1', cleaner, keepPeople: false });
  expect(cleaned.toString('latin1')).toMatch(/<n>Person \d+ Example<\/n><city>Köln<\/city>/);
});
