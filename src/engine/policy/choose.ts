import type { Consignment, LabelFormat } from '../consignment/consignment.ts';
import { isTrue } from '../dispatch/classify.ts';
import { messageOf } from '../failure.ts';
import type { EvaluationContext } from '../mapping/mapping.ts';
import type { Carrier, ServiceRow } from '../profile/carrier.ts';
import type { Offer } from '../rates/offer.ts';
import type { Quoted } from '../rates/quote.ts';
import { isInZone } from '../rates/zones.ts';
import type { Issue } from '../validate.ts';
import { refusalOf, servicesFor } from './fits.ts';
import { offersOf } from './offers.ts';
import type { Policy, PolicyEntry, PolicyRule } from './policy.ts';
import { rankEligible } from './rank.ts';

/** A carrier that an order may go to. */
export interface Candidate {
  readonly carrier: Carrier;
  readonly hasAccount: boolean;
  /** It fails at the moment: its circuit breaker is open. */
  readonly openBreaker: boolean;
  /** What else stands against the order with this service, beside what the profile says of itself. */
  readonly issues?: (service: ServiceRow) => readonly Issue[] | Promise<readonly Issue[]>;
}

export interface ChoiceContext {
  readonly nowMs: number;
  /** What the shipper wishes: the name of a service, or a type of service; undefined or `AUTO`: any. */
  readonly serviceType?: string | undefined;
  /** What the shipper wishes; undefined: any. */
  readonly labelFormat?: LabelFormat | undefined;
  /** Asks a carrier that has the operation `rates`, about one service or all. Without it, nobody is asked. */
  readonly quote?: (carrier: Carrier, service: ServiceRow | undefined) => Promise<Quoted>;
  /** How many consignments the carrier got since then. Without it, all guaranteed minimums count as reached. */
  readonly volume?: (carrierCode: string, sinceMs: number) => number | Promise<number>;
}

/** What a policy made of a carrier, or of one of its services. JSON. */
export interface Considered {
  readonly carrier: string;
  readonly service?: string;
  /** 1 is taken; the others follow in their order. */
  readonly rank?: number;
  /** From 0 to 100, of the rank `best`. */
  readonly score?: number;
  readonly offer?: Offer;
  /** Why it is ranked without a price. */
  readonly unpriced?: Excluded;
  readonly excluded?: Excluded;
}

export interface Excluded {
  readonly code: string;
  readonly reason: string;
}

/** JSON. */
export interface Choice {
  readonly policy: string;
  /** The rule that decided; undefined: none was for the order. */
  readonly rule?: string;
  /** Ranked ones first, by their rank; then those that it may not go with. */
  readonly considered: readonly Considered[];
}

/** What may still be taken. */
export interface Eligible {
  readonly entry: PolicyEntry;
  /** In the order of the policy. */
  readonly at: number;
  readonly carrier: Carrier;
  readonly service: ServiceRow;
  readonly offer?: Offer | undefined;
  readonly unpriced?: Excluded | undefined;
}

/**
 * Which carrier and service a consignment goes with by a policy, which come next, and why others do not. `consignment`
 * is flat, of no carrier yet: `carrierCode`, `typeOfService` and `labelFormat` are filled in for each.
 */
