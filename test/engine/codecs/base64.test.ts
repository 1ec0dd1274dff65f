import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBase64 } from '../../../src/engine/codecs/base64.ts';

it('decodes both alphabets, padded or not, in lines or not', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const buffer = Buffer.from(bytes);
      for (const text of [
        buffer.toString('base64'),
        buffer.toString('base64url'),
        buffer.toString('base64').replaceAll(/.{4}/g, '$&\r\n'),
      ]) {
        expect(decodeBase64(text)).toEqual(buffer);
      }
    }),
  );
});

it.each(['a', 'abcde', 'ab=c', 'ab===', 'abc==', '====', 'ab!d', 'a+b_', 'Ä'])('refuses %s', (text) => {
  expect(decodeBase64(text)).toBeUndefined();
});

it('takes twenty megabytes', () => {
  expect(decodeBase64('QUJD'.repeat(5_000_000))).toHaveLength(15_000_000);
});
