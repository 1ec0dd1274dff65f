/** Fetching what is claimed: download, or ask the carrier → conclude. Asking twice does no harm. */
import { type DocumentFormat, labelBytes } from '../codecs/label-document.ts';
import type { ConcurrencyLimiter } from '../dispatch/limits.ts';
import { LeaseLost, type Ports } from '../dispatch/ports.ts';
import type { FetchedLabels } from '../dispatch/result.ts';
import { backoffMs } from '../duration.ts';
import { Failure, messageOf } from '../failure.ts';
import type { EnvironmentName, LabelRetry } from '../profile/carrier.ts';
import { decoderNamed } from '../codecs/codecs.ts';
import { parseMediaType } from '../codecs/codec.ts';
import type { Transport } from '../transport/transport.ts';
import type { NotSentCode, WireOutcome } from '../transport/wire.ts';

interface PendingLabel {
  readonly id: string;
  /** Index of its package; undefined: one document for all. */
  readonly position: number | undefined;
  readonly itemReferenceNumber: string | undefined;
}

/** Labels that this worker alone may fetch until the lease ends. */
export interface LabelClaim {
  readonly lease: string;
  /** One with a URL, or all of its consignment that the carrier's `label` operation brings. */
  readonly labels: readonly PendingLabel[];
  readonly consignmentId: number;
  readonly carrierCode: string;
  readonly environment: EnvironmentName;
  readonly accountId: number | undefined;
  /** Where it lies; undefined: the profile's `label` operation fetches it. */
  readonly sourceUrl: string | undefined;
  /** This one included. */
  readonly tries: number;
  /** When to give up, milliseconds since 1970; undefined: this is the first try. */
  readonly untilAtMs: number | undefined;
}

/** Why a label is not there: a stable code, and words. */
interface Why {
  readonly code: string;
  readonly message: string;
}

type LabelNext =
  | { readonly state: 'stored'; readonly bytes: Buffer; readonly format: DocumentFormat }
  | ({ readonly state: 'pending'; readonly dueAtMs: number; readonly untilAtMs: number } & Why)
  | ({ readonly state: 'failed' } & Why);

export interface LabelEnding {
  readonly label: PendingLabel;
  /** undefined: as before, this try does not count. */
  readonly next: LabelNext | undefined;
  /** Where `next` is undefined: not sooner than that, milliseconds since 1970. */
  readonly putOffUntilMs?: number | undefined;
}

export interface Labels {
  /** Somebody waits for it, so that it is taken before it is due. */
  claimOnDemand(labelId: string): Promise<LabelClaim | undefined>;
  /** Carries the endings out in one transaction, with a notice for each stored label; throws `LeaseLost`. */
  conclude(claim: LabelClaim, endings: readonly LabelEnding[]): Promise<void>;
}

export interface Fetching extends Pick<Downloading, 'timeoutMs' | 'nowMs'> {
  /** One carrier's share of this process; work beyond it comes back in its turn. */
  readonly limiter: ConcurrencyLimiter;
  readonly send: Ports['send'];
  readonly labels: Labels;
  readonly random: () => number;
  /** The carrier's `labels.retry`; rejects where the carrier is not loaded, for the default. */
  readonly retryOf: (claim: LabelClaim) => Promise<LabelRetry>;
  /** See `Downloading`; it may look up the account. */
  readonly authHeaders: (claim: LabelClaim, url: string) => Promise<Readonly<Record<string, string>>>;
  /** Runs the carrier's `label` operation for the consignment. A problem is retried, as a placeholder is. */
  readonly runLabelOperation: (claim: LabelClaim, signal: AbortSignal | undefined) => Promise<FetchedLabels>;
  /** Labels of our own: one outcome for each of the claim; undefined: the carrier gives them. */
  readonly makeLabels?: ((claim: LabelClaim) => Promise<readonly LabelOutcome[] | undefined>) | undefined;
}

