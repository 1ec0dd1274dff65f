import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createUnpacker } from '../../../src/engine/transport/body.ts';

/** Whose body, and how long it may wait. */
const NOW = { party: 'carrier.example', waitMs: 10_000 };
const text = Buffer.from('Example Street 1\n'.repeat(500));
const decode = (bytes: Buffer, encoding: string, maxBytes = 1_000_000): Promise<Buffer> =>
  createUnpacker(2)(bytes, encoding, maxBytes, NOW);

describe('a body', () => {
  it.each<[string, Buffer]>([
    ['gzip', zlib.gzipSync(text)],
    ['GZIP', zlib.gzipSync(text)],
    ['x-gzip', zlib.gzipSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['zstd', zlib.zstdCompressSync(text)],
    ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(text))],
    ['identity, gzip', zlib.gzipSync(text)],
    ['identity', text],
    ['', text],
    ['gzip', Buffer.concat([zlib.gzipSync(text.subarray(0, 99)), zlib.gzipSync(text.subarray(99))])],
  ])('in %s is unpacked', async (encoding, bytes) => expect(await decode(bytes, encoding)).toEqual(text));

  it.each(['gzip', 'deflate', 'br', 'zstd'])('that is empty is empty in %s', async (encoding) => {
    expect(await decode(Buffer.alloc(0), encoding)).toHaveLength(0);
  });

  it.each(['compress', 'gzip, compress', 'gzip, gzip, gzip', 'constructor', '__proto__'])(
    'in %s stays as it is',
    async (encoding) => expect(await decode(text, encoding)).toBe(text),
  );

  it.each([
    ['gzip', zlib.gzipSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['zstd', zlib.zstdCompressSync(text)],
  ])('in %s that is cut or wrong is undecodable', async (encoding, whole) => {
    for (const bytes of [whole.subarray(0, -6), Buffer.from('not packed at all')])
      await expect(decode(bytes, encoding)).rejects.toMatchObject({ code: 'body_undecodable' });
  });

  it('may unpack to the cap and no further, in every layer', async () => {
    const packed = zlib.gzipSync(text);
    expect(await decode(packed, 'gzip', text.length)).toEqual(text);
    await expect(decode(packed, 'gzip', text.length - 1)).rejects.toMatchObject({ code: 'too_large' });
    const twice = zlib.gzipSync(zlib.gzipSync(Buffer.alloc(30_000_000)));
    await expect(decode(twice, 'gzip, gzip', 20_000)).rejects.toMatchObject({ code: 'too_large' });
  });

  it('in zstd may not ask for a window above 8 MB', async () => {
    const wide = zlib.zstdCompressSync(Buffer.alloc(1000), { params: { [zlib.constants.ZSTD_c_windowLog]: 27 } });
    // A frame that states its content's size needs no more window than that, so state a window by hand: RFC 8878, 3.1.1.1.2.
    const stating = (log: number) => Buffer.from([...wide.subarray(0, 4), 0x00, (log - 10) << 3, 1, 0, 0]);
    await expect(decode(stating(27), 'zstd')).rejects.toMatchObject({ code: 'body_undecodable' });
    expect(await decode(stating(23), 'zstd')).toHaveLength(0);
  });
});

it('unpacks many bodies one after another, and goes on after one that was bad', async () => {
  const unpack = createUnpacker(1);
  const good = zlib.gzipSync(text);
  const results = await Promise.allSettled(
    [good, Buffer.from('bad'), good, good].map((bytes) => unpack(bytes, 'gzip', 1_000_000, NOW)),
  );
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(await unpack(good, 'gzip', 1_000_000, NOW)).toEqual(text);
});

describe('while bodies of one party are unpacked', () => {
  const bomb = zlib.gzipSync(Buffer.alloc(8_000_000));
  const small = zlib.gzipSync(text);

  it('one of another has the next turn', async () => {
    const unpack = createUnpacker(1);
    const ended: string[] = [];
    const unpackFor = async (party: string, bytes: Buffer): Promise<void> => {
      await unpack(bytes, 'gzip', 10_000_000, { party, waitMs: 60_000 });
      ended.push(party);
    };
    await Promise.all([
      ...Array.from({ length: 10 }, async () => await unpackFor('many', bomb)),
      unpackFor('one', small),
    ]);
    expect(ended.indexOf('one')).toBeLessThanOrEqual(2);
  });

  it('one whose time is up is given up, and takes no turn from those after it', async () => {
    const unpack = createUnpacker(1);
    const busy = unpack(bomb, 'gzip', 10_000_000, NOW);
    await expect(unpack(small, 'gzip', 10_000, { ...NOW, waitMs: 0 })).rejects.toMatchObject({ code: 'timeout' });
    await busy;
    expect(await unpack(small, 'gzip', 10_000, { ...NOW, waitMs: 0 })).toEqual(text);
  });
});
