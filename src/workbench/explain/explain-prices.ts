/** What the prices of a tariff are made of. */
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { RunOutcome } from '../../engine/dispatch/ports.ts';
import type { Place } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { type Offer, roundAmount } from '../../engine/rates/offer.ts';
import { tariffFor } from '../../engine/rates/price.ts';

export interface ExplainedPrices extends Place {
  readonly tariff: string;
  readonly zone: string | undefined;
  /** `price`: of the table, or its minimum, before surcharges, fuel and tax; not told where these have left nothing of it. */
  readonly offers: readonly (Offer & { readonly price?: number })[];
}

/** Undefined: no tariff was asked, or it had no price, which the end says. */
export const explainPrices = (
  { operations, tariffs }: Carrier,
  consignment: Consignment | undefined,
  outcome: RunOutcome | undefined,
): ExplainedPrices | undefined => {
  if (operations.rates !== undefined || consignment === undefined || outcome?.kind !== 'done') return undefined;
  const { tariff, zone } = tariffFor(tariffs, consignment);
  if (tariff === undefined) return undefined;
  const offers = (outcome.result as readonly Offer[]).map((offer) => {
    const { total, tax = 0, surcharges = [], currency } = offer;
    const added = surcharges.reduce((sum, { amount }) => sum + amount, tax);
    return { ...offer, ...(total > 0 && { price: roundAmount(total - added, currency) }) };
  });
  return { tariff: tariff.name, zone, offers, ...tariff.place };
};
