/** The offer that an order takes up: it decides carrier, service and price. Reads what has not been checked yet. */
import { type Issue, issueAt } from '../validate.ts';
import { isMap, valueAt } from '../value.ts';
import type { Consignment } from '../consignment/consignment.ts';
import type { Carrier, ServiceRow } from '../profile/carrier.ts';
import type { Offer } from './offer.ts';
import { gistOf } from './question.ts';
import { quoteByTariff } from './quote.ts';

/** What an offer was, and for what. */
export interface Offered extends Pick<Offer, 'service' | 'total' | 'currency' | 'rateId'> {
  readonly carrierCode: string;
  readonly expiresAtMs: number;
  /** See `gistOf`. */
  readonly gist: string;
}

export const offerIdOf = (body: unknown): string | undefined => {
  const id = valueAt(body, 'carrier', 'offerId');
  return typeof id === 'string' && id !== '' ? id : undefined;
};

/** The request with the offer's price, and its carrier, service and number of the quote where it does not say them itself. */
export const withOffer = (body: unknown, offered: Offered | undefined): unknown => {
  const [details, carrier] = [valueAt(body, 'consignmentDetails'), valueAt(body, 'carrier')];
  if (offered === undefined || !isMap(body) || !isMap(details) || !isMap(carrier)) return body;
  const { carrierCode: code, service: serviceType, rateId, total, currency } = offered;
  const { additionalInformation: information = {} } = details;
  return {
    ...body,
    consignmentDetails: {
      serviceType,
      ...details,
      ...(rateId !== undefined && isMap(information) && { additionalInformation: { rateId, ...information } }),
    },
    carrier: { code, ...carrier, quoted: { service: serviceType, total, currency } },
  };
};

/** An order that an update made another than the one that was quoted: its price is known no more. */
export const withoutOffer = (body: unknown): unknown => {
  const [details, carrier] = [valueAt(body, 'consignmentDetails'), valueAt(body, 'carrier')];
  if (!isMap(body) || !isMap(details) || !isMap(carrier)) return body;
  const { offerId: _, quoted: _quoted, ...rest } = carrier;
  const { additionalInformation: given } = details;
  const { rateId: _rateId, ...additionalInformation } = isMap(given) ? given : {};
  return { ...body, consignmentDetails: { ...details, additionalInformation }, carrier: rest };
};

/** What stands against an order that takes up an offer. `nowMs` undefined: it has taken it up already. */
export const offerIssues = (body: unknown, offered: Offered | undefined, nowMs?: number): readonly Issue[] => {
  const at = 'carrier.offerId';
  if (offered === undefined) return [issueAt(at, 'offer_known', 'is no offer that was made to you')];
  if (nowMs !== undefined && offered.expiresAtMs <= nowMs)
    return [issueAt(at, 'offer_expired', 'has expired: ask for rates again')];
  const isSame = (path: readonly string[], value: string): boolean =>
    String(valueAt(body, ...path)).toLowerCase() === value.toLowerCase();
  const fits =
    isSame(['carrier', 'code'], offered.carrierCode) &&
    isSame(['consignmentDetails', 'serviceType'], offered.service) &&
    gistOf(body) === offered.gist;
  return fits ? [] : [misfit()];
};

const misfit = (): Issue =>
  issueAt(
    'carrier.offerId',
    'offer_fits',
    'is an offer for another carrier, or for another order: ask for rates again',
  );

/** What stands against an offer of a carrier whose prices are configuration: these say themselves what the order costs. */
export const repriced = async (
  { service: name, total, currency }: Offered,
  {
    carrier,
    consignment,
    service,
  }: { readonly carrier: Carrier; readonly consignment: Consignment; readonly service: ServiceRow },
  nowMs: number,
): Promise<readonly Issue[]> => {
  const quoted = await quoteByTariff(carrier, { ...consignment }, service, nowMs);
  if (quoted === undefined) return [];
  const isSame = (one: Offer): boolean => one.service === name && one.total === total && one.currency === currency;
  return 'offers' in quoted && quoted.offers.some(isSame) ? [] : [misfit()];
};
