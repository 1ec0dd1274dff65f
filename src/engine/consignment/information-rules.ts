/** What the additional information and the value-added services of an order break (422), and what looks misspelt in them. */
import { isDeepStrictEqual } from 'node:util';
import { slipOf } from '../mapping/closest.ts';
import type { Carrier } from '../profile/carrier.ts';
import { type Issue, issueAt } from '../validate.ts';
import { AdditionalInformation, CHANNELS, PackageInformation, SkuInformation } from './additional.ts';
import type { Order } from './order.ts';
import type { Warning } from './reply.ts';
import { meaningOf, VAS_CATALOGUE } from './vas.ts';

const DETAILS = 'consignmentDetails';
type Own = Pick<Carrier, 'vas'>;

/** Of an update, what it changes: earlier versions took orders that these rules refuse. */
export const informationRules = (order: Order, carrier: Own, before?: Order): readonly Issue[] =>
  RULES.flatMap(({ judged, find }) =>
    before !== undefined && isDeepStrictEqual(judged(order), judged(before)) ? [] : find(order, carrier),
  );

const amountsOf = ({ consignmentDetails: details }: Order) => {
  const { additionalInformation: given = {}, paymentTobeCollected: payment, packageDetails } = details;
  const ofPackages = packageDetails.map((entry) => entry.additionalInformation?.insuredAmount);
  const amounts = [given.declaredValue, given.insuredAmount, given.shippingCost, ...ofPackages];
  return { amounts: amounts.filter((amount) => amount !== undefined), currency: given.currency ?? payment?.currency };
};

/** An amount without a currency is none. */
const amountRules = (order: Order): readonly Issue[] => {
  const { amounts, currency } = amountsOf(order);
  if (currency !== undefined || amounts.length === 0) return [];
  return [issueAt(`${DETAILS}.additionalInformation.currency`, 'amount_currency', 'is needed where there are amounts')];
};

const IS_CONTACT = { email: /^[^\s@]+@[^\s@]+$/, phone: /^\+?[\d\s().-]{5,30}$/ };

const notificationRules = ({ consignmentDetails: { additionalInformation } }: Order): readonly Issue[] =>
  (additionalInformation?.notifications ?? []).flatMap(({ channel, contact }, at) => {
    const kind = CHANNELS[channel];
    if (IS_CONTACT[kind].test(contact)) return [];
    const says = `must be ${kind === 'email' ? 'an e-mail address' : 'a phone number'} for ${channel}`;
    return [issueAt(`${DETAILS}.additionalInformation.notifications[${at}].contact`, 'channel_contact', says)];
  });

const vasRules = ({ consignmentDetails: { vas = [] } }: Order, { vas: own }: Own): readonly Issue[] =>
  vas.flatMap(({ vasCode = '', level }, at) => {
    const wanted = meaningOf(own, vasCode)?.level;
    if (wanted === undefined || level === undefined || level === wanted) return [];
    return [issueAt(`${DETAILS}.vas[${at}].level`, 'vas_level', `must be ${wanted} for ${vasCode}`)];
  });

const RULES: readonly {
  readonly judged: (order: Order) => unknown;
  readonly find: (order: Order, carrier: Own) => readonly Issue[];
}[] = [
  { judged: amountsOf, find: amountRules },
  { judged: (order) => order.consignmentDetails.additionalInformation?.notifications, find: notificationRules },
  { judged: ({ carrier, consignmentDetails }) => [carrier, consignmentDetails.vas], find: vasRules },
];

/** Names that are looked at for slips: an order may have thousands of its own. */
const LOOKS_MAX = 300;

/** Names and codes that are kept, but are one letter away from one that means something. */
export const slipsOf = ({ consignmentDetails: details }: Order, { vas: own }: Own): readonly Warning[] => {
  const warnings: Warning[] = [];
  let looks = 0;
  const look = (path: string, given: object | undefined, { properties }: { readonly properties: object }): void => {
    for (const name of Object.keys(given ?? {})) {
      if (Object.hasOwn(properties, name)) continue;
      looks += 1;
      const meant = looks > LOOKS_MAX ? undefined : slipOf(name, Object.keys(properties));
      if (meant === undefined) continue;
      const message = `${path}.additionalInformation.${name} is kept, but has no meaning here; did you mean ${meant}?`;
      warnings.push({ code: 'unknown_field', message });
    }
  };
  look(DETAILS, details.additionalInformation, AdditionalInformation);
  for (const [at, { additionalInformation: given }] of details.packageDetails.entries())
    look(`${DETAILS}.packageDetails[${at}]`, given, PackageInformation);
  for (const [at, { additionalInformation: given }] of (details.skuDetails ?? []).entries())
    look(`${DETAILS}.skuDetails[${at}]`, given, SkuInformation);
  for (const [at, { vasCode = '' }] of (details.vas ?? []).entries()) {
    if (meaningOf(own, vasCode) !== undefined) continue;
    const meant = slipOf(vasCode, [...Object.keys(own), ...Object.keys(VAS_CATALOGUE)]);
    if (meant === undefined) continue;
    const message = `${DETAILS}.vas[${at}].vasCode ${vasCode} is in no catalogue; did you mean ${meant}?`;
    warnings.push({ code: 'unknown_vas', message });
  }
  return warnings;
};
