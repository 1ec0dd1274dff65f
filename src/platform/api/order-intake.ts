/** From a request's body to all that the records need of an order, or the answer that says what is wrong with it. */
import type { Consignment, ConsignmentShipper } from '../../engine/consignment/consignment.ts';
import { type Facilities, facilityCodesOf, withFacilities } from '../../engine/consignment/facility.ts';
import { type OrderIntake, type IntakeContext, type ReadyOrder, takeOrder } from '../../engine/consignment/intake.ts';
import { carrierCodeOf, orderNumberOf, referenceNumberOf } from '../../engine/consignment/read.ts';
import type { Order } from '../../engine/consignment/order.ts';
import { unknownCarrier } from '../../engine/consignment/rules.ts';
import type { CodeOf, FindingCode } from '../../engine/error-codes.ts';
import { checkAccount } from '../../engine/profile/account.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { offerIdOf, offerIssues, repriced, withOffer, withoutOffer } from '../../engine/rates/of-order.ts';
import { slotIssues, slotTokenOf, withoutSlot, withSlot } from '../../engine/slots/of-order.ts';
import { type Issue, issueAt } from '../../engine/validate.ts';
import type { SubscribedOrderType } from '../../engine/webhooks/subscription.ts';
import { type AccountKey, findAccountId, openAccount } from '../records/accounts.ts';
import { recordAudit } from '../records/audit.ts';
import { facilitiesOf } from '../records/facilities.ts';
import { findShipperById, type Shipper } from '../records/shippers.ts';
import { findReservation, type Reservation } from '../records/slots.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { badRequest, type HttpAnswer, unprocessable } from './http-answer.ts';
import { readOfferId } from './offer-id.ts';

/** An order that may be recorded. */
export interface AcceptableOrder extends ReadyOrder {
  readonly accountId: number;
  readonly orderTypes: readonly SubscribedOrderType[];
  readonly slotToken: string | undefined;
  /** Of the slot that it names anew. */
  readonly reservation: Reservation | undefined;
}

export type Answered = { readonly kind: 'answered'; readonly answer: HttpAnswer };
export const answered = (answer: HttpAnswer): Answered => ({ kind: 'answered', answer });

/** As `judgeOrder`, and answers what is wrong with it. */
export const readyOrder = async (...asked: Parameters<typeof judgeOrder>): Promise<AcceptableOrder | Answered> => {
  const judged = await judgeOrder(...asked);
  if (judged.kind === 'ready') return judged;
  const [, , body] = asked;
  return answered(
    judged.kind === 'invalid' ? badRequest(judged.issues, referenceNumberOf(body)) : brokenRules(judged.issues, body),
  );
};

/**
 * Fills in what its facilities know, and finds what the rules ask of the records: that there is an account. `before`: the
 * order that an update changed.
 */
export const judgeOrder = async (
  deps: ApiDeps,
  { shipperId, environment }: ShipperBearer,
  given: unknown,
  before?: Order,
): Promise<AcceptableOrder | Exclude<OrderIntake, ReadyOrder>> => {
  const offerId = offerIdOf(given);
  const offered = offerId === undefined ? undefined : readOfferId(deps.sealer, { shipperId, environment }, offerId);
  const body = withOffer(given, offered);
  const code = carrierCodeOf(body);
  const carrier = code === undefined ? undefined : deps.carriers.find(code);
  const slotToken = slotTokenOf(body);
  const slotBefore = before?.consignmentDetails.slotToken;
  const reservationOf = async (token: string | undefined) =>
    token === undefined ? undefined : await findReservation(deps.pool, { shipperId, environment }, token);
  const [facilities, accountId, shipper, reservation, reservationBefore] = await Promise.all([
    facilitiesOf(deps.pool, { shipperId, environment }, facilityCodesOf(body)),
    carrier === undefined ? undefined : accountAt(deps, carrier, { shipperId, carrierCode: carrier.code, environment }),
    findShipperById(deps.pool, shipperId),
    reservationOf(slotToken),
    slotBefore === slotToken ? undefined : reservationOf(slotBefore),
  ]);
  const filled = withSlot(withoutSlot(withFacilities(body, facilities), reservationBefore), reservation);
  const isQuoted = offerId !== undefined && offerId === before?.carrier.offerId;
  const misfits = offerId === undefined ? [] : offerIssues(filled, offered, isQuoted ? undefined : deps.nowMs());
  const taken = await takeOrder(isQuoted && misfits.length > 0 ? withoutOffer(filled) : filled, carrier, {
    before,
    nowMs: deps.nowMs(),
    details: detailsOf(shipper),
    issues: [
      ...(carrier === undefined ? [] : carrierIssues(carrier, environment, accountId)),
      ...(isQuoted ? [] : misfits),
      ...(slotToken === undefined ? [] : slotIssues(carrier, filled, reservation, before)),
    ],
  });
  if (taken.kind !== 'ready') return taken;
  const issues = offered === undefined || isQuoted ? [] : await repriced(offered, taken, deps.nowMs());
  if (issues.length > 0) return { kind: 'refused', issues };
  if (accountId === undefined) throw new Error('an order without an account broke no rule');
  const named = slotToken === slotBefore ? undefined : reservation;
  return { ...taken, accountId, orderTypes: orderTypesOf(taken.order, facilities), slotToken, reservation: named };
};

