/** Groups effects by what they mean: the same change of the same thing counts once for each payload it happened to. */
import type { Effect } from './effect.ts';

export interface EffectGroup extends Omit<Effect, 'from' | 'to'> {
  /** How many payloads it happened to, and how many did that deed. */
  readonly payloads: number;
  readonly of: number;
  readonly examples: readonly EffectExample[];
}

interface EffectExample {
  readonly at: string;
  readonly from: unknown;
  readonly to: unknown;
}

export interface Grouping {
  /** One payload, with what was done with it and what changed. */
  add(at: string, deeds: readonly string[], effects: readonly Effect[]): void;
  readonly payloads: number;
  /** Payloads of which something changed. */
  readonly changed: number;
  /** What weighs most first. */
  groups(): readonly EffectGroup[];
}

const EXAMPLES_MAX = 3;
const GROUPS_MAX = 2_000;
const WEIGHT: readonly Effect['kind'][] = [
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
];

/** Of these, what it was and what it became is what changed. */
const BY_VALUE: ReadonlySet<Effect['kind']> = new Set(['outcome', 'status']);

interface Open extends Omit<Effect, 'from' | 'to'> {
  payloads: number;
  readonly examples: EffectExample[];
}

export const startGrouping = (): Grouping => {
  const open = new Map<string, Open>();
  const deedCounts = new Map<string, number>();
  let payloads = 0;
  let changed = 0;
  const groupFor = (effect: Effect): Open | undefined => {
    const { kind, deed, subject, change, from, to } = effect;
    const key = JSON.stringify([
      kind,
      deed,
      subject,
      change,
      ...(BY_VALUE.has(kind) ? [from ?? null, to ?? null] : []),
    ]);
    const known = open.get(key);
    if (known !== undefined || open.size >= GROUPS_MAX) return known;
    const made: Open = { kind, deed, subject, change, payloads: 0, examples: [] };
    open.set(key, made);
    return made;
  };
  return {
    add: (at, deeds, effects) => {
      payloads += 1;
      if (effects.length > 0) changed += 1;
      for (const deed of new Set(deeds)) deedCounts.set(deed, (deedCounts.get(deed) ?? 0) + 1);
      const counted = new Set<Open>();
      for (const effect of effects) {
        const group = groupFor(effect);
        if (group === undefined || counted.has(group)) continue;
        counted.add(group);
        group.payloads += 1;
        if (group.examples.length < EXAMPLES_MAX) group.examples.push({ at, from: effect.from, to: effect.to });
      }
    },
    get payloads() {
      return payloads;
    },
    get changed() {
      return changed;
    },
    groups: () =>
      [...open.values()]
        .map((group) => ({ ...group, of: deedCounts.get(group.deed) ?? group.payloads }))
        .sort((one, other) => weight(one) - weight(other) || other.payloads - one.payloads),
  };
};

const weight = ({ kind }: Pick<Effect, 'kind'>): number => WEIGHT.indexOf(kind);
