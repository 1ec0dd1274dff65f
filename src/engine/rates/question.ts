/** What a checkout asks prices for: an order of which little is known yet. */
import { Type } from 'typebox';
import type { Order } from '../consignment/order.ts';
import { sha256 } from '../digest.ts';
import { offsetAt } from '../time-zone.ts';
import { type Issue, issueAt } from '../validate.ts';
import { isMap, valueAt } from '../value.ts';
import { KG_PER } from './price.ts';

type Fields = Readonly<Record<string, unknown>>;

const open = { additionalProperties: true } as const;
const filled = (maxLength: number) => Type.String({ pattern: '\\S', maxLength, 'x-must': 'not be blank' });
const place = () =>
  Type.Object(
    {
      address: Type.Object(
        { country: Type.String({ format: 'country' }), pincode: filled(30) },
        { ...open, description: 'As in a create; country and postcode are enough.' },
      ),
    },
    open,
  );

const weight = () => Type.Optional(Type.Number({ exclusiveMinimum: 0 }));
const weightUom = Type.Optional(Type.Enum(['KG', 'LB']));
const side = () => Type.Optional(Type.Number({ minimum: 0 }));
const PackageDefaults = Type.Object(
  {
    weight: weight(),
    weightUom,
    length: side(),
    width: side(),
    height: side(),
    dimensionUom: Type.Optional(Type.Enum(['CM', 'IN'])),
  },
  {
    additionalProperties: false,
    description: 'Of a basket: the weight of a unit whose SKU has none, and the size of the package.',
  },
);

/** Whatever else a create may have is taken as it has it. */
export const RatesQuestion = Type.Object(
  {
    carriers: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        minItems: 1,
        maxItems: 50,
        description: 'Codes of carriers. Default: all with which you have an account.',
      }),
    ),
    consignmentDetails: Type.Object(
      {
        serviceType: Type.Optional(filled(100)),
        packageDetails: Type.Optional(
          Type.Array(
            Type.Object(
              { weight: Type.Number({ exclusiveMinimum: 0 }) },
              { ...open, description: 'As in a create; without a size it counts as 1 cm each way.' },
            ),
            { minItems: 1, maxItems: 500, description: 'Needed, unless there is a basket.' },
          ),
        ),
        skuDetails: Type.Optional(
          Type.Array(
            Type.Object({ quantity: Type.Optional(Type.Integer({ minimum: 1 })), weight: weight(), weightUom }, open),
            {
              minItems: 1,
              maxItems: 1_000,
              description: 'As in a create. Without packages they are a basket, which goes in one package.',
            },
          ),
        ),
      },
      open,
    ),
    packageDefaults: Type.Optional(PackageDefaults),
    shipFrom: place(),
    shipTo: place(),
  },
  open,
);

// What is no map is told by the check of the order, and not to be spread before it.
const mapOf = (value: unknown): Fields => (isMap(value) ? value : {});

/** Of a unit that there is not the check of the order tells. */
const kgOf = (weight: unknown, unit: unknown): number => Number(weight) * (KG_PER[unit as keyof typeof KG_PER] ?? 1);

const UNKNOWN = 'CHECKOUT';
const CONTACT = { name: UNKNOWN, contactNumber: '+10000000000' };

const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(mapOf) : []);

/** What the question lacks to be priced at all. */
export const lackingOfQuestion = ({ consignmentDetails, packageDefaults }: Fields): readonly Issue[] => {
  const { packageDetails, skuDetails } = mapOf(consignmentDetails);
  if (packageDetails !== undefined) return [];
  const says = 'is needed, or skuDetails as a basket';
  if (skuDetails === undefined) return [issueAt('consignmentDetails.packageDetails', 'required', says)];
  if (mapOf(packageDefaults)['weight'] !== undefined) return [];
  return listOf(skuDetails).flatMap(({ weight }, at) =>
    weight === undefined
      ? [issueAt(`consignmentDetails.skuDetails[${at}].weight`, 'required', 'is needed, or packageDefaults.weight')]
      : [],
  );
};

/** The one package that a basket goes in. */
const packageOfBasket = (skus: readonly Fields[], { weight, weightUom = 'KG', ...size }: Fields): Fields => {
  const sum = (of: (sku: Fields, units: number) => number): number =>
    skus.reduce((total, sku) => total + of(sku, Number(sku['quantity'])), 0);
  const kg = sum((sku, units) => {
    const own = sku['weight'] !== undefined;
    return units * (own ? kgOf(sku['weight'], sku['weightUom']) : kgOf(weight, weightUom));
  });
  return {
    ...size,
    weight: Math.max(0.001, Number(kg.toFixed(3))),
    weightUom: 'KG',
    quantity: sum((_, units) => units),
  };
};

