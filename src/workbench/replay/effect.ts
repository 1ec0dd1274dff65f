/** What another version of a profile does differently with one payload. */
import { compareValues } from '../cases/compare-values.ts';
import type { Observation, SeenEvent, SeenRequest } from './observation.ts';

type EffectKind =
  | 'outcome'
  | 'status'
  | 'request'
  | 'url'
  | 'header'
  | 'body'
  | 'result'
  | 'label'
  | 'event'
  | 'messages';

export interface Effect {
  readonly kind: EffectKind;
  /** What was done: an operation, `push`, `webhook`. */
  readonly deed: string;
  /** What changed, alike for all entries of a list: `parcels[].weight`, a header's name, a carrier's status. */
  readonly subject: string;
  readonly change: Change;
  /** `undefined`: there is nothing. */
  readonly from: unknown;
  readonly to: unknown;
}

/** In which way a value is another. */
export type Change = 'added' | 'gone' | 'rounded' | 'cut' | 'trimmed' | 'case' | 'type' | 'changed';

export const effectsOf = (from: readonly Observation[], to: readonly Observation[]): readonly Effect[] =>
  Array.from({ length: Math.max(from.length, to.length) }, (_, at) => effectsOfStep(from[at], to[at])).flat();

const effectsOfStep = (from: Observation | undefined, to: Observation | undefined): Effect[] => {
  const deed = (from ?? to)?.deed ?? '';
  if (from === undefined || to === undefined) {
    return [{ kind: 'outcome', deed, subject: 'outcome', ...values(from && outcomeOf(from), to && outcomeOf(to)) }];
  }
  const effect = (kind: EffectKind, subject: string, one: unknown, other: unknown): Effect => ({
    kind,
    deed,
    subject,
    ...values(one, other),
  });
  const effects: Effect[] = [];
  const isOther = outcomeOf(from) !== outcomeOf(to);
  if (isOther) effects.push(effect('outcome', 'outcome', outcomeOf(from), outcomeOf(to)));
  else effects.push(...differing('messages', deed, from.messages, to.messages));
  effects.push(...requestEffects(deed, from.requests, to.requests));
  // What a request that came to another end yields says nothing of its own.
  if (!isOther) effects.push(...differing('result', deed, from.result, to.result), ...labelEffects(deed, from, to));
  effects.push(...eventEffects(deed, from.events, to.events));
  if (from.status !== to.status) effects.push(effect('status', 'the consignment', from.status, to.status));
  return effects;
};

const outcomeOf = ({ outcome, code }: Observation): string => (code === undefined ? outcome : `${outcome}: ${code}`);

const values = (from: unknown, to: unknown): Pick<Effect, 'change' | 'from' | 'to'> => ({
  change: changeOf(from, to),
  from,
  to,
});

/** Each place where two values differ. */
const differing = (kind: EffectKind, deed: string, from: unknown, to: unknown): Effect[] =>
  compareValues(from, to).map(({ path, expected, actual }) => ({
    kind,
    deed,
    subject: path.replaceAll(/\[\d+\]/g, '[]'),
    ...values(expected, actual),
  }));

// Requests -----------------------------------------------------------------------------------------------------------

const requestEffects = (deed: string, from: readonly SeenRequest[], to: readonly SeenRequest[]): Effect[] => {
  const { pairs, gone, added } = paired(from, to);
  return [
    ...pairs.flatMap(([one, other]) => pairEffects(deed, one, other)),
    ...gone.map((one): Effect => ({ kind: 'request', deed, subject: pathOf(one), ...values(whole(one), undefined) })),
    ...added.map((one): Effect => ({ kind: 'request', deed, subject: pathOf(one), ...values(undefined, whole(one)) })),
  ];
};

interface Paired {
  readonly pairs: readonly (readonly [SeenRequest, SeenRequest])[];
  readonly gone: readonly SeenRequest[];
  readonly added: readonly SeenRequest[];
}

