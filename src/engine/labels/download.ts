import { decoderNamed } from '../codecs/codecs.ts';
import { type DocumentFormat, labelBytes } from '../codecs/label-document.ts';
import { parseMediaType } from '../codecs/media-type.ts';
import type { Transport } from '../transport/transport.ts';
import type { NotSentCode, WireOutcome } from '../transport/wire.ts';

/** The outcome of one try. `not_yet`: another may help; `failed`: it would not. */
export type LabelOutcome =
  | { readonly kind: 'stored'; readonly bytes: Buffer; readonly format: DocumentFormat }
  | { readonly kind: 'not_yet'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface Downloading {
  readonly send: Transport['send'];
  readonly nowMs: () => number;
  /** Authentication for the host of `url`: none unless the profile declares that host. */
  readonly authHeaders: (url: string) => Promise<Readonly<Record<string, string>>>;
  /** For all redirects together; 30 s. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 20_000_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** The URL itself is wrong. */
const HOPELESS: ReadonlySet<NotSentCode> = new Set([
  'url_invalid',
  'plain_http_forbidden',
  'address_forbidden',
  'request_invalid',
]);

/**
 * Fetches a label once, from the URL that the carrier gave. Any host that the transport lets pass is asked, also by
 * redirect (stores hand out links that way); how to authenticate is decided for each anew.
 */
export const downloadLabel = async (
  url: string,
  { send, nowMs, authHeaders, timeoutMs = TIMEOUT_MS }: Downloading,
  signal?: AbortSignal,
): Promise<LabelOutcome> => {
  const endMs = nowMs() + timeoutMs;
  let at = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const outcome = await send(
      { method: 'GET', url: at, headers: { accept: '*/*', ...(await authHeaders(at)) } },
      { timeoutMs: Math.max(1, endMs - nowMs()), maxBytes: MAX_BYTES, signal },
    );
    const isRedirect = outcome.kind === 'answer' && REDIRECTS.has(outcome.status);
    const next = isRedirect ? URL.parse(outcome.headers['location'] ?? '', at)?.href : undefined;
    if (next === undefined) return labelOfOutcome(outcome);
    at = next;
  }
  return { kind: 'not_yet', message: `the label URL redirects more than ${MAX_REDIRECTS} times` };
};

const labelOfOutcome = (outcome: WireOutcome): LabelOutcome => {
  if (outcome.kind === 'answer') {
    const { status, body, headers } = outcome;
    return status === 200 || (status === 203 && body.length > 0)
      ? labelOfBody(body, headers['content-type'])
      : { kind: 'not_yet', message: `the label URL answered ${status}` };
  }
  const isHopeless = outcome.kind === 'not_sent' ? HOPELESS.has(outcome.code) : outcome.code === 'too_large';
  return { kind: isHopeless ? 'failed' : 'not_yet', message: `${outcome.code}: ${outcome.message}` };
};

/** The body of an answer that should be a label, or hold one among its parts. */
const labelOfBody = (body: Buffer, contentType: string | undefined): LabelOutcome => {
  if (!parseMediaType(contentType).type.startsWith('multipart/')) return labelOfContent(body);
  const decoded = decoderNamed('multipart').decode(body, { contentType });
  return decoded.ok ? labelOfContent(decoded.body) : { kind: 'not_yet', message: decoded.reason.message };
};

/** A value that should be a label: what is none yet may become one; what is too large stays so. */
export const labelOfContent = (content: unknown): LabelOutcome => {
  const read = labelBytes(content);
  if (read.ok) return { kind: 'stored', bytes: read.bytes, format: read.format };
  return { kind: read.reason.code === 'label_too_large' ? 'failed' : 'not_yet', message: read.reason.message };
};