export const choose = async (
  policy: Policy,
  consignment: Consignment,
  candidates: readonly Candidate[],
  context: ChoiceContext,
): Promise<Choice> => {
  const { tables } = policy;
  const evaluation = { tables, time: { zone: policy.timeZone, formats: [] }, nowMs: context.nowMs, drawn: () => '' };
  const rule = await decidingRule(policy, consignment, evaluation);
  const [eligible, excluded]: [Eligible[], Considered[]] = [[], []];
  const entries =
    rule === undefined ? [] : (rule.carriers ?? candidates.map(({ carrier: { code } }) => ({ carrier: code })));
  for (const [at, entry] of entries.entries()) {
    const leaveOut = (code: string, reason: string, service?: string): void =>
      void excluded.push({ carrier: entry.carrier, ...(service && { service }), excluded: { code, reason } });
    const candidate = candidates.find(({ carrier }) => carrier.code === entry.carrier);
    if (candidate === undefined) leaveOut('carrier_known', 'there is no such carrier');
    else if (!candidate.hasAccount) leaveOut('account_known', 'there is no account with it');
    else if (candidate.openBreaker) leaveOut('breaker_open', 'it fails at the moment, and is not called');
    else {
      const { carrier } = candidate;
      const services = servicesFor(carrier, entry, context.serviceType);
      if (services.length === 0) leaveOut('service_known', noService(carrier, entry, context.serviceType));
      for (const service of services) {
        // An entry before it may have admitted it already.
        if (eligible.some((one) => one.carrier === carrier && one.service === service)) continue;
        const own = { ...consignment, carrierCode: carrier.code, typeOfService: service.typeOfService };
        const why =
          (await filteredBy(entry, { consignment: own, service, tables }, evaluation)) ??
          (await refusalOf(candidate, service, own, context));
        if (why !== undefined) {
          leaveOut(why.code, why.reason, service.name);
          continue;
        }
        eligible.push({ entry, at, carrier, service });
      }
    }
  }
  const priced = await offersOf(eligible, consignment, rule?.rank ?? 'first', context);
  excluded.push(...priced.excluded);
  const ranked = rule === undefined ? [] : await rankEligible(priced.eligible, rule, policy, consignment, context);
  const named = new Set(entries.map(({ carrier }) => carrier));
  const reason = rule === undefined ? 'no rule of the policy is for this order' : `${rule.name} does not name it`;
  const others = [...candidates.map(({ carrier }) => carrier.code), ...carriersOf(policy)];
  const unnamed = [...new Set(others)].filter((code) => !named.has(code));
  return {
    policy: policy.name,
    ...(rule && { rule: rule.name }),
    considered: [
      ...ranked,
      ...excluded,
      ...unnamed.map((carrier) => ({ carrier, excluded: { code: 'not_in_rule', reason } })),
    ],
  };
};

/** All that a policy names. */
export const carriersOf = ({ rules }: Policy): readonly string[] => [
  ...new Set(rules.flatMap(({ carriers = [] }) => carriers.map(({ carrier }) => carrier))),
];

const decidingRule = async (
  { rules, tables }: Policy,
  consignment: Consignment,
  evaluation: EvaluationContext,
): Promise<PolicyRule | undefined> => {
  for (const rule of rules)
    if ((await filteredBy(rule, { consignment, tables }, evaluation)) === undefined) return rule;
  return undefined;
};

/** Why a rule, or a carrier of it, is not for a consignment; undefined: it is. */
const filteredBy = async (
  { when, from, to, because }: Pick<PolicyEntry, 'when' | 'from' | 'to' | 'because'>,
  roots: { readonly consignment: Consignment; readonly [root: string]: unknown },
  evaluation: EvaluationContext,
): Promise<Excluded | undefined> => {
  const { originCountry, originPostalCode, destinationCountry, destinationPostalCode } = roots.consignment;
  const filtered = (reason: string): Excluded => ({ code: 'filtered', reason: because ?? reason });
  if (from !== undefined && !isInZone(from, originCountry, originPostalCode))
    return filtered(`it is not for what comes from ${originCountry} ${originPostalCode}`);
  if (to !== undefined && !isInZone(to, destinationCountry, destinationPostalCode))
    return filtered(`it is not for what goes to ${destinationCountry} ${destinationPostalCode}`);
  if (when === undefined) return undefined;
  try {
    if (isTrue(await when.evaluate({ ...roots, now: new Date(evaluation.nowMs).toISOString() }, evaluation)))
      return undefined;
  } catch (thrown) {
    return { code: 'filter_failed', reason: `its condition cannot be evaluated: ${messageOf(thrown)}` };
  }
  return filtered(`its condition does not hold: ${when.text}`);
};

const noService = ({ code }: Carrier, { services }: PolicyEntry, wished = 'AUTO'): string =>
  services === undefined
    ? `"${wished}" is not a service of carrier ${code}`
    : `none of ${services.join(', ')} is "${wished}", which the order asks for`;
