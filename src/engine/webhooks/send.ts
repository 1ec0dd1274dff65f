import { Failure } from '../failure.ts';
import type { Transport } from '../transport/transport.ts';
import { judgeTry, refused, type Verdict } from './decide.ts';
import { type Message, signatureHeaders } from './sign.ts';

export interface Sending {
  readonly send: Transport['send'];
  readonly nowMs: () => number;
  /** The receiver's time to answer; 30 s by the shipper API, "Limits". */
  readonly timeoutMs?: number | undefined;
}

export interface Receiver {
  readonly url: string;
  /** Newest first. Throws a `Failure` when they cannot be opened. */
  readonly secrets: () => readonly string[];
}

const TIMEOUT_MS = 30_000;
/** Only the status matters; nobody reads the rest. */
const MAX_ANSWER_BYTES = 65_536;

/** Signs a message and posts it, once. */
export const sendSigned = async (
  message: Message,
  { url, secrets }: Receiver,
  { send, nowMs, timeoutMs }: Sending,
  signal?: AbortSignal,
): Promise<Verdict> => {
  let signature: Record<string, string>;
  try {
    signature = signatureHeaders(message, secrets(), nowMs());
  } catch (thrown) {
    if (thrown instanceof Failure) return refused(thrown.code, thrown.message);
    throw thrown;
  }
  const outcome = await send(
    {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...signature },
      body: Buffer.from(message.body),
    },
    { timeoutMs: timeoutMs ?? TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES, signal },
  );
  return judgeTry(outcome);
};
