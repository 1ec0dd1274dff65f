/** What carriers would take for a consignment: by tariff, or where they may be asked, by asking them. */
import type { Consignment } from '../consignment/consignment.ts';
import type { Problem } from '../failure.ts';
import type { Offer } from '../rates/offer.ts';
import { quoteByTariff, type Quoted } from '../rates/quote.ts';
import type { ChoiceContext, Considered, Eligible, Excluded } from './choice.ts';
import type { Rank } from './policy.ts';

/** Those with which the order in which carriers come depends on offers. */
const BY_OFFER: ReadonlySet<Rank> = new Set(['cheapest', 'fastest', 'best']);

interface Priced {
  readonly eligible: readonly Eligible[];
  readonly excluded: readonly Considered[];
}

/** With their offers. What a tariff has no price for is not taken; who could not be asked comes without one. */
export const offersOf = async (
  eligible: readonly Eligible[],
  consignment: Consignment,
  rank: Rank,
  { nowMs, quote }: ChoiceContext,
): Promise<Priced> => {
  const needed = BY_OFFER.has(rank);
  const byCarrier = Map.groupBy(eligible, ({ carrier }) => carrier);
  const asked = new Map(
    await Promise.all(
      [...byCarrier].map(async ([carrier, [one, other]]) => {
        const isAsked = needed && carrier.operations.rates !== undefined && quote !== undefined;
        return [
          carrier,
          isAsked ? await quote(carrier, other === undefined ? one?.service : undefined) : undefined,
        ] as const;
      }),
    ),
  );
  const priced = await Promise.all(
    eligible.map(async (one): Promise<Eligible | Considered> => {
      const { carrier, service } = one;
      if (carrier.operations.rates !== undefined)
        return { ...one, ...(needed && askedFor(asked.get(carrier), service.name)) };
      const own = { ...consignment, carrierCode: carrier.code, typeOfService: service.typeOfService };
      const quoted = await quoteByTariff(carrier, own, service, nowMs);
      if (quoted === undefined) return { ...one, ...(needed && { unpriced: NO_PRICES }) };
      if ('failed' in quoted) return { carrier: carrier.code, service: service.name, excluded: whyOf(quoted.failed) };
      return { ...one, offer: quoted.offers[0] };
    }),
  );
  return {
    eligible: priced.filter((one) => 'entry' in one),
    excluded: priced.filter((one): one is Considered => !('entry' in one)),
  };
};

const NO_PRICES: Excluded = { code: 'no_prices', reason: 'it has neither an operation rates nor a tariff' };
const NOT_ASKED: Excluded = { code: 'not_asked', reason: 'its prices come from the carrier, which was not asked' };
const NOT_OFFERED: Excluded = { code: 'not_offered', reason: 'the carrier offered no price for this service' };

const whyOf = ({ code, messages }: Problem): Excluded => ({ code, reason: messages.join('; ') });

const askedFor = (
  quoted: Quoted | undefined,
  service: string,
): { readonly offer: Offer } | { readonly unpriced: Excluded } => {
  if (quoted === undefined) return { unpriced: NOT_ASKED };
  if ('failed' in quoted) return { unpriced: whyOf(quoted.failed) };
  const offers = quoted.offers.filter((offer) => offer.service === service);
  const offer = offers.toSorted((one, other) => one.total - other.total)[0];
  return offer === undefined ? { unpriced: NOT_OFFERED } : { offer };
};
