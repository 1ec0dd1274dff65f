/** The work of a label job: claim → download, or ask the carrier → conclude. Asking twice does no harm. */
import { messageOf, type Problem } from '../failure.ts';
import type { Ports } from '../dispatch/ports.ts';
import type { FetchedLabel } from '../dispatch/result.ts';
import type { ConcurrencyLimiter } from '../dispatch/limits.ts';
import type { EnvironmentName, LabelRetry } from '../profile/carrier.ts';
import { judgeContent } from './content.ts';
import { decideLabel, type LabelNext, type LabelOutcome } from './decide.ts';
import { downloadLabel, type Downloading } from './download.ts';

interface PendingLabel {
  readonly id: string;
  /** Index of its package; undefined: one document for all. */
  readonly position: number | undefined;
  readonly itemReferenceNumber: string | undefined;
}

/** Labels that are ours alone to fetch until the lease ends. */
export interface LabelClaim {
  readonly lease: string;
  /** The one that was asked for, and with it all of its consignment that the carrier's `label` operation brings. */
  readonly labels: readonly PendingLabel[];
  readonly consignmentId: number;
  readonly carrierCode: string;
  readonly environment: EnvironmentName;
  readonly accountId: number | undefined;
  /** Where it lies; undefined: the profile's `label` operation fetches it. */
  readonly sourceUrl: string | undefined;
  /** This one included. */
  readonly tries: number;
  readonly untilAtMs: number | undefined;
}

export interface LabelEnding {
  readonly label: PendingLabel;
  /** undefined: as before, this try does not count. */
  readonly next: LabelNext | undefined;
  /** Where `next` is undefined: not sooner than that, milliseconds since 1970. */
  readonly putOffUntilMs?: number | undefined;
}

/** What fetching asks of the records. */
export interface Labels {
  /** `asked`: somebody waits for it, so that it is taken before it is due. */
  claim(labelId: string, asked: boolean): Promise<LabelClaim | undefined>;
  /** Carries the endings out in one transaction, with a notice for each stored label; false when the lease is gone. */
  conclude(claim: LabelClaim, endings: readonly LabelEnding[]): Promise<boolean>;
}

export interface Fetching extends Omit<Downloading, 'authHeaders' | 'send'> {
  readonly send: Ports['send'];
  readonly labels: Labels;
  /** One carrier's part of this process; a label beyond it comes back in its turn. */
  readonly limiter: ConcurrencyLimiter;
  readonly random: () => number;
  /** The carrier's `labels.retry`. Where that cannot be told, as the carrier is not loaded, the usual one holds. */
  readonly retryOf: (claim: LabelClaim) => Promise<LabelRetry>;
  /** See `Downloading`; it may look up the account. */
  readonly authHeaders: (claim: LabelClaim, url: string) => Promise<Readonly<Record<string, string>>>;
  /** Runs the carrier's `label` operation for the consignment. A problem is asked again, as a placeholder is. */
  readonly runLabelOperation: (
    claim: LabelClaim,
    signal: AbortSignal | undefined,
  ) => Promise<readonly FetchedLabel[] | 'not_yet' | Problem>;
}

export interface FetchHow {
  /** Somebody waits: before it is due, and a try that brings nothing does not count. */
  readonly asked?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Fetched = 'not_ours' | 'lease_lost' | LabelNext['state'];

/** As the profile language has it for those who say nothing. */
const USUAL_RETRY: LabelRetry = { waitMs: 30_000, maxMs: 1_800_000, untilMs: 2 * 86_400_000 };

/** Makes one try to fetch a label, if the records say that it is to be fetched. Yields what became of it. */
export const fetchLabel = async (labelId: string, fetching: Fetching, how: FetchHow = {}): Promise<Fetched> => {
  const { labels, nowMs } = fetching;
  const claim = await labels.claim(labelId, how.asked === true);
  if (claim === undefined) return 'not_ours';
  const admission = fetching.limiter.enter(claim.carrierCode);
  if (!admission.admitted) {
    const putOffUntilMs = nowMs() + admission.waitMs;
    const endings = claim.labels.map((label) => ({ label, next: undefined, putOffUntilMs }));
    return (await labels.conclude(claim, endings)) ? 'pending' : 'lease_lost';
  }
  try {
    return await fetchClaimed(labelId, claim, fetching, how);
  } finally {
    admission.leave(true);
  }
};

const fetchClaimed = async (
  labelId: string,
  claim: LabelClaim,
  fetching: Fetching,
  how: FetchHow,
): Promise<Fetched> => {
  const { labels, nowMs, random } = fetching;
  const retry = await fetching.retryOf(claim).catch(() => USUAL_RETRY);
  const outcomes = await fetchAll(claim, fetching, how.signal).catch((thrown: unknown) =>
    claim.labels.map((): LabelOutcome => ({ kind: 'not_yet', message: messageOf(thrown) })),
  );
  const isFree = how.asked === true || how.signal?.aborted === true;
  const endings = claim.labels.map((label, index): LabelEnding => {
    const outcome = outcomes[index] ?? { kind: 'not_yet', message: 'nothing was tried' };
    if (isFree && outcome.kind === 'not_yet') return { label, next: undefined };
    const { tries, untilAtMs } = claim;
    return { label, next: decideLabel(outcome, { tries, untilAtMs, nowMs: nowMs(), random: random() }, retry) };
  });
  if (!(await labels.conclude(claim, endings))) return 'lease_lost';
  return endings.find(({ label }) => label.id === labelId)?.next?.state ?? 'pending';
};

const fetchAll = async (
  claim: LabelClaim,
  fetching: Fetching,
  signal: AbortSignal | undefined,
): Promise<readonly LabelOutcome[]> => {
  const download = async (url: string): Promise<LabelOutcome> =>
    await downloadLabel(
      url,
      {
        ...fetching,
        send: async (request, limits) => await fetching.send(request, limits, claim.carrierCode),
        authHeaders: async (host) => await fetching.authHeaders(claim, host),
      },
      signal,
    );
  if (claim.sourceUrl !== undefined) return [await download(claim.sourceUrl)];
  const answered = await fetching.runLabelOperation(claim, signal);
  if (answered === 'not_yet') return claim.labels.map(() => ({ kind: 'not_yet', message: 'the carrier has none yet' }));
  if ('code' in answered) {
    const message = `${answered.code}: ${answered.messages.join('; ')}`;
    return claim.labels.map(() => ({ kind: 'not_yet', message }));
  }
  const outcomes: LabelOutcome[] = [];
  for (const pending of claim.labels) {
    const fetched = labelFor(pending, answered);
    if (fetched === undefined) outcomes.push({ kind: 'not_yet', message: 'the carrier has none yet' });
    else if (fetched.url === undefined) outcomes.push(judgeContent(fetched.content));
    else outcomes.push(await download(fetched.url));
  }
  return outcomes;
};

/** The package's own, else one that is for all. */
const labelFor = (
  { itemReferenceNumber }: PendingLabel,
  fetched: readonly FetchedLabel[],
): FetchedLabel['label'] | undefined =>
  (
    fetched.find((one) => one.itemReferenceNumber !== undefined && one.itemReferenceNumber === itemReferenceNumber) ??
    fetched.find((one) => one.itemReferenceNumber === undefined)
  )?.label;
