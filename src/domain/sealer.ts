import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Failure } from './failure.ts';

/**
 * Encryption at rest: AES-256-GCM under a key derived from `WAYBILL_SECRET_KEY`. `about` names what is sealed
 * (`account/7`) and is authenticated with it, so that one record's secret cannot be put into another's.
 */
export interface Sealer {
  seal(plain: Uint8Array, about: string): Buffer;
  /** Throws a `Failure` with code `secret_unreadable` when the key or `about` is another, or the bytes were changed. */
  open(sealed: Uint8Array, about: string): Buffer;
}

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** `secretKey`: base64 of 32 bytes. */
export const createSealer = (secretKey: string): Sealer => {
  const master = Buffer.from(secretKey, 'base64');
  if (master.byteLength !== KEY_BYTES) {
    throw new Failure('WAYBILL_SECRET_KEY is not the base64 of 32 bytes', {
      code: 'secret_key_invalid',
      help: 'make one with: openssl rand -base64 32',
    });
  }
  const key = Buffer.from(hkdfSync('sha256', master, '', 'waybill/seal/1', KEY_BYTES));
  return {
    seal: (plain, about) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), body]);
    },
    open: (sealed, about) => {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      try {
        if (bytes[0] !== VERSION) throw new Error(`unknown version ${bytes[0]}`);
        const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
        const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(about))
          .setAuthTag(tag);
        return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      } catch (cause) {
        throw new Failure(`a sealed value (${about}) cannot be opened`, {
          code: 'secret_unreadable',
          help: 'is WAYBILL_SECRET_KEY the one it was sealed with?',
          cause,
        });
      }
    },
  };
};