/** 422: all the rules that the order breaks. */
export const brokenRules = (
  issues: readonly Issue[],
  body: unknown,
  [message, code]: readonly [string, CodeOf<422>] = ['The consignment breaks rules', 'rules_broken'],
): HttpAnswer => {
  const order = { orderNumber: orderNumberOf(body), referenceNumber: referenceNumberOf(body) };
  return unprocessable(message, issues, order, code);
};

/** A carrier that is for tests alone and asks for nothing has an account for everybody. */
export const isForEverybody = (carrier: Carrier, environment: ShipperBearer['environment']): boolean =>
  carrier.environments.production === undefined && checkAccount(carrier, environment, {}).ok;

/** What is for everybody opens with the first order. */
const accountAt = async (
  { pool, sealer }: Pick<ApiDeps, 'pool' | 'sealer'>,
  carrier: Carrier,
  key: AccountKey,
): Promise<number | undefined> => {
  const known = await findAccountId(pool, key);
  if (known !== undefined || carrier.environments.production !== undefined) return known;
  const checked = checkAccount(carrier, key.environment, {});
  if (!checked.ok) return undefined;
  const opened = await openAccount(pool, sealer, key, checked);
  // Another order may have opened it meanwhile.
  if (opened === undefined) return await findAccountId(pool, key);
  await recordAudit(pool, { actor: 'engine', action: 'save_account', subject: `account:${opened}` });
  return opened;
};

/** A carrier with the shipper's account, or what stands against asking it. */
export const openAccountOf = async (
  deps: Pick<ApiDeps, 'pool' | 'sealer' | 'carriers'>,
  { shipperId, environment }: Pick<ShipperBearer, 'shipperId' | 'environment'>,
  carrierCode: string,
): Promise<{ readonly carrier: Carrier; readonly accountId: number } | { readonly issues: readonly Issue[] }> => {
  const carrier = deps.carriers.find(carrierCode);
  if (carrier === undefined) return { issues: [unknownCarrier(carrierCode)] };
  const accountId = await accountAt(deps, carrier, { shipperId, carrierCode, environment });
  const issues = carrierIssues(carrier, environment, accountId);
  return accountId === undefined || issues.length > 0 ? { issues } : { carrier, accountId };
};

const carrierIssues = (
  { code, operations, environments }: Carrier,
  environment: ShipperBearer['environment'],
  accountId: number | undefined,
): readonly Issue[] => {
  const rules: readonly (readonly [isKept: boolean, code: FindingCode, message: string])[] = [
    [operations.create !== undefined, 'carrier_creates', `${code} takes no orders`],
    [environments[environment] !== undefined, 'environment_known', `${code} has no ${environment} environment`],
    [accountId !== undefined, 'account_known', `${code} is a carrier with which you have no ${environment} account`],
  ];
  return rules.flatMap(([isKept, code, message]) => (isKept ? [] : [issueAt('carrier.code', code, message)]));
};

/** The shipper's registered details, as the canonical form takes them. */
export const detailsOf = (shipper: Shipper | undefined): NonNullable<IntakeContext['details']> => {
  if (shipper?.details === undefined) return {};
  const { merchantCode, taxNumber, billTo, ...party } = shipper.details as RegisteredDetails;
  return {
    merchantCode,
    shipperTaxNumber: taxNumber,
    billTo,
    ...(Object.keys(party).length === 0 ? {} : { shipper: party }),
  };
};
type RegisteredDetails = ConsignmentShipper & {
  readonly merchantCode?: string;
  readonly taxNumber?: string;
  readonly billTo?: Consignment['billTo'];
};

/**
 * What subscriptions may ask for an order by: its `consignmentType`; EXCHANGE when it names the order it is exchanged
 * for; TRANSFER when both ends are facilities that the shipper registered.
 */
const orderTypesOf = (
  { consignmentDetails }: Order,
  { origin, destination }: Facilities,
): readonly SubscribedOrderType[] => {
  const exchangedFor = consignmentDetails.additionalInformation?.exchangeOrderNumber?.trim() ?? '';
  return [
    consignmentDetails.consignmentType,
    ...(exchangedFor === '' ? [] : (['EXCHANGE'] as const)),
    ...(origin !== undefined && destination !== undefined ? (['TRANSFER'] as const) : []),
  ];
};
