/** What a checkout asks prices for: an order of which little is known yet. */
import { Type } from 'typebox';
import { sha256 } from '../digest.ts';
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
        packageDetails: Type.Array(
          Type.Object(
            { weight: Type.Number({ exclusiveMinimum: 0 }) },
            { ...open, description: 'As in a create; without a size it counts as 1 cm each way.' },
          ),
          { minItems: 1, maxItems: 500 },
        ),
      },
      open,
    ),
    shipFrom: place(),
    shipTo: place(),
  },
  open,
);

// What is no map is told by the check of the order, and not to be spread before it.
const mapOf = (value: unknown): Fields => (isMap(value) ? value : {});

/** Of a unit that there is not the check of the order tells. */
const kgOf = ({ weight, weightUom }: Fields): number =>
  Number(weight) * (KG_PER[weightUom as keyof typeof KG_PER] ?? 1);

const UNKNOWN = 'CHECKOUT';
const CONTACT = { name: UNKNOWN, contactNumber: '+10000000000' };

/** The question as an order of the carrier, what is not known yet filled with what has no effect on prices. */
export const orderToAsk = (
  { consignmentDetails, shipFrom, shipTo }: Fields,
  carrierCode: string,
  serviceType: string,
  today: string,
): Fields => {
  const details = mapOf(consignmentDetails);
  const packages = (Array.isArray(details['packageDetails']) ? details['packageDetails'] : []) as readonly Fields[];
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
  const [{ weightUom } = {}] = packageDetails;
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
      ...details,
      serviceType,
      totalWeight: packageDetails.reduce((sum, one) => sum + kgOf(one) / kgOf({ weight: 1, weightUom }), 0),
      totalWeightUom: weightUom,
      totalQuantity: packageDetails.length,
      packageDetails,
    },
    carrier: { code: carrierCode },
    shipFrom: end(shipFrom),
    shipTo: end(shipTo),
  };
};

const GIST = ['weight', 'weightUom', 'length', 'width', 'height', 'dimensionUom', 'quantity'];

/** What a price depends on first of all, as a hash: an offer holds for no order that differs in it. */
export const gistOf = (order: unknown): string => {
  const packages = valueAt(order, 'consignmentDetails', 'packageDetails');
  const parcels = (Array.isArray(packages) ? packages : []).map((one) => GIST.map((field) => valueAt(one, field)));
  const ends = ['shipFrom', 'shipTo'].map((end) =>
    ['country', 'pincode'].map((field) => valueAt(order, end, 'address', field)),
  );
  return sha256(JSON.stringify([ends, parcels])).toString('base64url');
};
