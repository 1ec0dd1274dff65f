import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Failure } from '../../engine/failure.ts';

/**
 * Encryption at rest: AES-256-GCM under a key derived from `WAYBILL_SECRET_KEY`. `about` names what is sealed
 * (`account/7`) and is authenticated with it, so that one record's secret cannot be put into another's.
 */
export interface Sealer {
  seal(plain: Uint8Array, about: string): Buffer;
  /**
   * Opens what was sealed with this key or one of the older. Throws a `Failure`: `secret_key_missing` where another
   * process may have the key, else `secret_unreadable`: the key is lost, `about` another, or the bytes were changed.
   */
  open(sealed: Uint8Array, about: string): Buffer;
  /** Names the key that seals now: all it seals begins with these bytes. */
  readonly mark: Buffer;
  /** The marks of all keys that can be opened, that of the current one first. */
  readonly marks: readonly Buffer[];
  /** Tells one value from another without showing either. */
  fingerprint(value: string): Buffer;
}

const VERSION = 1;
const KEY_ID_BYTES = 4;
const MARK_BYTES = 1 + KEY_ID_BYTES;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** What a key is called where people read of it: it tells nothing of the key. */
export const keyName = (mark: Buffer): string => mark.subarray(1).toString('hex');

interface Key {
  readonly mark: Buffer;
  readonly seal: Buffer;
  readonly print: Buffer;
}

const keyOf = (secretKey: string, variable: string): Key => {
  const master = Buffer.from(secretKey, 'base64');
  if (master.byteLength !== KEY_BYTES) {
    throw new Failure(`${variable} is not the base64 of 32 bytes`, {
      code: 'secret_key_invalid',
      help: 'make one with: openssl rand -base64 32',
    });
  }
  const derived = (name: string, bytes: number): Buffer => Buffer.from(hkdfSync('sha256', master, '', name, bytes));
  return {
    mark: Buffer.concat([Buffer.from([VERSION]), derived('waybill/key-id/1', KEY_ID_BYTES)]),
    seal: derived('waybill/seal/1', KEY_BYTES),
    print: derived('waybill/fingerprint/1', KEY_BYTES),
  };
};

/** `secretKey` and `older`: base64 of 32 bytes each. What the older ones sealed is opened still. `lost`: names of keys. */
export const createSealer = (
  secretKey: string,
  older: readonly string[] = [],
  lost: readonly string[] = [],
): Sealer => {
  const current = keyOf(secretKey, 'WAYBILL_SECRET_KEY');
  const keys = [current, ...older.map((key) => keyOf(key, 'a key of WAYBILL_SECRET_KEYS_OLD'))];
  return {
    mark: current.mark,
    marks: keys.map(({ mark }) => mark),
    fingerprint: (value) => createHmac('sha256', current.print).update(value).digest(),
    seal: (plain, about) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.seal, nonce).setAAD(Buffer.from(about));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([current.mark, nonce, cipher.getAuthTag(), body]);
    },
    open: (sealed, about) => {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const key = keys.find(({ mark }) => bytes.subarray(0, MARK_BYTES).equals(mark));
      if (key === undefined) {
        const name = keyName(bytes.subarray(0, MARK_BYTES));
        throw new Failure(`a sealed value (${about}) is of a key that is not configured: ${name}`, {
          code: bytes[0] !== VERSION || lost.includes(name) ? 'secret_unreadable' : 'secret_key_missing',
          help: 'is WAYBILL_SECRET_KEY the one it was sealed with? older ones belong into WAYBILL_SECRET_KEYS_OLD',
        });
      }
      try {
        const [tagAt, bodyAt] = [MARK_BYTES + NONCE_BYTES, MARK_BYTES + NONCE_BYTES + TAG_BYTES];
        const nonce = bytes.subarray(MARK_BYTES, tagAt);
        const decipher = createDecipheriv('aes-256-gcm', key.seal, nonce, { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(about))
          .setAuthTag(bytes.subarray(tagAt, bodyAt));
        return Buffer.concat([decipher.update(bytes.subarray(bodyAt)), decipher.final()]);
      } catch (cause) {
        throw new Failure(`a sealed value (${about}) cannot be opened: it was changed, or is another record’s`, {
          code: 'secret_unreadable',
          cause,
        });
      }
    },
  };
};
