import type { Carrier } from '../profile/carrier.ts';
import { isBlank } from '../text.ts';
import { type Issue, issueAt } from '../validate.ts';
import type { Order } from './order.ts';
import { packageRules } from './package-rules.ts';
import { findService, serviceNames } from './service.ts';
import { windowRules } from './window-rules.ts';

export type RuleCarrier = Pick<Carrier, 'code' | 'capabilities' | 'services'>;
type Rule = (order: Order, carrier: RuleCarrier) => readonly Issue[];

const FINDINGS_MAX = 100;

/**
 * What a well-formed order breaks (422), all of it at once: each finding names the field and the rule. Pure; the
 * order is one that `readOrder` passed.
 */
export const breachesOf = (order: Order, carrier: RuleCarrier): readonly Issue[] =>
  RULES.flatMap((rule) => rule(order, carrier)).slice(0, FINDINGS_MAX);

/** The finding for a carrier the platform does not have, or not for dispatch. */
export const unknownCarrier = (code: string): Issue =>
  issueAt('carrier.code', 'carrier_known', `"${code}" is not a carrier of this platform`);

const DETAILS = 'consignmentDetails';

const service: Rule = (order, carrier) => {
  const { serviceType, consignmentType } = order.consignmentDetails;
  const row = findService(carrier, order);
  const path = `${DETAILS}.serviceType`;
  if (row === undefined) {
    const names = serviceNames(carrier).slice(0, 20).join(', ');
    const says = `"${serviceType}" is not a service of carrier ${carrier.code}, which has ${names}`;
    return [issueAt(path, 'service_known', says)];
  }
  if (row.orders === undefined || row.orders.includes(consignmentType)) return [];
  return [issueAt(path, 'service_for_order_type', `"${serviceType}" is not offered for ${consignmentType} orders`)];
};

/** What the carrier's profile says it cannot do. */
const capabilities: Rule = ({ consignmentDetails: details, shipFrom, shipTo }, { code, capabilities }) => {
  const found: Issue[] = [];
  const lacks = (path: string, says: string): void => void found.push(issueAt(path, 'capability', says));
  const { orders, maxPackages, vas, cod, from, to } = capabilities;
  const type = details.consignmentType;
  if (!orders.includes(type)) lacks(`${DETAILS}.consignmentType`, `${type} is not offered by carrier ${code}`);
  if (maxPackages !== undefined && details.packageDetails.length > maxPackages)
    lacks(`${DETAILS}.packageDetails`, `must not have more than ${maxPackages} entries for carrier ${code}`);
  if (!cod && details.paymentTobeCollected?.paymentMode === 'COD')
    lacks(`${DETAILS}.paymentTobeCollected.paymentMode`, `COD is not offered by carrier ${code}`);
  details.vas?.forEach(({ vasCode }, at) => {
    if (vas !== undefined && vasCode !== undefined && !vas.includes(vasCode))
      lacks(`${DETAILS}.vas[${at}].vasCode`, `"${vasCode}" is not offered by carrier ${code}`);
  });
  const [origin, destination] = [shipFrom.address.country, shipTo.address.country];
  if (from !== undefined && !from.includes(origin))
    lacks('shipFrom.address.country', `${origin} is not a country that carrier ${code} ships from`);
  if (to !== undefined && !to.includes(destination))
    lacks('shipTo.address.country', `${destination} is not a country that carrier ${code} delivers to`);
  return found;
};

/** Numbers that cannot be: nothing weighs nothing, no place lies beyond a pole. */
const numbers: Rule = ({ consignmentDetails: details, shipFrom, shipTo, returnTo }) => {
  const found: Issue[] = [];
  const check =
    (rule: string, says: string, isRight: (value: number) => boolean) =>
    <Fields extends object>(path: string, held: Fields | undefined, ...fields: (keyof Fields & string)[]): void => {
      for (const field of fields) {
        const value: unknown = held?.[field];
        if (typeof value === 'number' && !isRight(value)) found.push(issueAt(`${path}.${field}`, rule, says));
      }
    };
  const positive = check('positive', 'must be greater than 0', (value) => value > 0);
  const natural = check('not_negative', 'must not be negative', (value) => value >= 0);
  const within = (limit: number) =>
    check('on_earth', `must be between -${limit} and ${limit}`, (value) => Math.abs(value) <= limit);
  positive(DETAILS, details, 'totalWeight', 'totalQuantity');
  natural(DETAILS, details, 'totalVolume');
  details.packageDetails.forEach((entry, at) => {
    const path = `${DETAILS}.packageDetails[${at}]`;
    positive(path, entry, 'weight', 'quantity');
    natural(path, entry, 'length', 'width', 'height', 'volume', 'value');
  });
  details.skuDetails?.forEach((entry, at) => {
    const path = `${DETAILS}.skuDetails[${at}]`;
    positive(path, entry, 'quantity');
    natural(path, entry, 'weight', 'length', 'width', 'height', 'volume', 'unitPrice', 'value');
    natural(path, entry, 'deliveryServiceTime', 'pickupServiceTime');
  });
  details.vas?.forEach((entry, at) => natural(`${DETAILS}.vas[${at}]`, entry, 'serviceTime'));
  for (const [party, held] of Object.entries({ shipFrom, shipTo, returnTo })) {
    within(90)(`${party}.address`, held?.address, 'latitude');
    within(180)(`${party}.address`, held?.address, 'longitude');
  }
  return found;
};

// Intl knows withdrawn currencies as well; a carrier is the better judge of those.
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

const payment: Rule = ({ consignmentDetails: { paymentTobeCollected: payment } }) => {
  if (payment === undefined) return [];
  const found: Issue[] = [];
  const breach = (field: 'amount' | 'currency', rule: string, says: string): void =>
    void found.push(issueAt(`${DETAILS}.paymentTobeCollected.${field}`, rule, says));
  const { amount, currency } = payment;
  const cod = payment.paymentMode === 'COD';
  if (cod && amount === undefined) breach('amount', 'cod_complete', 'is required for COD');
  else if (cod && Number(amount) <= 0) breach('amount', 'cod_complete', 'must be greater than 0 for COD');
  else if (amount !== undefined && amount < 0) breach('amount', 'not_negative', 'must not be negative');
  if (cod && currency === undefined) breach('currency', 'cod_complete', 'is required for COD');
  if (currency !== undefined && !CURRENCIES.has(currency))
    breach('currency', 'currency_known', 'must be a currency code of ISO 4217, such as EUR');
  return found;
};

const returnAddress: Rule = ({ returnTo }) => {
  if (returnTo === undefined || !isBlank(returnTo.returnFacilityCode) || !isBlank(returnTo.address?.line1)) return [];
  const says = 'is required when returnTo.returnFacilityCode is absent';
  return [issueAt('returnTo.address.line1', 'return_address', says)];
};

const RULES: readonly Rule[] = [service, capabilities, numbers, packageRules, payment, returnAddress, windowRules];
