/** Puts what was evaluated beside what was sent and answered, and what was made of it. */
import { isTrue } from '../../engine/dispatch/classify.ts';
import type { Account, Exchange, RunOutcome } from '../../engine/dispatch/ports.ts';
import type { Carrier, Step } from '../../engine/profile/carrier.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import { isMap, valueAt, type ValuePath } from '../../engine/value.ts';
import { type ExplainedValue, type Explainer, type Slot, valueExplainer } from './explain-values.ts';
import { type ExplainedEvent, type ExplainedRule, explainEvent, resultsOf, rulesOf } from './explain-answer.ts';
import type { ExplainedPrices } from './explain-prices.ts';
import { isIn, isSame, type Note, type Watch } from './watch.ts';

export interface Explanation {
  readonly carrier: string;
  /** The case that is explained, or the recorded dispatch. */
  readonly case?: string;
  readonly dispatch?: {
    readonly id: number;
    readonly operation: string;
    readonly state: string;
    readonly profileHash: string;
  };
  /** What keeps the explanation from being the whole truth. */
  readonly notes?: readonly string[];
  /** Requests in their order, those among them that were not sent. */
  readonly exchanges: readonly ExplainedExchange[];
  /** What the profile made of the answers: results, and updates of statuses. */
  readonly results: readonly ExplainedValue[];
  readonly events: readonly ExplainedEvent[];
  /** Of a tariff. */
  readonly prices?: ExplainedPrices;
  /** How operations ended that did not succeed. */
  readonly ended: readonly ExplainedEnd[];
}

export interface ExplainedExchange {
  readonly operation: string;
  readonly step: string;
  readonly method?: string;
  readonly url?: string;
  readonly status?: number | undefined;
  /** `not_sent` and `skipped`, too. */
  readonly outcome: string;
  readonly message?: string | undefined;
  readonly values: readonly ExplainedValue[];
  /** Down to the one that matched; where none did, a built-in one decided. */
  readonly rules: readonly ExplainedRule[];
}

export interface ExplainedEnd extends Partial<ReturnType<Explainer['explainEnd']>> {
  readonly operation: string;
  readonly outcome: string;
  readonly code: string;
  readonly messages: readonly string[];
}

interface Sent {
  readonly step: ValuePath;
  /** How many notes there had been when the step was sent last, and when this left. */
  readonly from: number;
  readonly to: number;
  readonly request: { readonly method: string; readonly url: string };
  exchange: Exchange | undefined;
}

/** What an operation came to, if it ended by itself, and which notes are of it. */
interface End {
  readonly operation: string;
  readonly outcome: RunOutcome | undefined;
  readonly from: number;
  readonly to: number;
}

const isSent = (sent: readonly Sent[], { where }: Note, at: number): boolean =>
  sent.some(({ step, from, to }) => isIn(step, where) && at >= from && at < to);

/** What a run has to tell while it is played; `explain` when it is over. */
export const recordRun = ({ notes }: Watch) => {
  const sent: Sent[] = [];
  const events: NormalisedEvent[] = [];
  const ends: End[] = [];
  let endedAt = 0;
  /** A request is built, then sent; a login comes between. */
  const nextOf = (): ValuePath => {
    const last = notes.findLast((note, at) => at >= endedAt && isUrl(note.where) && !isSent(sent, note, at));
    return last?.where.slice(0, -1) ?? [];
  };
  return {
    /** To be told of each request before it is answered. */
    onSend: (request: Sent['request']): void => {
      const step = nextOf();
      const from = sent.findLast((one) => isSame(one.step, step))?.to ?? 0;
      sent.push({ step, from: Math.max(from, endedAt), to: notes.length, request, exchange: undefined });
    },
    onExchange: (exchange: Exchange): void => {
      const last = sent.at(-1);
      if (last !== undefined) last.exchange = exchange;
    },
    /** To be told of the end of each operation or of a carrier's call. */
    onEnd: (operation: string, outcome: RunOutcome | undefined, made: readonly NormalisedEvent[]): void => {
      events.push(...made);
      ends.push({ operation, outcome, from: endedAt, to: notes.length });
      endedAt = notes.length;
    },
    explain: (carrier: Carrier, account: Account) =>
      explainRecorded(carrier, valueExplainer(carrier, account), { notes, sent, events, ends }),
  };
};

interface Recorded {
  readonly notes: readonly Note[];
  readonly sent: readonly Sent[];
  readonly events: readonly NormalisedEvent[];
  readonly ends: readonly End[];
}

const explainRecorded = (
  carrier: Carrier,
  explainer: Explainer,
  { notes, sent, events, ends }: Recorded,
): Pick<Explanation, 'exchanges' | 'results' | 'events' | 'ended'> => {
  const told = new Set<Note>();
  const valuesIn = (step: ValuePath, from: number, to: number): readonly ExplainedValue[] => {
    const last = new Map<string, readonly [Note, Slot]>();
    for (const note of notes.slice(from, to)) {
      const slot = told.has(note) || !isIn(step, note.where) ? undefined : slotOf(carrier, step, note.where);
      if (slot !== undefined) last.set(note.where.join('.'), [note, slot]);
    }
    for (const [note] of last.values()) told.add(note);
    const rank = ([{ where }]: readonly [Note, Slot]): number => ORDER.indexOf(String(where[step.length] ?? ''));
    return [...last.values()]
      .sort((a, b) => rank(a) - rank(b))
      .flatMap(([note, slot]) => explainer.explain(note, slot));
  };
  const logins = sent.filter(({ step }) => step.includes('auth'));
  // What belongs to a login is told there.
  const loginValues = new Map(logins.map((one) => [one, valuesIn(one.step, one.from, one.to)]));
  const exchanges = sent.flatMap((one) => {
    const { step, from, to, exchange, request } = one;
    if (step.length === 0) return [];
    const values = loginValues.get(one) ?? valuesIn(step, from, to);
    const next = sent.find((other) => other.to > to && isSame(other.step, step))?.to ?? notes.length;
    const rules = rulesOf(stepAt(carrier, step)?.outcomes ?? [], exchange?.status, notes.slice(to, next), step);
    const { method, url } = exchange ?? { ...request, url: String(explainer.shown(request.url)) };
    const { status, outcome = 'not_recorded', message } = exchange ?? {};
    const named = { ...nameOf(carrier, step), ...(exchange && { operation: exchange.operation, step: exchange.step }) };
    return [[to, { ...named, method, url, status, outcome, message, values, rules }] as const];
  });
  return {
    exchanges: [...exchanges, ...unsentOf(carrier, explainer, { notes, sent, ends }, valuesIn)]
      .sort(([a], [b]) => a - b)
      .map(([, exchange]) => exchange),
    results: resultsOf(notes, explainer),
    events: events.map(explainEvent),
    ended: ends.flatMap((end) => endedOf(carrier, explainer, notes, end)),
  };
};

