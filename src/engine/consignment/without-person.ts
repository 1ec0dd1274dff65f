import { isMap } from '../value.ts';

/** What stays of records when a person's data are erased: numbers, codes and measures that are named here, no more. */

const DETAILS =
  'referenceNumber orderNumber consignmentNumber consignmentType serviceType shipByDate totalWeight ' +
  'totalWeightUom totalQuantity totalVolume totalVolumeUom';
const PACKAGE = 'id type length width height dimensionUom weight weightUom quantity';
const CANONICAL =
  'referenceId orderNumber consignmentNumber typeOfOrder typeOfService typeOfAction carrierCode numberOfShipments ' +
  'totalQuantity totalWeight uomTotalWeight labelFormat';
const ITEM = 'itemReferenceNumber itemWeight itemLength itemWidth itemHeight itemQuantity';
const PICKUP = 'carrier totalQuantity totalWeight totalWeightUom';
const PICKUP_FROM = 'originFacilityCode timezone pickupStartDateTime pickupEndDateTime';
const NOTICE =
  'eventId timestamp sequence event referenceNumber orderNumber consignmentNumber consignmentType carrierCode ' +
  'trackingNumber packageId status previousStatus consignmentStatus reason occurredAt eventTimezone';

/** A shipper's order: both ends are gone, and with them all that is written freely. */
export const orderWithoutPerson = (order: Fields): Fields => {
  const details = mapAt(order, 'consignmentDetails');
  return {
    consignmentDetails: { ...only(details, DETAILS), packageDetails: eachOf(details['packageDetails'], PACKAGE) },
    carrier: only(mapAt(order, 'carrier'), 'code'),
    shipFrom: {},
    shipTo: {},
  };
};

export const consignmentWithoutPerson = (consignment: Fields): Fields => ({
  ...only(consignment, CANONICAL),
  itemList: eachOf(consignment['itemList'], ITEM),
});

/** What a policy chose: what was said of the order in words is gone. */
export const choiceWithoutPerson = (choice: Fields): Fields => ({
  ...only(choice, 'policy rule taken'),
  considered: eachOf(choice['considered'], 'carrier service rank score offer'),
  tried: eachOf(choice['tried'], 'carrier service at code').map((one) => ({ ...one, messages: [] })),
});

/** What is asked for of a pickup: where, who is there and what is written freely is gone. */
export const pickupWithoutPerson = ({ asked, pickup }: Fields): Fields => {
  const [wanted, told] = [isMap(asked) ? asked : {}, isMap(pickup) ? pickup : {}];
  const address = only(mapAt(told, 'address'), 'country timezone');
  return {
    gist: '',
    asked: { ...only(wanted, PICKUP), shipFrom: only(mapAt(wanted, 'shipFrom'), PICKUP_FROM) },
    consignments: [],
    pickup: {
      ...only(told, 'reference window totalWeightKg'),
      address,
      packages: eachOf(told['packages'], 'weightKg'),
    },
  };
};

/** The body of a webhook event: what the carrier said in words, where and to whom is gone, and so are the labels. */
export const noticeWithoutPerson = (body: Fields): Fields => ({ ...only(body, NOTICE), labels: [] });

type Fields = Readonly<Record<string, unknown>>;
const mapAt = (value: Fields, key: string): Fields => {
  const held = value[key];
  return isMap(held) ? held : {};
};
/** `names`: of the fields, with blanks between. */
const only = (value: Fields, names: string): Fields =>
  Object.fromEntries(
    names.split(' ').flatMap((key) => (Object.hasOwn(value, key) ? [[key, value[key]] as const] : [])),
  );
const eachOf = (list: unknown, names: string): Fields[] =>
  Array.isArray(list) ? list.filter(isMap).map((entry) => only(entry, names)) : [];