/** The same method and path first; then, in their order, what is left of each method. */
const paired = (from: readonly SeenRequest[], to: readonly SeenRequest[]): Paired => {
  const left = [...to];
  const pairs: [SeenRequest, SeenRequest][] = [];
  const pairBy = (requests: readonly SeenRequest[], isPair: (one: SeenRequest, other: SeenRequest) => boolean) =>
    requests.filter((one) => {
      const at = left.findIndex((other) => isPair(one, other));
      const [other] = at === -1 ? [] : left.splice(at, 1);
      if (other !== undefined) pairs.push([one, other]);
      return other === undefined;
    });
  const unlike = pairBy(from, (one, other) => one.method === other.method && pathOf(one) === pathOf(other));
  const gone = pairBy(unlike, (one, other) => one.method === other.method);
  return { pairs, gone, added: left };
};

const whole = ({ method, url }: SeenRequest): string => `${method} ${url}`;

const pathOf = ({ url }: SeenRequest): string => URL.parse(url)?.pathname ?? url;

/** Its length follows the body, and says no more. */
const SILENT_HEADERS: ReadonlySet<string> = new Set(['content-length']);

const pairEffects = (deed: string, from: SeenRequest, to: SeenRequest): Effect[] => {
  const names = new Set([...Object.keys(from.headers), ...Object.keys(to.headers)]);
  const headers = [...names].flatMap((name): Effect[] => {
    const [one, other] = [from.headers[name], to.headers[name]];
    if (one === other || SILENT_HEADERS.has(name)) return [];
    return [{ kind: 'header', deed, subject: name, ...values(one, other) }];
  });
  const url: Effect[] = from.url === to.url ? [] : [{ kind: 'url', deed, subject: 'URL', ...values(from.url, to.url) }];
  return [...url, ...headers, ...differing('body', deed, from.body, to.body)];
};

// Labels and events --------------------------------------------------------------------------------------------------

const labelEffects = (deed: string, from: Observation, to: Observation): Effect[] => {
  const [one, other] = [from.labels ?? {}, to.labels ?? {}];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => one[name] !== other[name]);
  return names.map((name) => ({ kind: 'label', deed, subject: 'label', ...values(one[name], other[name]) }));
};

const statusOf = (event: SeenEvent | undefined): string | undefined =>
  event === undefined ? undefined : event.reason === undefined ? event.status : `${event.status} (${event.reason})`;

const eventEffects = (deed: string, from: readonly SeenEvent[], to: readonly SeenEvent[]): Effect[] =>
  Array.from({ length: Math.max(from.length, to.length) }, (_, at) => {
    const [one, other] = [from[at], to[at]];
    if (one === undefined || other === undefined) {
      const named = (one ?? other)?.carrierStatus ?? '';
      return [{ kind: 'event' as const, deed, subject: named, ...values(statusOf(one), statusOf(other)) }];
    }
    const effects = differing('event', deed, factsOf(one), factsOf(other));
    if (statusOf(one) === statusOf(other)) return effects;
    const subject = one.carrierStatus;
    return [{ kind: 'status' as const, deed, subject, ...values(statusOf(one), statusOf(other)) }, ...effects];
  }).flat();

const factsOf = ({ occurredAt, update, warnings }: SeenEvent): unknown => ({ ...update, occurredAt, warnings });

// In which way -------------------------------------------------------------------------------------------------------

const changeOf = (from: unknown, to: unknown): Change => {
  if (from === undefined) return 'added';
  if (to === undefined) return 'gone';
  if (isRounded(from, to)) return 'rounded';
  if (typeof from !== typeof to)
    return isScalar(from) && isScalar(to) && String(from) === String(to) ? 'type' : 'changed';
  if (typeof from !== 'string' || typeof to !== 'string') return 'changed';
  if (from.trim() === to.trim()) return 'trimmed';
  if (from.toLowerCase() === to.toLowerCase()) return 'case';
  return to !== '' && from.startsWith(to) ? 'cut' : 'changed';
};

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

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
