import { type Asking, ask } from '../ask/ask.ts';
import { type Problem, problem } from '../failure.ts';
import type { Consignment } from '../consignment/consignment.ts';
import type { Account } from '../dispatch/ports.ts';
import type { Carrier, ServiceRow } from '../profile/carrier.ts';
import { serviceNames } from '../consignment/service.ts';
import { type Offer, roundAmount } from './offer.ts';
import { priceByTariff } from './price.ts';
import { type Times, withTransit } from './transit.ts';

export type Quoted = { readonly offers: readonly Offer[] } | { readonly failed: Problem };

interface QuoteContext extends Omit<Asking, 'carrier' | 'account'> {
  /** The one that is wished for; default: all. */
  readonly service?: ServiceRow | undefined;
}

/**
 * What a carrier would take for a consignment (flat, as create's mappings see it): offers in services of its profile,
 * each by its name there. Offers in other services, which nobody could order, are left out. Asks once: a carrier that is
 * away has failed.
 */
export const quote = async (
  carrier: Carrier,
  account: Account,
  consignment: Readonly<Record<string, unknown>>,
  { service, ...context }: QuoteContext,
): Promise<Quoted> => {
  const byTariff = await quoteByTariff(carrier, consignment, service, context.nowMs);
  if (byTariff !== undefined) return byTariff;
  const asked = await ask('rates', { consignment, service }, { ...context, carrier, account });
  if (!asked.ok) return { failed: asked.problem };
  const offers = asked.result.flatMap((offer) => {
    const name = serviceNamed(carrier, offer.service, service);
    return name === undefined
      ? []
      : [withDays(carrier, { ...rounded(offer), service: name }, consignment, context.nowMs)];
  });
  return offers.length === 0 && asked.result.length > 0
    ? { failed: unknownServices(carrier, asked.result) }
    : { offers };
};

/** Of a carrier whose prices are configuration; undefined of one that is asked. */
export const quoteByTariff = async (
  carrier: Carrier,
  consignment: Readonly<Record<string, unknown>>,
  service: Pick<ServiceRow, 'name'> | undefined,
  nowMs: number,
): Promise<Quoted | undefined> => {
  const { tables, time, tariffs, operations } = carrier;
  if (operations.rates !== undefined || tariffs.length === 0) return undefined;
  const context = { tables, time, nowMs, drawn: () => '' };
  const priced = await priceByTariff(tariffs, consignment as Consignment, service?.name, context);
  if ('failed' in priced) return priced;
  return { offers: priced.offers.map((offer) => withDays(carrier, offer, consignment, nowMs)) };
};

/**
 * When a carrier would bring a consignment, by service, where its transit times are all that tells; undefined: what it
 * is asked for prices tells.
 */
export const timesByTransit = (
  carrier: Carrier,
  consignment: Consignment,
  service: Pick<ServiceRow, 'name'> | undefined,
  nowMs: number,
): readonly (Times & Pick<Offer, 'service'>)[] | undefined => {
  const { transit, operations } = carrier;
  if (operations.rates !== undefined || transit === undefined) return undefined;
  const names = service === undefined ? serviceNames(carrier) : [service.name];
  return names
    .map((name) => withTransit<Times & Pick<Offer, 'service'>>({ service: name }, transit, consignment, nowMs))
    .filter(({ deliveryTo }) => deliveryTo !== undefined);
};

const withDays = (
  { transit }: Carrier,
  offer: Offer,
  consignment: Readonly<Record<string, unknown>>,
  nowMs: number,
): Offer => (transit === undefined ? offer : withTransit(offer, transit, consignment as Consignment, nowMs));

/** The service that an offer means, by the shipper's word or by the carrier's code: of several, the wished one. */
const serviceNamed = ({ services }: Carrier, said: string, wished: ServiceRow | undefined): string | undefined => {
  const isMeant = ({ name, code }: ServiceRow): boolean => code === said || name.toLowerCase() === said.toLowerCase();
  if (wished !== undefined) return isMeant(wished) ? wished.name : undefined;
  return services === undefined ? said : services.values().find(isMeant)?.name;
};

const rounded = (offer: Offer): Offer => {
  const amount = (value: number): number => roundAmount(value, offer.currency);
  const { total, tax, surcharges, ...rest } = offer;
  return {
    ...rest,
    total: amount(total),
    ...(tax === undefined ? {} : { tax: amount(tax) }),
    ...(surcharges && { surcharges: surcharges.map((one) => ({ ...one, amount: amount(one.amount) })) }),
  };
};

const unknownServices = (carrier: Carrier, offers: readonly Offer[]): Problem => {
  const said = [...new Set(offers.map(({ service }) => service))].join(', ');
  return problem('services_unknown', `none of the services offered (${said}) is one that was asked for`, carrier.place);
};
