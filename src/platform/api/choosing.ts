/** The carrier of an order that names a policy: considered, taken, and who comes next. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { facilityCodesOf, withFacilities } from '../../engine/consignment/facility.ts';
import type { Order } from '../../engine/consignment/order.ts';
import { carrierCodeOf, readOrder, readUpdated, referenceNumberOf } from '../../engine/consignment/read.ts';
import { translate } from '../../engine/consignment/translate.ts';
import { limitedParty } from '../../engine/dispatch/limits.ts';
import type { Inputs, Successor } from '../../engine/dispatch/ports.ts';
import { messageOf, problem } from '../../engine/failure.ts';
import { piece } from '../../engine/large.ts';
import type { Candidate, Choice, Considered } from '../../engine/policy/choice.ts';
import { choose } from '../../engine/policy/choose.ts';
import { orderFor, rankedOf, takenOf, withoutOffers } from '../../engine/policy/chosen.ts';
import { AUTO } from '../../engine/policy/fits.ts';
import type { Policy } from '../../engine/policy/policy.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { offerIdOf, offerIssues } from '../../engine/rates/of-order.ts';
import { gistOf } from '../../engine/rates/question.ts';
import { type Issue, issueAt } from '../../engine/validate.ts';
import { valueAt } from '../../engine/value.ts';
import type { ChosenInputs } from '../records/accept-create.ts';
import { listAccounts } from '../records/accounts.ts';
import { type ConsignmentRecord, countCreated } from '../records/consignments.ts';
import { facilitiesOf } from '../records/facilities.ts';
import { findShipperById } from '../records/shippers.ts';
import { assignedNumbersOf } from '../records/tracking-numbers.ts';
import { yieldTurn } from './admission.ts';
import type { ShipperBearer } from './bearer.ts';
import { isServed } from './consignment-entry.ts';
import type { ApiDeps } from './deps.ts';
import { badRequest } from './http-answer.ts';
import { QUESTION_WAIT_MS } from './inquiry-shapes.ts';
import { readOfferId } from './offer-id.ts';
import {
  type AcceptableOrder,
  type Answered,
  answered,
  brokenRules,
  detailsOf,
  judgeOrder,
  readyOrder,
} from './order-intake.ts';

/** An order that may be recorded, as its shipper wrote it. `chosen`: where it names a policy. */
export interface OrderToAccept extends AcceptableOrder {
  readonly chosen?: ChosenInputs | undefined;
}

/** `readyOrder`, with the carrier that a policy chooses where `carrier.code` names one. An offer decides by itself. */
export const readyOrChosen = async (
  deps: ApiDeps,
  bearer: ShipperBearer,
  body: unknown,
  before?: Order,
): Promise<OrderToAccept | Answered> => {
  const policy = await policyNamed(deps, bearer, body);
  if (policy === undefined) return await readyOrder(deps, bearer, body, before);
  const offerId = offerIdOf(body);
  if (offerId !== undefined) {
    const offered = readOfferId(deps.sealer, bearer, offerId);
    return offered === undefined
      ? answered(brokenRules(offerIssues(body, undefined), body))
      : await readyOrder(deps, bearer, orderFor(body, { carrier: offered.carrierCode }), before);
  }
  if ('code' in policy) return answered(brokenRules([policy], body));
  const considered = await consider(deps, bearer, body, policy, before);
  if (considered.kind === 'answered') return considered;
  const { choice, judge } = considered;
  const [first, ...others] = rankedOf(choice);
  if (first === undefined) return answered(noCarrier(choice, body));
  const [taken, one] = first;
  const ready = await judge(one);
  if (ready.kind !== 'ready') return answered(brokenRules(ready.issues, body));
  const next = await successorsOf(ready, others, judge, policy);
  return {
    ...ready,
    order: asWritten(ready.order, body),
    chosen: { choice: { ...choice, taken, tried: [] }, ...next },
  };
};

interface Updated {
  readonly record: ConsignmentRecord;
  /** The order as its carrier has it. */
  readonly before: Order;
  /** As the update leaves it. */
  readonly order: Order;
  readonly body: unknown;
}

