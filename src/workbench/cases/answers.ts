/** What the carrier of a case answers, as the transport would tell it. */
import type { WireLimits, WireOutcome } from '../../engine/transport/wire.ts';
import { bodyOf, type ReadBeside } from './bodies.ts';
import type { Clock } from './clock.ts';
import { showDuration } from './duration-text.ts';
import { durationMs } from './read.ts';
import type { Answer, Fault } from './schema.ts';

export const answerOf = (answer: Answer, limits: WireLimits, clock: Clock, beside: ReadBeside): WireOutcome => {
  const delayMs = answer.delay === undefined ? 0 : durationMs(answer.delay);
  if (delayMs >= limits.timeoutMs && delayMs > 0) return faultOf('timeout', limits, clock);
  clock.advance(delayMs);
  const body = bodyOf(answer, beside)?.encode();
  const headers = Object.fromEntries(
    Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (body !== undefined) headers['content-type'] ??= body.contentType;
  const bytes = body?.bytes ?? Buffer.alloc(0);
  if (bytes.byteLength > limits.maxBytes) {
    const message = `the answer is larger than ${limits.maxBytes} bytes`;
    return { kind: 'ambiguous', code: 'too_large', message, partial: { status: answer.status } };
  }
  return {
    kind: 'answer',
    status: answer.status,
    headers,
    body: bytes,
  };
};

export const faultOf = (fault: Fault, { timeoutMs }: WireLimits, clock: Clock): WireOutcome => {
  switch (fault) {
    case 'timeout':
      clock.advance(timeoutMs);
      return { kind: 'ambiguous', code: 'timeout', message: `no answer within ${showDuration(timeoutMs)}` };
    case 'reset':
      return { kind: 'ambiguous', code: 'connection_reset', message: 'the connection was reset' };
    case 'cut':
      return {
        kind: 'ambiguous',
        code: 'body_cut',
        message: 'the answer was cut off',
        partial: { status: 200 },
      };
    case 'refused':
      return { kind: 'not_sent', code: 'connection_refused', message: 'the connection was refused' };
    case 'no_host':
      return { kind: 'not_sent', code: 'name_not_found', message: 'the host has no address' };
    case 'tls':
      return { kind: 'not_sent', code: 'tls_failed', message: 'no TLS connection could be made' };
  }
};
