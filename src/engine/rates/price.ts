import type { Consignment } from '../consignment/consignment.ts';
import { isTrue } from '../dispatch/classify.ts';
import { Failure, problem, type Problem } from '../failure.ts';
import type { EvaluationContext } from '../mapping/mapping.ts';
import { type Offer, roundAmount } from './offer.ts';
import { NEGLIGIBLE, priceAt, type Sides } from './price-table.ts';
import type { Tariff, TariffService } from './tariff.ts';
import { findZone, type Location } from './zone-table.ts';

type Priced = { readonly offers: readonly Offer[] } | { readonly failed: Problem };

/**
 * What tariffs say for a consignment: an offer for each service, or for the one that is wished. The tariff is that of the
 * day on which it is shipped. Services that do not take it are left out; when none does, it says why.
 */
export const priceByTariff = async (
  tariffs: readonly Tariff[],
  consignment: Consignment,
  wished: string | undefined,
  context: EvaluationContext,
): Promise<Priced> => {
  const day = consignment.shippingDateTime.slice(0, 10);
  const { tariff, zone } = tariffFor(tariffs, consignment);
  if (tariff === undefined) {
    const names = tariffs.map(({ name }) => name).join(', ');
    return failed('tariff_not_valid', `no prices are known for ${day}, when it is shipped (${names})`, tariffs[0]);
  }
  if (zone === undefined) {
    const { origin, destination } = endsOf(consignment);
    const way = `${origin.country} ${origin.postcode} to ${destination.country} ${destination.postcode}`;
    const says = `no zone of tariff ${tariff.name} is for ${way}`;
    return failed('tariff_no_zone', says, tariff, 'shipTo.address.pincode');
  }
  const asked = tariff.services.filter(
    ({ service }) => wished === undefined || service.name.toLowerCase() === wished.toLowerCase(),
  );
  if (asked.length === 0) return failed('tariff_no_service', `tariff ${tariff.name} has no service ${wished}`, tariff);
  const priced = await Promise.all(asked.map((one) => priceService(tariff, one, zone, consignment, context)));
  const offers = priced.filter((one) => 'total' in one);
  if (offers.length > 0) return { offers };
  const [first, ...others] = priced.filter((one) => 'code' in one);
  return { failed: { ...first, messages: [first, ...others].flatMap((one) => one?.messages ?? []) } as Problem };
};

/** The tariff that holds on the day of shipping, and the zone of the consignment in it. */
export const tariffFor = (tariffs: readonly Tariff[], consignment: Consignment) => {
  const day = consignment.shippingDateTime.slice(0, 10);
  const tariff = tariffs.find(({ from = '', to = '9999' }) => from <= day && day <= to);
  const { origin, destination } = endsOf(consignment);
  return { tariff, zone: tariff && findZone(tariff.zones, origin, destination) };
};

const failed = (code: string, says: string, tariff: Tariff | undefined, field?: string) => ({
  failed: problem(code, says, tariff?.place, field === undefined ? undefined : [field]),
});

const endsOf = (consignment: Consignment): Readonly<Record<'origin' | 'destination', Location>> => ({
  origin: { country: consignment.originCountry, postcode: consignment.originPostalCode },
  destination: { country: consignment.destinationCountry, postcode: consignment.destinationPostalCode },
});

const priceService = async (
  tariff: Tariff,
  service: TariffService,
  zone: string,
  consignment: Consignment,
  context: EvaluationContext,
): Promise<Offer | Problem> => {
  const base = basePrices(service, zone, consignment);
  if ('code' in base) return base;
  const { currency } = tariff;
  const round = (amount: number): number => roundAmount(amount, currency);
  const price = round(Math.max(sumOf(base.prices), service.minimum ?? 0));
  const surcharges: NonNullable<Offer['surcharges']> = [];
  let withFuel = price;
  try {
    for (const surcharge of tariff.surcharges) {
      const amount = round(
        await surchargeOf(surcharge, { service: service.service, zone, price, ...base }, consignment, context),
      );
      if (amount === 0) continue;
      surcharges.push({ code: surcharge.code, ...(surcharge.title && { name: surcharge.title }), amount });
      if (surcharge.fuel) withFuel += amount;
    }
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return problem('tariff_failed', thrown.message, thrown.place);
  }
  const day = consignment.shippingDateTime.slice(0, 10);
  const fuel = tariff.fuel?.findLast(({ from }) => from <= day);
  const fuelAmount = round((Math.max(0, withFuel) * (fuel?.percent ?? 0)) / 100);
  if (fuelAmount > 0) surcharges.push({ code: 'FUEL', name: 'Fuel', amount: fuelAmount });
  const net = Math.max(0, round(surcharges.reduce((sum, { amount }) => sum + amount, price)));
  const percent = tariff.tax?.[zone] ?? tariff.tax?.['*'];
  const tax = round((net * (percent ?? 0)) / 100);
  return {
    service: service.service.name,
    ...(service.title && { name: service.title }),
    total: round(net + tax),
    currency,
    ...(percent === undefined ? {} : { tax }),
    ...(surcharges.length === 0 ? {} : { surcharges }),
  };
};

type Surcharge = Tariff['surcharges'][number];

