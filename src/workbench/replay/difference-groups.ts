/** Groups differences by what they mean: the same change of the same thing counts once for each payload it happened to. */
import { type Difference, DIFFERENCE_KINDS } from './difference.ts';

type Meaning = Omit<Difference, 'from' | 'to'>;

export interface DifferenceGroup extends Meaning {
  /** How many payloads it happened to, and how many did that action. */
  readonly payloads: number;
  readonly of: number;
  readonly examples: readonly { readonly at: string; readonly from: unknown; readonly to: unknown }[];
}

export interface Grouping {
  /** One payload, with what was done with it and what changed. */
  add(at: string, actions: readonly string[], differences: readonly Difference[]): void;
  readonly payloads: number;
  /** Payloads of which something changed. */
  readonly changed: number;
  /** What weighs most first. */
  groups(): readonly DifferenceGroup[];
}

const EXAMPLES_MAX = 3;
const GROUPS_MAX = 2_000;

/** Of these, what it was and what it became is what changed. */
const BY_VALUE: ReadonlySet<Difference['kind']> = new Set(['outcome', 'status']);

const keyOf = ({ kind, action, subject, change, from, to }: Difference): string =>
  JSON.stringify([kind, action, subject, change, ...(BY_VALUE.has(kind) ? [from ?? null, to ?? null] : [])]);

export const startGrouping = (): Grouping => {
  const open = new Map<string, Meaning & { payloads: number; examples: DifferenceGroup['examples'] }>();
  const byAction = new Map<string, number>();
  let payloads = 0;
  let changed = 0;
  return {
    add: (at, actions, differences) => {
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
    get payloads() {
      return payloads;
    },
    get changed() {
      return changed;
    },
    groups: () =>
      [...open.values()]
        .map((group) => ({ ...group, of: byAction.get(group.action) ?? group.payloads }))
        .sort((one, other) => weight(one) - weight(other) || other.payloads - one.payloads),
  };
};

const weight = ({ kind }: Meaning): number => DIFFERENCE_KINDS.indexOf(kind);
