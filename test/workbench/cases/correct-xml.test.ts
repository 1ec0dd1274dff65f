import { expect, test } from 'vitest';
import { correctXml } from '../../../src/workbench/cases/correct-xml.ts';

const OLD = `<?xml version="1.0"?>
<!-- our sample -->
<order xmlns="urn:a"
       id="1">
  <to>  <!-- who -->
    <name>Max</name>
    <zip>1</zip>
  </to>
  <empty></empty>
  <line n='1'/>
</order>
`;
const SEEN = OLD.replaceAll(/<!--.*?-->|^\s+|\n/gm, '')
  .replace('urn:a"id', 'urn:a" id')
  .replace('<empty></empty>', '<empty/>');

test.each([
  ['nothing', SEEN, OLD],
  ['a text', SEEN.replace('Max', 'Erika'), OLD.replace('Max', 'Erika')],
  ['an attribute', SEEN.replace("n='1'", 'n="2"'), OLD.replace("n='1'", 'n="2"')],
  ['the order of attributes', SEEN.replace('xmlns="urn:a" id="1"', 'id="1" xmlns="urn:a"'), OLD],
  [
    'a new element',
    SEEN.replace('<zip>', '<city>B</city><zip>'),
    OLD.replace('    <zip>', '    <city>B</city>\n    <zip>'),
  ],
  ['a new last one', SEEN.replace('</order>', '<line n="2"/></order>'), OLD.replace("'1'/>", `'1'/>\n  <line n="2"/>`)],
  ['an element that is gone', SEEN.replace('<zip>1</zip>', ''), OLD.replace('    <zip>1</zip>\n', '')],
])('of %s nothing else changes', (_, seen, corrected) => {
  expect(correctXml(OLD, seen)).toBe(corrected);
});
