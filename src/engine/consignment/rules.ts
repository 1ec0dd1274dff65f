import type { Issue } from '../validate.ts';
import type { Carrier } from '../profile/carrier.ts';
import { capabilityRules } from './capability-rules.ts';
import { linkRules } from './link-rules.ts';
import type { Order } from './schema.ts';
import { findService, serviceNames } from './service.ts';
import { windowRules } from './window-rules.ts';

/** What the rules ask of a carrier. */
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
  finding('carrier.code', 'carrier_known', `"${code}" is not a carrier of this platform`);

const finding = (path: string, rule: string, says: string): Issue => ({ path, message: `${path} ${says}`, rule });

const DETAILS = 'consignmentDetails';

const service: Rule = (order, carrier) => {
  const { serviceType, consignmentType } = order.consignmentDetails;
  const row = findService(carrier, order);
  const path = `${DETAILS}.serviceType`;
  if (row === undefined) {
    const names = serviceNames(carrier).slice(0, 20).join(', ');
    return [
      finding(
        path,
        'service_known',
        `"${serviceType}" is not a service of carrier ${carrier.code}, which has ${names}`,
      ),
    ];
  }
  if (row.orders !== undefined && !row.orders.includes(consignmentType)) {
    return [finding(path, 'service_for_order_type', `"${serviceType}" is not offered for ${consignmentType} orders`)];
  }
  return [];
};

/** Numbers that cannot be: nothing weighs nothing, no place lies beyond a pole. */
const numbers: Rule = ({ consignmentDetails: details, shipFrom, shipTo, returnTo }) => {
  const found: Issue[] = [];
  const positive = (path: string, value: number | undefined): void => {
    if (value !== undefined && value <= 0) found.push(finding(path, 'positive', 'must be greater than 0'));
  };
  const natural = (path: string, value: number | undefined): void => {
    if (value !== undefined && value < 0) found.push(finding(path, 'not_negative', 'must not be negative'));
  };
  const range = (path: string, value: number | undefined, limit: number): void => {
    if (value !== undefined && Math.abs(value) > limit)
      found.push(finding(path, 'on_earth', `must be between -${limit} and ${limit}`));
  };
  positive(`${DETAILS}.totalWeight`, details.totalWeight);
  positive(`${DETAILS}.totalQuantity`, details.totalQuantity);
  natural(`${DETAILS}.totalVolume`, details.totalVolume);
  details.packageDetails.forEach((entry, at) => {
    const path = `${DETAILS}.packageDetails[${at}]`;
    for (const field of ['weight', 'quantity'] as const) positive(`${path}.${field}`, entry[field]);
    for (const field of ['length', 'width', 'height', 'volume', 'value'] as const)
      natural(`${path}.${field}`, entry[field]);
  });
  details.skuDetails?.forEach((entry, at) => {
    const path = `${DETAILS}.skuDetails[${at}]`;
    positive(`${path}.quantity`, entry.quantity);
    for (const field of SKU_NATURALS) natural(`${path}.${field}`, entry[field]);
  });
  details.vas?.forEach((entry, at) => natural(`${DETAILS}.vas[${at}].serviceTime`, entry.serviceTime));
  for (const [party, address] of Object.entries({
    shipFrom: shipFrom.address,
    shipTo: shipTo.address,
    returnTo: returnTo?.address,
  })) {
    range(`${party}.address.latitude`, address?.latitude, 90);
    range(`${party}.address.longitude`, address?.longitude, 180);
  }
  return found;
};
const SKU_NATURALS = [
  'weight',
  'length',
  'width',
  'height',
  'volume',
  'unitPrice',
  'value',
  'deliveryServiceTime',
  'pickupServiceTime',
] as const;

// Intl knows withdrawn currencies as well; a carrier is the better judge of those.
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

const payment: Rule = ({ consignmentDetails: { paymentTobeCollected: payment } }) => {
  if (payment === undefined) return [];
  const path = `${DETAILS}.paymentTobeCollected`;
  const found: Issue[] = [];
  const cod = payment.paymentMode === 'COD';
  if (cod && payment.amount === undefined) found.push(finding(`${path}.amount`, 'cod_complete', 'is required for COD'));
  else if (cod && Number(payment.amount) <= 0)
    found.push(finding(`${path}.amount`, 'cod_complete', 'must be greater than 0 for COD'));
  else if (payment.amount !== undefined && payment.amount < 0)
    found.push(finding(`${path}.amount`, 'not_negative', 'must not be negative'));
  if (cod && payment.currency === undefined)
    found.push(finding(`${path}.currency`, 'cod_complete', 'is required for COD'));
  if (payment.currency !== undefined && !CURRENCIES.has(payment.currency))
    found.push(finding(`${path}.currency`, 'currency_known', 'must be a currency code of ISO 4217, such as EUR'));
  return found;
};

const returnAddress: Rule = ({ returnTo }) => {
  if (returnTo === undefined || !blank(returnTo.returnFacilityCode) || !blank(returnTo.address?.line1)) return [];
  return [
    finding('returnTo.address.line1', 'return_address', 'is required when returnTo.returnFacilityCode is absent'),
  ];
};
const blank = (text: string | undefined): boolean => text === undefined || text.trim() === '';

const RULES: readonly Rule[] = [service, capabilityRules, numbers, linkRules, payment, returnAddress, windowRules];
