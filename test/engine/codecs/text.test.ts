import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decoderNamed, encoderNamed } from '../../../src/engine/codecs/codecs.ts';
import { decodeBase64 } from '../../../src/engine/codecs/text.ts';
import { bodyOf, failureOf, reasonOf } from './reading.ts';

describe('text', () => {
  it('is written from a scalar as UTF-8', () => {
    expect(encoderNamed('text').encode('Łódź')).toEqual({
      bytes: Buffer.from('Łódź'),
      contentType: 'text/plain; charset=utf-8',
    });
    expect(encoderNamed('text').encode(7).bytes.toString()).toBe('7');
  });

  it.each([[{}], [[1]], [null], [undefined], [Number.NaN]])('is not written from %j', (value) => {
    expect(failureOf(() => encoderNamed('text').encode(value)).code).toBe('body_not_encodable');
  });

  it('is read in its charset, with the replacement character for what is wrong in it', () => {
    expect(bodyOf(decoderNamed('text'), Buffer.from('é', 'latin1'), 'text/plain; charset=ISO-8859-1')).toBe('é');
    expect(bodyOf(decoderNamed('text'), Buffer.from('aé', 'latin1'), 'text/plain; charset=utf-8')).toBe('a\uFFFD');
    expect(bodyOf(decoderNamed('text'), '')).toBe('');
  });
});

describe('binary and none', () => {
  it('keeps bytes as they are', () => {
    const bytes = Uint8Array.of(0, 255, 10);
    const body = bodyOf(decoderNamed('binary'), bytes);
    expect(Buffer.isBuffer(body)).toBe(true);
    expect(body).toEqual(Buffer.from(bytes));
  });

  it('reads anything as nothing, but not more than allowed', () => {
    expect(bodyOf(decoderNamed('none'), '{')).toBeUndefined();
    expect(reasonOf(decoderNamed('binary'), Buffer.alloc(20_000_001)).code).toBe('body_too_large');
  });
});

describe('base64', () => {
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
});
