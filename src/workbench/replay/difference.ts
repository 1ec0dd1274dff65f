/** What another version of a profile does differently: with one payload, and with many, grouped by what it means. */
import { isScalar } from '../../engine/value.ts';
import { compareValues } from '../cases/compare-values.ts';
import type { Observation, SeenEvent, SeenRequest } from './observation.ts';

/** Those that weigh most first. */
const DIFFERENCE_KINDS = [
  'outcome',
  'status',
  'label',
  'request',
  'url',
  'header',
  'body',
  'result',
  'event',
  'messages',
] as const;
type Kind = (typeof DIFFERENCE_KINDS)[number];

export interface Difference {
  readonly kind: Kind;
  /** What was done: an operation, `push`, `webhook`. */
  readonly action: string;
  /** What changed, alike for all entries of a list: `parcels[].weight`, a header's name, a carrier's status. */
  readonly subject: string;
  readonly change: Change;
  /** `undefined`: there is nothing. */
  readonly from: unknown;
  readonly to: unknown;
}

/** In which way a value is another. */
export type Change = 'added' | 'gone' | 'rounded' | 'cut' | 'trimmed' | 'case' | 'type' | 'changed';

export const differencesOf = (from: readonly Observation[], to: readonly Observation[]): readonly Difference[] =>
  Array.from({ length: Math.max(from.length, to.length) }, (_, at) => {
    const action = (from[at] ?? to[at])?.action ?? '';
    return ofStep(from[at], to[at]).map((one) => ({ ...one, action, change: changeOf(one.from, one.to) }));
  }).flat();

type Found = Omit<Difference, 'action' | 'change'>;

const difference = (kind: Kind, subject: string, from: unknown, to: unknown): Found => ({ kind, subject, from, to });

const ofStep = (from: Observation | undefined, to: Observation | undefined): readonly Found[] => {
  const [one, other] = [from && outcomeOf(from), to && outcomeOf(to)];
  const outcome = one === other ? [] : [difference('outcome', 'outcome', one, other)];
  if (from === undefined || to === undefined) return outcome;
  const status = from.status === to.status ? [] : [difference('status', 'the consignment', from.status, to.status)];
  const isSame = outcome.length === 0;
  return [
    ...outcome,
    ...(isSame ? differing('messages', from.messages, to.messages) : []),
    ...ofRequests(from.requests, to.requests),
    // What comes of a request that came to another end says nothing of its own.
    ...(isSame ? [...differing('result', from.result, to.result), ...ofLabels(from, to)] : []),
    ...ofEvents(from.events, to.events),
    ...status,
  ];
};

const outcomeOf = ({ outcome, code }: Observation): string => (code === undefined ? outcome : `${outcome}: ${code}`);

const differing = (kind: Kind, from: unknown, to: unknown): readonly Found[] =>
  compareValues(from, to).map(({ path, expected, seen }) =>
    difference(kind, path.replaceAll(/\[\d+\]/g, '[]'), expected, seen),
  );

