import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSealer, keyName } from '../../../src/platform/records/sealer.ts';

const [first, second, third] = [1, 2, 3].map((n) => Buffer.alloc(32, n).toString('base64')) as [string, string, string];
const plain = Buffer.from('very-secret');

describe('what is sealed', () => {
  it('is another text each time, and opens for the same record', () => {
    const sealer = createSealer(first);
    const [one, other] = [sealer.seal(plain, 'account/1'), sealer.seal(plain, 'account/1')];
    expect(one.equals(other)).toBe(false);
    expect(one.includes(plain)).toBe(false);
    for (const sealed of [one, other]) expect(sealer.open(sealed, 'account/1')).toEqual(plain);
  });

  it('opens for no other record, and not when any byte was changed', () => {
    const sealer = createSealer(first);
    const sealed = sealer.seal(plain, 'account/1');
    const refused = expect.objectContaining({ code: 'secret_unreadable' });
    expect(() => sealer.open(sealed, 'account/2')).toThrow(refused);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      // In the name of the key: another process may have one of that name.
      const code = at >= 1 && at < 5 ? 'secret_key_missing' : 'secret_unreadable';
      expect(() => sealer.open(changed, 'account/1'), `byte ${at}`).toThrow(expect.objectContaining({ code }));
    }
    for (const short of [Buffer.alloc(0), sealed.subarray(0, 5), sealed.subarray(0, 20)])
      expect(() => sealer.open(short, 'account/1')).toThrow(refused);
  });

  it('names its key, so that a new key opens what an older one sealed', () => {
    const old = createSealer(first);
    const both = createSealer(second, [third, first]);
    const sealed = old.seal(plain, 'a');
    expect(sealed.subarray(0, 5)).toEqual(old.mark);
    expect(both.open(sealed, 'a')).toEqual(plain);
    expect(both.seal(plain, 'a').subarray(0, 5)).toEqual(both.mark);
    expect(both.marks.map((mark) => mark.equals(old.mark))).toEqual([false, false, true]);
    const missing = { code: 'secret_key_missing', message: expect.stringContaining('key that is not configured') };
    expect(() => createSealer(second).open(sealed, 'a')).toThrow(expect.objectContaining(missing));
    const lost = createSealer(second, [], [keyName(old.mark)]);
    expect(() => lost.open(sealed, 'a')).toThrow(expect.objectContaining({ code: 'secret_unreadable' }));
  });

  it('takes only keys of 32 bytes', () => {
    for (const key of ['', 'abc', randomBytes(31).toString('base64')]) {
      expect(() => createSealer(key)).toThrow('WAYBILL_SECRET_KEY is not the base64 of 32 bytes');
      expect(() => createSealer(first, [key])).toThrow('WAYBILL_SECRET_KEYS_OLD');
    }
  });
});