// Where notes stand -------------------------------------------------------------------------------------------------

const isUrl = (where: ValuePath): boolean =>
  (where.at(-1) === 'url' && where[0] !== 'statuses') || (where.at(-1) === 'tokenUrl' && where.includes('auth'));

const stepAt = (carrier: Carrier, path: ValuePath): Step | undefined => {
  const found = valueAt(carrier, ...path.map(String));
  return isMap(found) && 'outcomes' in found ? (found as unknown as Step) : undefined;
};

const nameOf = (carrier: Carrier, path: ValuePath): { readonly operation: string; readonly step: string } => ({
  operation: path.includes('auth') ? 'login' : String(path[1]),
  step: stepAt(carrier, path)?.id ?? stepAt(carrier, [...path, 'operation', 'steps', 0])?.id ?? 'token',
});

const ORDER = ['url', 'query', 'headers', 'header', 'action', 'body', 'auth'];

/** What of a step is part of its request. */
const slotOf = (carrier: Carrier, step: ValuePath, where: ValuePath): Slot | undefined => {
  const [key, ...rest] = where.slice(step.length);
  const found = stepAt(carrier, step);
  // The token request of OAuth 2.0 is no step of the profile.
  if (found === undefined) return { label: [key ?? '', ...rest], nulls: 'left out' };
  const nulls = found.body?.codec === 'json' ? 'sent' : 'left out';
  if (key === 'body') return { label: [rest[0] === 'content' ? 'body' : (rest[0] ?? 'body'), ...rest.slice(1)], nulls };
  if (key === 'url' || key === 'query' || key === 'headers') return { label: [key, ...rest], nulls: 'left out' };
  // Of an auth: without its number, and without what belongs to a login of its own.
  const own = rest.slice(1);
  return key === 'auth' && own[0] !== 'login' ? { label: ['auth', ...own], nulls } : undefined;
};

// What was not sent -------------------------------------------------------------------------------------------------

/** Where it stands among the notes. */
type Placed = readonly [at: number, exchange: ExplainedExchange];

/** Requests that were begun and did not leave, and steps whose condition did not hold. */
const unsentOf = (
  carrier: Carrier,
  explainer: Explainer,
  { notes, sent, ends }: Pick<Recorded, 'notes' | 'sent' | 'ends'>,
  valuesIn: (step: ValuePath, from: number, to: number) => readonly ExplainedValue[],
): readonly Placed[] =>
  ends.flatMap(({ from: begun, to }) => {
    const lastSent = (step: ValuePath): number =>
      Math.max(begun, ...sent.filter((one) => isSame(one.step, step) && one.to <= to).map((one) => one.to));
    const seen = new Map<string, { readonly step: ValuePath; readonly at: number }>();
    const skipped: Placed[] = [];
    for (const [at, note] of notes.entries()) {
      const { where, value, thrown, mapping } = note;
      if (at < begun || at >= to) continue;
      const step = where.slice(0, -1);
      if (isUrl(where) && at >= lastSent(step)) seen.set(step.join('.'), { step, at });
      if (where.at(-1) !== 'when' || where.includes('outcomes') || thrown !== undefined || isTrue(value)) continue;
      const message = `${mapping.text.trim()} does not hold`;
      const values = explainer.explain(note, { label: ['when'], nulls: 'sent' });
      skipped.push([at, { ...nameOf(carrier, step), outcome: 'skipped', message, values, rules: [] }]);
    }
    const unsent = [...seen.values()].map(({ step, at }): Placed => {
      const values = valuesIn(step, lastSent(step), to);
      return [at, { ...nameOf(carrier, step), outcome: 'not_sent', values, rules: [] }];
    });
    return [...skipped, ...unsent];
  });

const endedOf = (
  carrier: Carrier,
  explainer: Explainer,
  notes: readonly Note[],
  { operation, outcome, from, to }: End,
): readonly ExplainedEnd[] => {
  if (outcome === undefined || outcome.kind === 'done') return [];
  const { code, messages, place } = outcome.problem;
  const said = { operation, outcome: outcome.kind === 'held' ? outcome.why : outcome.kind, code, messages };
  const broken = notes.slice(from, to).findLast(({ thrown }) => thrown !== undefined);
  if (broken === undefined) return [{ ...said, ...place }];
  const { where } = broken;
  const step = where.slice(0, Math.max(0, where.findLastIndex((part) => typeof part === 'number') + 1));
  const slot = slotOf(carrier, step, where);
  return [{ ...said, ...explainer.explainEnd(broken, slot?.label ?? where.slice(1)) }];
};