interface FetchHow {
  /** Somebody waits: a try that brings nothing does not count. */
  readonly asked?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Fetched = 'not_ours' | 'lease_lost' | LabelNext['state'];

/** The default of the profile's `labels.retry`. */
const DEFAULT_RETRY: LabelRetry = { waitMs: 30_000, maxMs: 1_800_000, untilMs: 2 * 86_400_000 };

/** Makes one try to fetch a label that somebody waits for, if nobody else is at it. Yields what became of it. */
export const fetchOnDemand = async (labelId: string, fetching: Fetching): Promise<Fetched> => {
  const claim = await fetching.labels.claimOnDemand(labelId);
  if (claim === undefined) return 'not_ours';
  const endings = await fetchLabels(claim, fetching, { asked: true });
  if (endings === 'lease_lost') return endings;
  return endings.find(({ label }) => label.id === labelId)?.next?.state ?? 'pending';
};

/** Makes one try to fetch what is claimed. Yields what was recorded of it. */
export const fetchLabels = async (
  claim: LabelClaim,
  fetching: Fetching,
  how: FetchHow = {},
): Promise<readonly LabelEnding[] | 'lease_lost'> => {
  const { labels, limiter, nowMs } = fetching;
  const admission = limiter.enter(claim.carrierCode);
  try {
    const endings: readonly LabelEnding[] = admission.admitted
      ? await fetchClaimed(claim, fetching, how)
      : claim.labels.map((label) => ({ label, next: undefined, putOffUntilMs: nowMs() + admission.waitMs }));
    await labels.conclude(claim, endings);
    return endings;
  } catch (thrown) {
    if (thrown instanceof LeaseLost) return 'lease_lost';
    throw thrown;
  } finally {
    if (admission.admitted) admission.leave(true);
  }
};

/** To a process that has the key of the account: the try does not count. */
const LEFT = Symbol('left');
/** Until another process may take up what this one has no key for. */
const LEFT_FOR_MS = 10_000;

const fetchClaimed = async (
  claim: LabelClaim,
  fetching: Fetching,
  { asked, signal }: FetchHow,
): Promise<readonly LabelEnding[]> => {
  const retry = await fetching.retryOf(claim).catch(() => DEFAULT_RETRY);
  const outcomes = await fetchAll(claim, fetching, signal).catch((thrown: unknown) =>
    thrown instanceof Failure && thrown.code === 'secret_key_missing'
      ? LEFT
      : notYet(claim, { code: thrown instanceof Failure ? thrown.code : 'label_error', message: messageOf(thrown) }),
  );
  const isFree = asked === true || signal?.aborted === true;
  if (outcomes === LEFT) {
    const putOffUntilMs = isFree ? undefined : fetching.nowMs() + LEFT_FOR_MS;
    return claim.labels.map((label) => ({ label, next: undefined, putOffUntilMs }));
  }
  return claim.labels.map((label, index): LabelEnding => {
    const outcome = outcomes[index] ?? { kind: 'not_yet', ...NONE_YET };
    if (isFree && outcome.kind === 'not_yet') return { label, next: undefined };
    return { label, next: decideLabel(outcome, claim, retry, { nowMs: fetching.nowMs(), random: fetching.random() }) };
  });
};

/** A placeholder is asked again, less and less often, and once more at the very end. `random`: in [0, 1). */
export const decideLabel = (
  outcome: LabelOutcome,
  claim: Pick<LabelClaim, 'tries' | 'untilAtMs'>,
  retry: LabelRetry,
  { nowMs, random }: { readonly nowMs: number; readonly random: number },
): LabelNext => {
  if (outcome.kind === 'stored') return { state: 'stored', bytes: outcome.bytes, format: outcome.format };
  const { code, message } = outcome;
  if (outcome.kind === 'failed') return { state: 'failed', code, message };
  const untilAtMs = claim.untilAtMs ?? nowMs + retry.untilMs;
  if (nowMs >= untilAtMs || (outcome.isRefusal === true && claim.tries >= REFUSALS_MAX))
    return { state: 'failed', code, message: `still no label when we gave up: ${message}` };
  const dueAtMs = Math.min(nowMs + backoffMs(retry, claim.tries, random), untilAtMs);
  return { state: 'pending', dueAtMs, untilAtMs, code, message };
};

/** A carrier that refuses, or sends what is no label, does not change its mind after so many tries: an hour by default. */
const REFUSALS_MAX = 8;

const NONE_YET: Why = { code: 'label_not_ready', message: 'the carrier has none yet' };

const notYet = ({ labels }: LabelClaim, why: Why & { readonly isRefusal?: boolean }): readonly LabelOutcome[] =>
  labels.map(() => ({ kind: 'not_yet', ...why }));

const fetchAll = async (
  claim: LabelClaim,
  fetching: Fetching,
  signal: AbortSignal | undefined,
): Promise<readonly LabelOutcome[]> => {
  const downloading: Downloading = {
    nowMs: fetching.nowMs,
    timeoutMs: fetching.timeoutMs,
    send: async (request, limits) => await fetching.send(request, limits, claim.carrierCode),
    authHeaders: async (url) => await fetching.authHeaders(claim, url),
  };
  if (claim.sourceUrl !== undefined) return [await downloadLabel(claim.sourceUrl, downloading, signal)];
  const made = await fetching.makeLabels?.(claim);
  if (made !== undefined) return made;
  const fetched = await fetching.runLabelOperation(claim, signal);
  if (fetched === 'not_yet') return notYet(claim, NONE_YET);
  if ('code' in fetched) {
    const { code, messages, isRefusal } = fetched;
    return notYet(claim, { code, message: messages.join('; '), isRefusal });
  }
  const outcomes: LabelOutcome[] = [];
  for (const { itemReferenceNumber: own } of claim.labels) {
    // The package's own, else one that is for all.
    const { label } =
      fetched.find((one) => own !== undefined && one.itemReferenceNumber === own) ??
      fetched.find((one) => one.itemReferenceNumber === undefined) ??
      {};
    if (label === undefined) outcomes.push({ kind: 'not_yet', ...NONE_YET });
    else if (label.url === undefined) outcomes.push(labelOfContent(label.content));
    else outcomes.push(await downloadLabel(label.url, downloading, signal));
  }
  return outcomes;
};

/** The outcome of one try. `not_yet`: another may help, `isRefusal`: a few of them; `failed`: it would not. */
export type LabelOutcome =
  | { readonly kind: 'stored'; readonly bytes: Buffer; readonly format: DocumentFormat }
  | ({ readonly kind: 'not_yet'; readonly isRefusal?: boolean } & Why)
  | ({ readonly kind: 'failed' } & Why);

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
  const message = `the label URL redirects more than ${MAX_REDIRECTS} times`;
  return { kind: 'not_yet', code: 'label_url_redirects', message, isRefusal: true };
};

