/** Tries an endpoint against every statement of the carrier contract: requests, labels, pushes; then judges what was seen. */
import { backoffMs } from '../../engine/duration.ts';
import { type Fields, ofItems, sampleConsignments, withoutFields } from './consignments.ts';
import { entriesOf, type Evidence, isAccepted, type LabelSeen, type Push, pushedOf } from './evidence.ts';
import type { Offence, Statement } from './judging.ts';
import { fetchLabel, perform, type Setting, type Tried } from './perform.ts';
import { LIFECYCLE, PUSH_PARTS, seenOf } from './push-statements.ts';
import { ENDPOINT_PARTS } from './statements.ts';
import { FIRST, FURTHER, LACKING, type Trial } from './trials.ts';

export interface Certifying extends Setting {
  readonly url: string;
  /** Requests are authenticated. */
  readonly isProven: boolean;
  /** Of this run: begins the names of its orders, letters and digits. */
  readonly runId: string;
  /** What was pushed so far; undefined: nobody listens. */
  readonly pushes: (() => readonly Push[]) | undefined;
  /** For labels that come late, and for pushes. */
  readonly waitMs: number;
  readonly pollMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Ends trying and waiting; what was seen by then is judged. */
  readonly signal: AbortSignal;
  /** Told, before pushes are waited for, which shipments are to be moved. */
  readonly onWaiting: (shipments: readonly Tried[]) => void;
}

export interface Judged {
  readonly id: string;
  readonly level: 'must' | 'should';
  /** The part of the contract that says so. */
  readonly place: string;
  readonly says: string;
  readonly verdict: 'holds' | 'broken' | 'not_tried' | 'left_out';
  /** Why it was not tried or left out. */
  readonly why?: string;
  readonly offences: readonly Offence[];
}

/** However slow the endpoint is, no trial begins later. */
const TRIALS_MS = 600_000;
/** Nor any cancel, once it is decided what holds. */
const CANCELS_MS = 120_000;
const POLL_MAX_MS = 15_000;

const isLate = ({ outcome }: LabelSeen): boolean => outcome.kind === 'not_yet' && outcome.isRefusal !== true;

export const certify = async (certifying: Certifying) => {
  const { nowMs, signal, waitMs, pollMs, runId, carrier, url, isProven } = certifying;
  const tried = new Map<string, Tried>();
  let labels: readonly LabelSeen[] = [];
  const seen = (): Evidence => ({ carrier, url, isProven, tried, labels, pushes: certifying.pushes?.() });
  const endMs = nowMs() + TRIALS_MS;

  const tryOne = async (name: string, trial: Trial, sample: Fields): Promise<void> => {
    const earlier = tried.get(trial.of ?? '');
    const isLeft = (trial.of !== undefined && !isAccepted(earlier)) || (trial.proof !== undefined && !isProven);
    if (isLeft || signal.aborted || nowMs() > endMs) return;
    const made = `${runId}-${tried.size + 1}`;
    const own = { referenceId: made, orderNumber: `${made}-O`, consignmentNumber: `${made}-C` };
    const { referenceId, orderNumber, consignmentNumber } = earlier?.consignment ?? own;
    const names = { referenceId, orderNumber, consignmentNumber };
    const action = { carrierCode: carrier.code, typeOfAction: trial.action.toUpperCase() };
    const one = await perform(certifying, trial, trial.change({ ...sample, ...names, ...action }));
    tried.set(name, one);
    if (trial.hasLabels === undefined || !isAccepted(one)) return;
    for (const { held } of entriesOf(one)) {
      const [at, trackingNumber] = [String(held['labelUrl']), held['trackingNumber']];
      const outcome = URL.canParse(at) ? await fetchLabel(certifying, one, at) : undefined;
      if (outcome !== undefined) labels = [...labels, { tried: one, trackingNumber, url: at, outcome }];
    }
  };

  /** A label may come late, and under another URL that a push tells. */
  const askAgain = async (label: LabelSeen): Promise<LabelSeen> => {
    const told = pushedOf(seen()).filter(({ update }) => update.value === label.trackingNumber);
    const at = told.flatMap(({ update }) => update.labelUrl ?? []).at(-1) ?? label.url;
    return { ...label, url: at, outcome: await fetchLabel(certifying, label.tried, at) };
  };

  /** Until no label is missing, and the lifecycle is whole. */
  const waitForRest = async (): Promise<void> => {
    const untilMs = nowMs() + waitMs;
    const isPushing = (): boolean => certifying.pushes !== undefined && seenOf(seen()).size < LIFECYCLE.length;
    if (isPushing()) certifying.onWaiting([...tried.values()].filter(isAccepted).slice(0, 2));
    for (let round = 1; nowMs() < untilMs && !signal.aborted; round += 1) {
      if (!labels.some(isLate) && !isPushing()) return;
      await certifying.sleep(backoffMs({ waitMs: pollMs, maxMs: isPushing() ? pollMs : POLL_MAX_MS }, round, 0));
      labels = await Promise.all(labels.map(async (label) => (isLate(label) ? await askAgain(label) : label)));
    }
  };

  const { complete, mandatory } = sampleConsignments(nowMs(), `PRE${runId}`);
  await tryOne('mandatory', FIRST.mandatory, mandatory);
  await tryOne('complete', FIRST.complete, complete);
  const numberless = ofItems(complete, (item) => withoutFields(item, (name) => name === 'itemTrackingNumber'));
  const plain = isAccepted(tried.get('mandatory')) ? mandatory : numberless;
  if ([...tried.values()].some(isAccepted)) {
    for (const [name, trial] of Object.entries({ ...FURTHER, ...LACKING })) await tryOne(name, trial, plain);
    await waitForRest();
  }
  const statements = judgeAll(seen());
  const isOk = statements.every(({ level, verdict }) => level === 'should' || FINE.has(verdict));
  return { isOk, statements, leftOver: await cancelAll(certifying, seen()) };
};
export type Certified = Awaited<ReturnType<typeof certify>>;