/** The question as an order of the carrier, what is not known yet filled with what has no effect on prices. */
export const orderToAsk = (
  { consignmentDetails, packageDefaults, shipFrom, shipTo }: Fields,
  carrierCode: string,
  serviceType: string,
  today: string,
): Fields => {
  const details = mapOf(consignmentDetails);
  const isBasket = !Array.isArray(details['packageDetails']);
  const units = listOf(details['skuDetails']).map((sku) => ({ quantity: 1, ...sku }));
  const packages = isBasket ? [packageOfBasket(units, mapOf(packageDefaults))] : listOf(details['packageDetails']);
  const packageDetails: readonly Fields[] = packages.map((one, at) => ({
    id: `P${at + 1}`,
    type: 'Carton',
    length: 1,
    width: 1,
    height: 1,
    dimensionUom: 'CM',
    weightUom: 'KG',
    quantity: 1,
    ...mapOf(one),
  }));
  const { totalWeightUom = packageDetails[0]?.['weightUom'] } = details;
  const weighed = packageDetails.reduce((sum, one) => sum + kgOf(one['weight'], one['weightUom']), 0);
  const end = (party: unknown): Fields => {
    const given = mapOf(party);
    return {
      ...given,
      contact: { ...CONTACT, ...mapOf(given['contact']) },
      address: { line1: UNKNOWN, city: UNKNOWN, county: UNKNOWN, ...mapOf(given['address']) },
    };
  };
  return {
    consignmentDetails: {
      referenceNumber: UNKNOWN,
      orderNumber: UNKNOWN,
      consignmentNumber: UNKNOWN,
      consignmentType: 'FORWARD',
      shipByDate: today,
      totalWeight: weighed / kgOf(1, totalWeightUom),
      totalWeightUom,
      totalQuantity: packageDetails.length,
      ...details,
      ...(isBasket && { skuDetails: units }),
      serviceType,
      packageDetails,
    },
    carrier: { code: carrierCode },
    shipFrom: end(shipFrom),
    shipTo: end(shipTo),
  };
};

/** Nowhere on earth is it earlier. */
const LATEST_ZONE_MS = -12 * 3_600_000;

/** Days and windows of a question that are over; of a place without a time zone, those that are over everywhere. */
export const pastIssues = ({ consignmentDetails, shipFrom, shipTo }: Order, nowMs: number): readonly Issue[] => {
  const localNow = (timeZone: string | undefined): string =>
    new Date(timeZone === undefined ? nowMs + LATEST_ZONE_MS : nowMs + offsetAt(nowMs, timeZone) * 60_000)
      .toISOString()
      .slice(0, 19)
      .replace('T', ' ');
  const [from, to] = [localNow(shipFrom.timezone), localNow(shipTo.timezone)];
  const ends = [
    ['consignmentDetails.shipByDate', `${consignmentDetails.shipByDate} 23:59:59`, from],
    ['shipFrom.pickupEndDateTime', shipFrom.pickupEndDateTime, from],
    ['shipTo.deliveryEndDateTime', shipTo.deliveryEndDateTime, to],
  ] as const;
  return ends.flatMap(([path, end, now]) =>
    end !== undefined && end < now ? [issueAt(path, 'window_past', 'is over already')] : [],
  );
};

const OF_PACKAGE = ['weight', 'weightUom', 'length', 'width', 'height', 'dimensionUom', 'quantity'];
const WORTH = ['insuredAmount', 'declaredValue', 'currency', 'dangerousGoods'];

/** What prices of carriers depend on, as a hash: an offer holds for no order that differs in it. */
export const gistOf = (order: unknown): string => {
  const details = mapOf(valueAt(order, 'consignmentDetails'));
  const { paymentMode, amount, currency } = mapOf(details['paymentTobeCollected']);
  return sha256(
    JSON.stringify([
      ['shipFrom', 'shipTo'].map((end) => ['country', 'pincode'].map((field) => valueAt(order, end, 'address', field))),
      String(valueAt(order, 'shipTo', 'address', 'type')).toUpperCase() === 'RESIDENTIAL',
      listOf(details['packageDetails']).map((one) => [
        ...OF_PACKAGE.map((field) => one[field]),
        ...WORTH.map((field) => valueAt(one, 'additionalInformation', field)),
      ]),
      Math.round(kgOf(details['totalWeight'], details['totalWeightUom']) * 1_000),
      details['totalQuantity'],
      details['consignmentType'],
      paymentMode === 'COD' ? [amount, currency] : [],
      listOf(details['vas'])
        .map(({ vasCode }) => String(vasCode).toUpperCase())
        .toSorted(),
      ...WORTH.map((field) => valueAt(details, 'additionalInformation', field)),
      String(valueAt(order, 'shipFrom', 'pickupStartDateTime') ?? details['shipByDate']).slice(0, 10),
    ]),
  ).toString('base64url');
};