const namesDiffering = (
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
): readonly string[] =>
  [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((name) => from[name] !== to[name]);

// Requests -----------------------------------------------------------------------------------------------------------

/** Paired by method and path first; then, in their order, what is left of each method. */
const ofRequests = (from: readonly SeenRequest[], to: readonly SeenRequest[]): readonly Found[] => {
  const added = [...to];
  const found: Found[] = [];
  const pairBy = (requests: readonly SeenRequest[], isPair: (one: SeenRequest, other: SeenRequest) => boolean) =>
    requests.filter((one) => {
      const at = added.findIndex((other) => isPair(one, other));
      const [other] = at === -1 ? [] : added.splice(at, 1);
      if (other !== undefined) found.push(...ofPair(one, other));
      return other === undefined;
    });
  const unlike = pairBy(from, (one, other) => one.method === other.method && pathOf(one) === pathOf(other));
  const gone = pairBy(unlike, (one, other) => one.method === other.method);
  return [
    ...found,
    ...gone.map((one) => difference('request', pathOf(one), `${one.method} ${one.url}`, undefined)),
    ...added.map((one) => difference('request', pathOf(one), undefined, `${one.method} ${one.url}`)),
  ];
};

const pathOf = ({ url }: SeenRequest): string => URL.parse(url)?.pathname ?? url;

/** Its length follows the body, and says no more. */
const SILENT_HEADERS: ReadonlySet<string> = new Set(['content-length']);

const ofPair = (from: SeenRequest, to: SeenRequest): readonly Found[] => [
  ...(from.url === to.url ? [] : [difference('url', 'URL', from.url, to.url)]),
  ...namesDiffering(from.headers, to.headers)
    .filter((name) => !SILENT_HEADERS.has(name))
    .map((name) => difference('header', name, from.headers[name], to.headers[name])),
  ...differing('body', from.body, to.body),
];

// Labels and events --------------------------------------------------------------------------------------------------

const ofLabels = ({ labels: from = {} }: Observation, { labels: to = {} }: Observation): readonly Found[] =>
  namesDiffering(from, to).map((name) => difference('label', 'label', from[name], to[name]));

const statusOf = (event: SeenEvent | undefined): string | undefined =>
  event === undefined ? undefined : event.reason === undefined ? event.status : `${event.status} (${event.reason})`;

const ofEvents = (from: readonly SeenEvent[], to: readonly SeenEvent[]): readonly Found[] =>
  Array.from({ length: Math.max(from.length, to.length) }, (_, at) => {
    const [one, other] = [from[at], to[at]];
    const subject = (one ?? other)?.carrierStatus ?? '';
    const [status, otherStatus] = [statusOf(one), statusOf(other)];
    if (one === undefined || other === undefined) return [difference('event', subject, status, otherStatus)];
    return [
      ...(status === otherStatus ? [] : [difference('status', subject, status, otherStatus)]),
      ...differing('event', factsOf(one), factsOf(other)),
    ];
  }).flat();

const factsOf = ({ occurredAt, update, warnings }: SeenEvent): unknown => ({ ...update, occurredAt, warnings });

// Values -------------------------------------------------------------------------------------------------------------

const changeOf = (from: unknown, to: unknown): Change => {
  if (from === undefined) return 'added';
  if (to === undefined) return 'gone';
  if (isRounded(from, to)) return 'rounded';
  if (typeof from !== typeof to) {
    return isScalar(from) && isScalar(to) && String(from) === String(to) ? 'type' : 'changed';
  }
  if (typeof from !== 'string' || typeof to !== 'string') return 'changed';
  if (from.trim() === to.trim()) return 'trimmed';
  if (from.toLowerCase() === to.toLowerCase()) return 'case';
  return to !== '' && from.startsWith(to) ? 'cut' : 'changed';
};

const DIGITS_MAX = 6;

const isRounded = (from: unknown, to: unknown): boolean => {
  const [one, other] = [numberOf(from), numberOf(to)];
  if (one === undefined || other === undefined || one === other) return false;
  return Array.from({ length: DIGITS_MAX + 1 }, (_, digits) => 10 ** digits).some((scale) =>
    [Math.round, Math.ceil, Math.floor].some((round) => round(exact(one * scale)) / scale === other),
  );
};

/** Without the last digits, which are noise: 1.005 × 100 is 100.49999999999999. */
const exact = (value: number): number => Number(value.toPrecision(12));

const numberOf = (value: unknown): number | undefined => {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value));
  return isNumber ? Number(value) : undefined;
};

// Groups --------------------------------------------------------------------------------------------------------------

/** Without what it was and became: the same change of the same thing counts once for each payload it happened to. */
type Meaning = Omit<Difference, 'from' | 'to'>;

export type Grouping = ReturnType<typeof startGrouping>;
export type DifferenceGroup = ReturnType<Grouping['groups']>[number];

interface Example {
  readonly at: string;
  readonly from: unknown;
  readonly to: unknown;
}

const EXAMPLES_MAX = 3;
const GROUPS_MAX = 2_000;

/** Of these, what it was and what it became is what changed. */
const BY_VALUE: ReadonlySet<Difference['kind']> = new Set(['outcome', 'status']);

const keyOf = ({ kind, action, subject, change, from, to }: Difference): string =>
  JSON.stringify([kind, action, subject, change, ...(BY_VALUE.has(kind) ? [from ?? null, to ?? null] : [])]);

export const startGrouping = () => {
  const open = new Map<string, Meaning & { payloads: number; examples: readonly Example[] }>();
  const byAction = new Map<string, number>();
  let payloads = 0;
  let changed = 0;
  return {
    add: (at: string, actions: readonly string[], differences: readonly Difference[]): void => {
      payloads += 1;
      if (differences.length > 0) changed += 1;
      for (const action of new Set(actions)) byAction.set(action, (byAction.get(action) ?? 0) + 1);
      const first = new Map(differences.toReversed().map((one) => [keyOf(one), one]));
      for (const [key, { from, to, ...meaning }] of [...first].toReversed()) {
        const group = open.get(key) ?? { ...meaning, payloads: 0, examples: [] };
        if (open.size >= GROUPS_MAX && !open.has(key)) continue;
        open.set(key, group);
        group.payloads += 1;
        if (group.examples.length < EXAMPLES_MAX) group.examples = [...group.examples, { at, from, to }];
      }
    },
    get payloads(): number {
      return payloads;
    },
    /** Payloads of which something changed. */
    get changed(): number {
      return changed;
    },
    /** What weighs most first. */
    groups: () =>
      [...open.values()]
        // How many payloads it happened to, and how many did that action.
        .map((group) => ({ ...group, of: byAction.get(group.action) ?? group.payloads }))
        .sort((one, other) => weight(one) - weight(other) || other.payloads - one.payloads),
  };
};

const weight = ({ kind }: Meaning): number => DIFFERENCE_KINDS.indexOf(kind);
