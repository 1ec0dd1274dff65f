import type { Consignment } from '../consignment/consignment.ts';
import { sha256 } from '../digest.ts';
import { zonedAt } from '../time-zone.ts';
import type { ChoiceContext, Considered, Eligible, Excluded } from './choice.ts';
import { type Policy, type PolicyRule, PRICE_ALONE } from './policy.ts';

/** One that is to be ranked, by numbers of which less is better; undefined: nobody knows, which comes last. */
interface Runner extends Eligible {
  readonly price: number | undefined;
  readonly days: number | undefined;
}

/** Those that may be taken, in their order. */
export const rankEligible = async (
  eligible: readonly Eligible[],
  rule: PolicyRule,
  policy: Policy,
  consignment: Consignment,
  context: ChoiceContext,
): Promise<readonly Considered[]> => {
  const { rank } = rule;
  const runners = inOneCurrency(eligible, policy).map((one) => ({ ...one, days: daysOf(one, consignment) }));
  const scores = rank === 'best' ? scoresOf(runners, rule.weights) : undefined;
  const keys = (one: Runner): readonly (number | undefined)[] => {
    switch (rank) {
      case 'first':
        return [];
      case 'cheapest':
        return [one.price, one.days];
      case 'fastest':
        return [one.days, one.price];
      case 'best':
        return [-(scores?.get(one) ?? 0)];
      case 'shares':
        return [lotOf(one, policy.name, consignment.referenceId)];
    }
  };
  const owed = await owedOf(runners, policy.timeZone, context);
  const sorted = runners
    .map((one) => ({ one, keys: [owed.has(one.entry) ? 0 : 1, ...keys(one), one.at] }))
    .toSorted((a, b) => compare(a.keys, b.keys));
  return sorted.map(({ one }, at): Considered => {
    const { carrier, service, offer, days, unpriced } = one;
    const score = scores?.get(one);
    return {
      carrier: carrier.code,
      service: service.name,
      rank: at + 1,
      ...(score === undefined ? {} : { score }),
      ...(offer && { offer }),
      ...(days !== undefined && { days: Math.round(days * 100) / 100 }),
      ...(unpriced && { unpriced }),
    };
  });
};

const compare = (one: readonly (number | undefined)[], other: readonly (number | undefined)[]): number => {
  const at = one.findIndex((key, index) => key !== other[index]);
  return at === -1 ? 0 : (one[at] ?? Infinity) - (other[at] ?? Infinity);
};

/** Prices in the policy's currency. */
const inOneCurrency = (eligible: readonly Eligible[], { currency: said, exchange = {} }: Policy) => {
  const currency = said ?? eligible.find(({ offer }) => offer !== undefined)?.offer?.currency;
  return eligible.map((one) => {
    const { offer } = one;
    if (offer === undefined) return { ...one, price: undefined };
    const worth = offer.currency === currency ? 1 : exchange[offer.currency];
    const unpriced: Excluded = { code: 'currency', reason: `${offer.currency} cannot be compared with ${currency}` };
    return worth === undefined ? { ...one, price: undefined, unpriced } : { ...one, price: offer.total * worth };
  });
};

const DAY_MS = 86_400_000;

const daysOf = ({ offer }: Eligible, { shippingDateTime }: Consignment): number | undefined => {
  if (offer?.deliveryTo === undefined) return offer?.transitDays;
  return (localMs(offer.deliveryTo) - localMs(shippingDateTime)) / DAY_MS;
};

const localMs = (local: string): number => Date.parse(`${local.replace(' ', 'T')}Z`);

/** From 0 to 100: each figure counts by where it lies between the best and the worst. */
const scoresOf = (runners: readonly Runner[], weights: PolicyRule['weights']): ReadonlyMap<Runner, number> => {
  const { price, days, emissions, quality } = weights ?? PRICE_ALONE;
  const figures = [
    { weight: price, of: (one: Runner) => one.price },
    { weight: days, of: (one: Runner) => one.days },
    { weight: emissions, of: (one: Runner) => one.offer?.emissionsKg },
    { weight: quality, of: ({ entry }: Runner) => (entry.quality === undefined ? undefined : -entry.quality) },
  ].map(({ weight, of }) => {
    const known = runners.map(of).filter((figure) => figure !== undefined);
    const [best, worst] = [Math.min(...known), Math.max(...known)];
    const good = (figure: number): number => (worst === best ? 1 : (worst - figure) / (worst - best));
    return { weight, of: (one: Runner) => (of(one) === undefined ? 0 : good(of(one) as number)) };
  });
  const whole = figures.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const scoreOf = (one: Runner): number => figures.reduce((sum, { weight, of }) => sum + weight * of(one), 0) / whole;
  return new Map(runners.map((one) => [one, Math.round(scoreOf(one) * 1_000) / 10]));
};

/**
 * A number that is the lower the sooner a carrier is drawn, as often as its share says (weighted rendezvous hashing): the
 * same for the same reference, and unchanged by others that drop out.
 */
const lotOf = ({ entry }: Runner, policy: string, reference: string): number => {
  const drawn = sha256(JSON.stringify([policy, reference, entry.carrier])).readUIntBE(0, 6);
  return -Math.log((drawn + 1) / (2 ** 48 + 1)) / (entry.share ?? 0);
};

/** Entries that have not got yet what they are guaranteed. */
const owedOf = async (runners: readonly Runner[], timeZone: string, { nowMs, volume }: ChoiceContext) => {
  const owed = new Set<Runner['entry']>();
  for (const entry of new Set(runners.map((one) => one.entry))) {
    const { carrier, minimum } = entry;
    if (minimum === undefined || volume === undefined) continue;
    const { orders, per } = minimum;
    if ((await volume(carrier, startOf(per, nowMs, timeZone), orders)) < orders) owed.add(entry);
  }
  return owed;
};

/** Clocks are put on and back at quarters of an hour: within one, nothing begins. */
const QUARTER_MS = 900_000;
const starts = new Map<string, { readonly quarter: number; readonly startMs: number }>();

/** The first moment of the day, week (from Monday) or month. */
export const startOf = (per: 'day' | 'week' | 'month', nowMs: number, timeZone: string): number => {
  const key = `${per} ${timeZone}`;
  const quarter = Math.floor(nowMs / QUARTER_MS);
  const known = starts.get(key);
  if (known?.quarter === quarter) return known.startMs;
  const today = zonedAt(nowMs, timeZone).startOfDay();
  const back = per === 'day' ? 0 : per === 'week' ? today.dayOfWeek - 1 : today.day - 1;
  const startMs = today.subtract({ days: back }).epochMilliseconds;
  starts.set(key, { quarter, startMs });
  return startMs;
};