const labelOfOutcome = (outcome: WireOutcome): LabelOutcome => {
  if (outcome.kind === 'answer') {
    const { status, body, headers } = outcome;
    return status === 200 || (status === 203 && body.length > 0)
      ? labelOfBody(body, headers['content-type'])
      : refusedBy(status);
  }
  const isHopeless = outcome.kind === 'not_sent' ? HOPELESS.has(outcome.code) : outcome.code === 'too_large';
  return { kind: isHopeless ? 'failed' : 'not_yet', code: outcome.code, message: outcome.message };
};

/** Answers of 400 to 499 that what is not made yet, or too many questions, get as well. */
const PASSING: ReadonlySet<number> = new Set([404, 408, 409, 423, 425, 429]);

const refusedBy = (status: number): LabelOutcome => {
  const isRefusal = status >= 400 && status < 500 && !PASSING.has(status);
  const code = isRefusal ? 'label_refused' : 'label_not_ready';
  return { kind: 'not_yet', code, message: `the label URL answered ${status}`, isRefusal };
};

/** The body of an answer that should be a label, or hold one among its parts. */
const labelOfBody = (body: Buffer, contentType: string | undefined): LabelOutcome => {
  if (!parseMediaType(contentType).type.startsWith('multipart/')) return labelOfContent(body);
  const decoded = decoderNamed('multipart').decode(body, { contentType });
  return decoded.ok ? labelOfContent(decoded.body) : noneIn(decoded.reason);
};

/** A value that should be a label: what is none yet may become one; what is too large stays so. */
const labelOfContent = (content: unknown): LabelOutcome => {
  const read = labelBytes(content);
  if (read.ok) return { kind: 'stored', bytes: read.bytes, format: read.format };
  return noneIn(read.reason);
};

/** One that is empty may only not be made yet; what is something else is most likely no placeholder. */
const noneIn = ({ code, message }: Failure): LabelOutcome =>
  code === 'label_too_large'
    ? { kind: 'failed', code, message }
    : { kind: 'not_yet', code, message, isRefusal: code !== 'label_missing' };