/** Cancels what the run made, but for what is on its way; yields the references that are left at the carrier. */
const cancelAll = async (setting: Setting, evidence: Evidence): Promise<readonly string[]> => {
  const accepted = [...evidence.tried.values()].filter(isAccepted);
  const moved = pushedOf(evidence).map(({ of }) => of);
  const byReference = Map.groupBy(accepted, ({ consignment }) => String(consignment['referenceId']));
  const endMs = setting.nowMs() + CANCELS_MS;
  const left: string[] = [];
  for (const [reference, [one, ...others]] of byReference) {
    if (one === undefined || others.some(({ trial }) => trial.action === 'cancel')) continue;
    const cancel: Trial = { ...one.trial, action: 'cancel', proof: undefined };
    const isKept = moved.includes(one) || setting.nowMs() > endMs;
    const tried = isKept ? undefined : await perform(setting, cancel, { ...one.consignment, typeOfAction: 'CANCEL' });
    if (!isAccepted(tried)) left.push(reference);
  }
  return left;
};

const FINE: ReadonlySet<Judged['verdict'] | undefined> = new Set(['holds', 'left_out'] as const);

const judgeAll = (evidence: Evidence): readonly Judged[] => {
  const judged = new Map<string, Judged>();
  for (const [place, part] of Object.entries({ ...ENDPOINT_PARTS, ...PUSH_PARTS })) {
    const isAsked = evidence.pushes !== undefined || !(place in PUSH_PARTS);
    for (const [id, statement] of Object.entries(part)) {
      const level = statement.isAdvice === true ? 'should' : 'must';
      const missing = statement.needs?.find((needed) => !FINE.has(judged.get(needed)?.verdict));
      const needed = missing === undefined ? undefined : `needs ${missing}`;
      const said = isAsked ? (needed ?? statement.judge(evidence)) : { leftOut: '--no-pushes' };
      judged.set(id, { id, level, place, says: statement.says, ...verdictOf(said) });
    }
  }
  return [...judged.values()];
};

const verdictOf = (said: ReturnType<Statement['judge']>): Pick<Judged, 'verdict' | 'why' | 'offences'> => {
  if (typeof said === 'string') return { verdict: 'not_tried', why: said, offences: [] };
  if ('leftOut' in said) return { verdict: 'left_out', why: said.leftOut, offences: [] };
  return { verdict: said.length > 0 ? 'broken' : 'holds', offences: said };
};