/** As `readyOrChosen`; the carrier that a policy chose stays, unless the update names a policy while no label exists. */
export const readyUpdate = async (
  deps: ApiDeps,
  bearer: ShipperBearer,
  { record, before, order, body }: Updated,
): Promise<OrderToAccept | Answered> => {
  const { choice, acceptance } = record;
  const written = JSON.parse(record.orderText) as Order;
  const isNamed = carrierCodeOf(body) !== undefined && !record.labels.some(isServed);
  if (choice === undefined || isNamed || order.carrier.code !== written.carrier.code)
    return await readyOrChosen(deps, bearer, order, before);
  const kept = gistOf(order) === gistOf(before) ? choice : withoutOffers(choice);
  const { serviceType } = order.consignmentDetails;
  const isOtherService = serviceType !== written.consignmentDetails.serviceType;
  const { offer: _, ...unpriced } = takenOf(kept);
  const taken = isOtherService ? { ...unpriced, service: serviceType } : takenOf(kept);
  const ready = await readyOrder(deps, bearer, orderFor(order, taken), before);
  if (ready.kind === 'answered') return ready;
  const policy = deps.carriers.policy(kept.policy);
  const tried = new Set(kept.tried.map(({ carrier }) => carrier));
  const others = isOtherService ? [] : rankedOf(kept).filter(([, { carrier }]) => !tried.has(carrier));
  const judge: Judge = async (one) => await judgeOrder(deps, bearer, orderFor(order, one), before);
  // Who comes next is told of the order as it is now.
  const next = acceptance === 'pending' && policy ? await successorsOf(ready, others, judge, policy) : {};
  const considered = kept.considered.with(kept.taken, taken);
  return { ...ready, order: asWritten(ready.order, order), chosen: { choice: { ...kept, considered }, ...next } };
};

/** 422 with each carrier's reason. */
const noCarrier = ({ policy, considered }: Choice, body: unknown) => {
  const issues = considered.map(({ carrier, service, excluded }) => {
    const what = service === undefined ? carrier : `${carrier} (${service})`;
    return issueAt('carrier.code', 'carrier_excluded', `"${policy}" does not take ${what}: ${excluded?.reason}`);
  });
  const none = issueAt('carrier.code', 'carrier_excluded', `"${policy}" has no carrier`);
  return brokenRules(issues.length === 0 ? [none] : issues, body, [
    `Policy ${policy} leaves no carrier for the consignment`,
    'no_carrier',
  ]);
};

/** The policy that an order names, or what is wrong with it; undefined: it names none, but perhaps a carrier. */
export const policyNamed = async (
  { pool, carriers }: ApiDeps,
  { shipperId }: Pick<ShipperBearer, 'shipperId'>,
  body: unknown,
): Promise<Policy | Issue | undefined> => {
  const code = carrierCodeOf(body) ?? '';
  if (code !== AUTO) return carriers.find(code) === undefined ? carriers.policy(code) : undefined;
  const name = (await findShipperById(pool, shipperId))?.policy;
  const says =
    name === undefined
      ? 'AUTO stands for your default policy, and you have none: name a policy or a carrier'
      : `AUTO stands for your default policy ${name}, which is not on this platform at present`;
  return (name && carriers.policy(name)) || issueAt('carrier.code', 'policy_known', says);
};

type Judged = Awaited<ReturnType<typeof judgeOrder>>;
type Judge = (one: Considered) => Promise<Judged>;

/** What a policy makes of each carrier for an order, and what it would be as an order of one of them. */
export const consider = async (
  deps: ApiDeps,
  bearer: ShipperBearer,
  given: unknown,
  policy: Policy,
  before?: Order,
): Promise<{ readonly kind: 'considered'; readonly choice: Choice; readonly judge: Judge } | Answered> => {
  const { shipperId, environment } = bearer;
  const [facilities, shipper, accounts] = await Promise.all([
    facilitiesOf(deps.pool, bearer, facilityCodesOf(given)),
    findShipperById(deps.pool, shipperId),
    listAccounts(deps.pool, { shipper: bearer.code, environment, state: 'active', limit: 500 }),
  ]);
  const wished = valueAt(given, 'consignmentDetails', 'serviceType') ?? AUTO;
  const neutral = orderFor(withFacilities(given, facilities), { carrier: policy.name, service: wished as string });
  const read = await piece(() => (before === undefined ? readOrder : readUpdated)(neutral, 'OP'));
  if (!read.ok) return answered(badRequest(read.issues, referenceNumberOf(given)));
  const { serviceType, labelFormat } = read.value.consignmentDetails;
  const consignment = await piece(() =>
    translate(read.value, {
      operation: 'create',
      carrierCode: policy.name,
      service: { typeOfService: 'STANDARD' },
      labelFormat: labelFormat ?? 'PDF',
      ...detailsOf(shipper),
    }),
  );
  const judged = new Map<string, Promise<Judged>>();
  const judge: Judge = async (one) => {
    const key = JSON.stringify([one.carrier, one.service, one.offer?.rateId]);
    const judging = judged.get(key) ?? judgeOrder(deps, bearer, orderFor(given, one), before);
    judged.set(key, judging);
    return await judging;
  };
  const accountOf = new Map(accounts.map(({ id, carrierCode }) => [carrierCode, id]));
  const isUsable = await usableCarriers(deps, accountOf);
  const candidates = deps.carriers.list().map((carrier): Candidate => ({
    carrier,
    // One that is for tests alone opens an account with the first order.
    hasAccount: accountOf.has(carrier.code) || carrier.environments.production === undefined,
    openBreaker: !isUsable(carrier),
    issues: async ({ name }) => {
      const found = await judge({ carrier: carrier.code, service: name });
      return found.kind === 'ready' ? [] : found.issues;
    },
  }));
  const stopped = new AbortController();
  const isLate = { failed: problem('late', `no answer within ${QUESTION_WAIT_MS} ms`) };
  // From the first question on: all that comes before it is our own time.
  let late: Promise<typeof isLate> | undefined;
  try {
    const choice = await yieldTurn(async () =>
      choose(policy, consignment, candidates, {
        nowMs: deps.nowMs(),
        serviceType,
        labelFormat,
        quote: async (carrier, service) => {
          const accountId = accountOf.get(carrier.code);
          if (accountId === undefined) return { failed: problem('account_known', 'there is no account with it') };
          const own = { carrierCode: carrier.code, typeOfService: service?.typeOfService ?? consignment.typeOfService };
          const asking = deps.quote({
            carrier,
            accountId,
            environment,
            consignment: { ...consignment, ...own },
            service,
          });
          late ??= sleep(QUESTION_WAIT_MS, isLate, { signal: stopped.signal }).catch(() => isLate);
          return await Promise.race([asking.then(({ quoted }) => quoted, toFailed), late]);
        },
        volume: async (carrierCode, sinceMs, upTo) =>
          await countCreated(deps.pool, bearer, { carrierCode, sinceMs, upTo }),
      }),
    );
    return { kind: 'considered', choice, judge };
  } finally {
    stopped.abort();
  }
};