const surchargeOf = async (
  { when, amount, percent, per, zones, services, place }: Surcharge & { readonly place?: Problem['place'] },
  {
    service,
    zone,
    price,
    prices,
  }: Pick<TariffService, 'service'> & Base & { readonly zone: string; readonly price: number },
  consignment: Consignment,
  context: EvaluationContext,
): Promise<number> => {
  if (zones?.includes(zone) === false) return 0;
  if (services?.some((name) => name.toLowerCase() === service.name.toLowerCase()) === false) return 0;
  const { tables } = context;
  let sum = 0;
  for (const [at, item] of (per === 'package' ? consignment.itemList : [undefined]).entries()) {
    const roots = { consignment, service, tables, ...(item && { item }) };
    if (when !== undefined && !isTrue(await when.evaluate(roots, context))) continue;
    const of = item === undefined ? price : (prices[at] ?? 0);
    const value = amount === undefined ? (of * (percent ?? 0)) / 100 : await amount.evaluate(roots, context);
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw new Failure('the amount of a surcharge is no number', {
        code: 'tariff_failed',
        place: amount?.place ?? place,
      });
    sum += amount === undefined || item === undefined ? value : value * copiesOf(item, consignment);
  }
  return sum;
};

const sumOf = (prices: readonly number[]): number => prices.reduce((sum, price) => sum + price, 0);

/** An entry may stand for several packages that are alike: then the shipper's number of packages is that of all units. */
const copiesOf = ({ itemQuantity }: Item, { itemList, numberOfShipments }: Consignment): number =>
  numberOfShipments > itemList.length && numberOfShipments === itemList.reduce((sum, one) => sum + one.itemQuantity, 0)
    ? itemQuantity
    : 1;

// Weighing ------------------------------------------------------------------------------------------------------------

export const KG_PER = { KG: 1, LB: 0.45359237 } as const;
export const CM_PER = { CM: 1, IN: 2.54 } as const;
/** In cubic centimetres. */
const VOLUMES: Readonly<Record<string, number>> = { CBM: 1_000_000, CFT: 28_316.846592 };

type Item = Consignment['itemList'][number];

interface Base {
  /** Of the consignment, or of each entry of its packages. */
  readonly prices: readonly number[];
}

const basePrices = (service: TariffService, zone: string, consignment: Consignment): Base | Problem => {
  const { table, per, weightUnit, sizeUnit, weightStep, volumetric } = service;
  const needsSides = table.rows.some(({ limits }) => limits.length > 0);
  const sidesOf = ({ itemLength, itemWidth, itemHeight, itemDimensionUom = 'CM' }: Item): Sides | undefined => {
    if (itemLength === undefined || itemWidth === undefined || itemHeight === undefined) return undefined;
    const scale = CM_PER[itemDimensionUom] / CM_PER[sizeUnit];
    const [longest, middle, shortest] = [itemLength, itemWidth, itemHeight].toSorted((one, other) => other - one);
    return [(longest ?? 0) * scale, (middle ?? 0) * scale, (shortest ?? 0) * scale];
  };
  const volumeOf = (item: Item): number => {
    const sides = sidesOf(item);
    if (sides !== undefined) return sides[0] * sides[1] * sides[2];
    return ((item.itemVolume ?? 0) * (VOLUMES[item.itemVolumeUom ?? 'CBM'] ?? 0)) / CM_PER[sizeUnit] ** 3;
  };
  const countOf = (item: Item): number => (per === 'package' ? 1 : copiesOf(item, consignment));
  const weightOf = (weight: number, unit: 'KG' | 'LB', items: readonly Item[]): number => {
    const actual = (weight * KG_PER[unit]) / KG_PER[weightUnit];
    const volume =
      volumetric === undefined ? 0 : items.reduce((sum, item) => sum + volumeOf(item) * countOf(item), 0) / volumetric;
    const more = Math.max(actual, volume);
    return weightStep === undefined ? more : Math.ceil(more / weightStep - NEGLIGIBLE) * weightStep;
  };
  const { itemList, totalWeight, uomTotalWeight } = consignment;
  const weighed =
    per === 'package'
      ? itemList.map((item) => ({ weight: weightOf(item.itemWeight, item.itemWeightUom, [item]), items: [item] }))
      : [{ weight: weightOf(totalWeight, uomTotalWeight, itemList), items: itemList }];
  const prices: number[] = [];
  for (const { weight, items } of weighed) {
    const sides = needsSides ? items.map(sidesOf) : [];
    const unknown = sides.indexOf(undefined);
    if (unknown !== -1) {
      const at = itemList.indexOf(items[unknown] as Item);
      const fields = ['length', 'width', 'height'].map((side) => `consignmentDetails.packageDetails[${at}].${side}`);
      const says = fields.map((field) => `${field} is needed for the price of ${service.service.name}`);
      return problem('tariff_no_size', says, service.place, fields);
    }
    const price = priceAt(table, zone, weight, sides as readonly Sides[]);
    const at = per === 'package' ? itemList.indexOf(items[0] as Item) : undefined;
    if (price === undefined) return unpriced(service, zone, weight, at);
    prices.push(at === undefined ? price : price * copiesOf(items[0] as Item, consignment));
  }
  return { prices };
};

/** `at`: of the package, where each is priced. */
const unpriced = (
  { service, weightUnit, place, table }: TariffService,
  zone: string,
  weight: number,
  at: number | undefined,
): Problem => {
  const field = at === undefined ? 'totalWeight' : `packageDetails[${at}].weight`;
  const shown = `${Number(weight.toPrecision(6))} ${weightUnit}`;
  const says = table.columns.has(zone)
    ? `${service.name} has no price for ${shown}, or for its size, in zone ${zone}`
    : `${service.name} has no prices for zone ${zone}`;
  return problem('tariff_no_price', says, place, [`consignmentDetails.${field}`]);
};
