import { expect, test } from 'vitest';
import { cleanBody, createCleaner } from '../../../src/workbench/replay/anonymise.ts';

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
