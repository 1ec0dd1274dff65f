import { describe, expect, it } from 'vitest';
import { binaryCodec } from '../../../src/engine/codecs/binary.ts';
import { decoderNamed, encoderNamed } from '../../../src/engine/codecs/codecs.ts';
import { noneCodec } from '../../../src/engine/codecs/none.ts';
import { textCodec } from '../../../src/engine/codecs/text.ts';
import { bodyOf, failureOf, reasonOf } from './reading.ts';

describe('text', () => {
  it('is written from a scalar as UTF-8', () => {
    expect(textCodec.encode('Łódź')).toEqual({ bytes: Buffer.from('Łódź'), contentType: 'text/plain; charset=utf-8' });
    expect(textCodec.encode(7).bytes.toString()).toBe('7');
  });

  it.each([[{}], [[1]], [null], [undefined], [Number.NaN]])('is not written from %j', (value) => {
    expect(failureOf(() => textCodec.encode(value)).code).toBe('body_not_encodable');
  });

  it('is read in its charset, with the replacement character for what is wrong in it', () => {
    expect(bodyOf(textCodec, Buffer.from('é', 'latin1'), 'text/plain; charset=ISO-8859-1')).toBe('é');
    expect(bodyOf(textCodec, Buffer.from('aé', 'latin1'), 'text/plain; charset=utf-8')).toBe('a\uFFFD');
    expect(bodyOf(textCodec, '')).toBe('');
  });
});

describe('binary and none', () => {
  it('keeps bytes as they are', () => {
    const bytes = Uint8Array.of(0, 255, 10);
    const body = bodyOf(binaryCodec, bytes);
    expect(Buffer.isBuffer(body)).toBe(true);
    expect(body).toEqual(Buffer.from(bytes));
  });

  it('reads anything as nothing, but not more than allowed', () => {
    expect(bodyOf(noneCodec, '{')).toBeUndefined();
    expect(reasonOf(binaryCodec, Buffer.alloc(20_000_001)).code).toBe('body_too_large');
  });
});

it('finds every codec by its name', () => {
  for (const name of ['json', 'xml', 'soap', 'form', 'multipart', 'text'] as const) {
    expect(encoderNamed(name)).toBe(decoderNamed(name));
  }
  expect(decoderNamed('binary')).toBe(binaryCodec);
  expect(decoderNamed('none')).toBe(noneCodec);
});
