/** What another version of a policy, or of the carriers and tariffs behind it, does with orders: whom they go to, in money and days. */
import type { Choice, Considered } from '../../engine/policy/choice.ts';
import { choose } from '../../engine/policy/choose.ts';
import { startOf } from '../../engine/policy/rank.ts';
import { roundAmount } from '../../engine/rates/offer.ts';
import type { OpenedPolicy } from './open.ts';
import type { WishedOrder } from './order.ts';

/** Orders that go from one to another; null: nobody takes them. */
export interface Move {
  readonly from: string | null;
  readonly to: string | null;
  readonly orders: number;
  /** What it costs more (less: below 0), by currency, of those with a price in both. */
  readonly money: Readonly<Record<string, number>>;
  /** How many days later it is delivered on average (earlier: below 0), of those with days in both; null: none has. */
  readonly days: number | null;
  readonly examples: readonly string[];
}

/** Of all orders: what they cost, by currency, of those with a price in both; and how many have none. */
export interface PolicyDifference {
  readonly orders: number;
  readonly moved: number;
  readonly money: Readonly<Record<string, { readonly from: number; readonly to: number }>>;
  readonly unpriced: number;
  readonly days: number | null;
  /** How many orders each carrier gets. */
  readonly carriers: Readonly<Record<string, { readonly from: number; readonly to: number }>>;
  /** The most frequent first. */
  readonly moves: readonly Move[];
}

const EXAMPLES_MAX = 3;
const NOBODY = '';

const periodOf = (code: string, sinceMs: number): string => `${code} ${sinceMs}`;

/** Chooses as the version would have: guaranteed minimums see what it has chosen so far. */
export const choosingBy = ({ policy, carriers }: OpenedPolicy) => {
  const candidates = carriers.map((carrier) => ({ carrier, hasAccount: true, openBreaker: false }));
  const got = new Map<string, number>();
  const hasMinimums = policy.rules.some((rule) => rule.carriers?.some(({ minimum }) => minimum !== undefined));
  const volume = (code: string, sinceMs: number): number => got.get(periodOf(code, sinceMs)) ?? 0;
  return async ({ consignment, serviceType, labelFormat }: WishedOrder, nowMs: number): Promise<Choice> => {
    const choice = await choose(policy, consignment, candidates, { nowMs, serviceType, labelFormat, volume });
    const [taken] = choice.considered;
    if (hasMinimums && taken?.rank === 1)
      for (const per of ['day', 'week', 'month'] as const) {
        const key = periodOf(taken.carrier, startOf(per, nowMs, policy.timeZone));
        got.set(key, (got.get(key) ?? 0) + 1);
      }
    return choice;
  };
};

interface Tally {
  orders: number;
  readonly money: Map<string, { from: number; to: number }>;
  days: number;
  withDays: number;
  readonly examples: string[];
}

const newTally = (): Tally => ({ orders: 0, money: new Map(), days: 0, withDays: 0, examples: [] });

export const startComparing = () => {
  const all = newTally();
  const moves = new Map<string, { readonly from: string; readonly to: string; readonly tally: Tally }>();
  const carriers = new Map<string, { from: number; to: number }>();
  let [moved, unpriced] = [0, 0];
  const add = (before: Choice, after: Choice, at: string): void => {
    const [one, other] = [takenBy(before), takenBy(after)];
    for (const [end, taken] of [
      ['from', one],
      ['to', other],
    ] as const) {
      if (taken === undefined) continue;
      const counts = carriers.get(taken.carrier) ?? { from: 0, to: 0 };
      counts[end] += 1;
      carriers.set(taken.carrier, counts);
    }
    if (!note(all, one, other)) unpriced += 1;
    const [from, to] = [nameOf(one), nameOf(other)];
    if (from === to) return;
    moved += 1;
    const key = JSON.stringify([from, to]);
    const { tally } = moves.get(key) ?? { tally: newTally() };
    moves.set(key, { from, to, tally });
    note(tally, one, other);
    if (tally.examples.length < EXAMPLES_MAX) tally.examples.push(at);
  };
  const difference = (): PolicyDifference => ({
    orders: all.orders,
    moved,
    money: Object.fromEntries(
      [...all.money].map(([currency, { from, to }]) => [
        currency,
        { from: roundAmount(from, currency), to: roundAmount(to, currency) },
      ]),
    ),
    unpriced,
    days: averageOf(all),
    carriers: Object.fromEntries([...carriers].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    moves: [...moves.values()]
      .toSorted((a, b) => b.tally.orders - a.tally.orders)
      .map(({ from, to, tally }) => ({
        from: from === NOBODY ? null : from,
        to: to === NOBODY ? null : to,
        orders: tally.orders,
        money: Object.fromEntries(
          [...tally.money].map(([currency, sum]) => [currency, roundAmount(sum.to - sum.from, currency)]),
        ),
        days: averageOf(tally),
        examples: tally.examples,
      })),
  });
  return { add, difference };
};

const takenBy = ({ considered: [first] }: Choice): Considered | undefined => (first?.rank === 1 ? first : undefined);

const nameOf = (taken: Considered | undefined): string =>
  taken === undefined ? NOBODY : `${taken.carrier}/${taken.service}`;

const averageOf = ({ days, withDays }: Tally): number | null =>
  withDays === 0 ? null : Math.round((days / withDays) * 100) / 100;

/** False where one of them has no price, or they are in two currencies. */
const note = (tally: Tally, one: Considered | undefined, other: Considered | undefined): boolean => {
  tally.orders += 1;
  if (one?.days !== undefined && other?.days !== undefined) {
    tally.days += other.days - one.days;
    tally.withDays += 1;
  }
  if (one?.offer === undefined || one.offer.currency !== other?.offer?.currency) return false;
  const { currency } = one.offer;
  const sum = tally.money.get(currency) ?? { from: 0, to: 0 };
  sum.from += one.offer.total;
  sum.to += other.offer.total;
  tally.money.set(currency, sum);
  return true;
};
