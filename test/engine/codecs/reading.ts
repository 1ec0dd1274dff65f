import type { Decoder } from '../../../src/engine/codecs/codec.ts';
import { Failure } from '../../../src/engine/failure.ts';

/** What a body reads as; fails the test if it does not read. */
export function bodyOf(codec: Decoder, bytes: string | Uint8Array, contentType?: string): unknown {
  const decoded = codec.decode(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, { contentType });
  if (!decoded.ok) throw decoded.reason;
  return decoded.body;
}

/** Why a body does not read; fails the test if it does. */
export function reasonOf(codec: Decoder, bytes: string | Uint8Array, contentType?: string): Failure {
  const decoded = codec.decode(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, { contentType });
  if (decoded.ok) throw new Error(`read as ${JSON.stringify(decoded.body)}`);
  return decoded.reason;
}

/** The Failure that an action throws; fails the test if it throws none. */
export function failureOf(action: () => unknown): Failure {
  try {
    action();
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}