const toFailed = (thrown: unknown) => ({ failed: problem('failed', messageOf(thrown)) });

/** What is shared of breakers is a hint: an order does not wait longer for it. */
const BREAKERS_WAIT_MS = 300;

/** Those whose circuit breaker is not open, or that may be tried again; all where nobody can tell. */
const usableCarriers = async ({ carriers, breakers }: ApiDeps, accountOf: ReadonlyMap<string, number>) => {
  const partyIn = ({ code, limits }: Carrier): string => limitedParty(code, accountOf.get(code) ?? 0, limits);
  const known = carriers.list().filter(({ code }) => accountOf.has(code));
  const asked = known.length === 0 ? undefined : breakers.breakers(known.map(partyIn)).catch(() => undefined);
  const told = await Promise.race([asked, sleep(BREAKERS_WAIT_MS, undefined, { ref: false })]);
  if (told === undefined) return () => true;
  const { nowMs, states } = told;
  return (carrier: Carrier): boolean => {
    const { failures = 0, newestMs, keptOpenUntilMs = 0 } = states.get(partyIn(carrier)) ?? {};
    const { breaker } = carrier.limits;
    const isTrialDue = nowMs >= (newestMs ?? 0) + breaker.pauseMs;
    return keptOpenUntilMs <= nowMs && (failures < breaker.failures || isTrialDue);
  };
};

/** In their order, each carrier once: what of their consignments differs from that of the one that is taken. */
const successorsOf = async (
  taken: AcceptableOrder,
  others: readonly (readonly [at: number, one: Considered])[],
  judge: Judge,
  { fallback: { most, afterMs } }: Policy,
): Promise<Pick<Inputs, 'next' | 'patienceMs'>> => {
  // Its numbers are of the carrier that is taken.
  if (assignedNumbersOf(taken.consignment).length > 0) return {};
  const found = new Map<string, AcceptableOrder & { readonly at: number }>();
  for (const [at, one] of others) {
    if (found.size >= most) break;
    if (one.carrier === taken.carrier.code || found.has(one.carrier)) continue;
    const ready = await judge(one);
    if (ready.kind === 'ready') found.set(one.carrier, { ...ready, at });
  }
  if (found.size === 0) return {};
  const all = [taken, ...found.values()].map(({ consignment }) => consignment as Readonly<Record<string, unknown>>);
  const keys = [...new Set(all.flatMap((one) => Object.keys(one)))];
  const differing = keys.filter((key) => all.some((one) => !isDeepStrictEqual(one[key], all[0]?.[key])));
  const next = [...found].map(([carrierCode, { at, accountId, carrier, service, ...ready }]): Successor => {
    const own = ready.consignment as Readonly<Record<string, unknown>>;
    const consignment = Object.fromEntries(differing.map((key) => [key, own[key] ?? null]));
    return { carrierCode, accountId, profileHash: carrier.hash, taken: at, inputs: { consignment, service } };
  });
  return { next, patienceMs: afterMs };
};

/** What the shipper wrote itself of what a choice fills in. */
const asWritten = (order: Order, written: unknown): Order => {
  const { carrier, consignmentDetails: details } = written as Order;
  const { serviceType, additionalInformation } = details;
  const given = { ...order.consignmentDetails, serviceType, additionalInformation };
  return { ...order, carrier, consignmentDetails: given as Order['consignmentDetails'] };
};
