import type { Transport } from '../transport/transport.ts';
import type { NotSentCode, WireAnswer, WireOutcome } from '../transport/wire.ts';
import { judgeBody } from './content.ts';
import type { LabelOutcome } from './decide.ts';

export interface Downloading {
  readonly send: Transport['send'];
  readonly nowMs: () => number;
  /** Headers that prove who we are to the host of `url`: none unless the profile declares that host. */
  readonly authHeaders: (url: string) => Promise<Readonly<Record<string, string>>>;
  /** For all redirects together; 30 s. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 20_000_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What the URL itself is wrong about. */
const HOPELESS: ReadonlySet<NotSentCode> = new Set([
  'url_invalid',
  'plain_http_forbidden',
  'address_forbidden',
  'request_invalid',
]);

/**
 * Fetches a label from where the carrier said that it lies, once. Any host that the transport lets pass is asked,
 * also by redirect (stores hand out links that way); who we are is decided anew for each.
 */
export const downloadLabel = async (
  url: string,
  { send, nowMs, authHeaders, timeoutMs }: Downloading,
  signal?: AbortSignal,
): Promise<LabelOutcome> => {
  const endMs = nowMs() + (timeoutMs ?? TIMEOUT_MS);
  let at = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const proof = await authHeaders(at);
    const outcome = await send(
      { method: 'GET', url: at, headers: { accept: '*/*', ...proof } },
      { timeoutMs: Math.max(1, endMs - nowMs()), maxBytes: MAX_BYTES, signal },
    );
    const next = outcome.kind === 'answer' ? redirectOf(outcome, at) : undefined;
    if (next === undefined) return judgeOutcome(outcome);
    at = next;
  }
  return { kind: 'not_yet', message: `the label URL redirects more than ${MAX_REDIRECTS} times` };
};

const redirectOf = ({ status, headers }: WireAnswer, from: string): string | undefined =>
  REDIRECTS.has(status) ? URL.parse(headers['location'] ?? '', from)?.href : undefined;

const judgeOutcome = (outcome: WireOutcome): LabelOutcome => {
  if (outcome.kind === 'answer') {
    const { status, body, headers } = outcome;
    return status === 200 || (status === 203 && body.length > 0)
      ? judgeBody(body, headers['content-type'])
      : { kind: 'not_yet', message: `the label URL answered ${status}` };
  }
  const isHopeless = outcome.kind === 'not_sent' ? HOPELESS.has(outcome.code) : outcome.code === 'too_large';
  return { kind: isHopeless ? 'failed' : 'not_yet', message: `${outcome.code}: ${outcome.message}` };
};
