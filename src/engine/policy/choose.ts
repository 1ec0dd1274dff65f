import type { Consignment } from '../consignment/consignment.ts';
import { isTrue } from '../dispatch/classify.ts';
import { messageOf } from '../failure.ts';
import type { EvaluationContext } from '../mapping/mapping.ts';
import type { Carrier } from '../profile/carrier.ts';
import { isInZone } from '../rates/zones.ts';
import { once } from '../value.ts';
import type { Candidate, Choice, ChoiceContext, Considered, Eligible, Excluded } from './choice.ts';
import { refusalOf, servicesFor } from './fits.ts';
import { offersOf } from './offers.ts';
import type { Policy, PolicyEntry, PolicyRule } from './policy.ts';
import { rankEligible } from './rank.ts';

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
  const all = (): readonly PolicyEntry[] => candidates.map(({ carrier }) => ({ carrier: carrier.code }));
  const entries = rule === undefined ? [] : (rule.carriers ?? all());
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
export const carriersOf = once(
  ({ rules }: Policy): readonly string[] => [
    ...new Set(rules.flatMap(({ carriers = [] }) => carriers.map(({ carrier }) => carrier))),
  ],
  new WeakMap(),
);

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
