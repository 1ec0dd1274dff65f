import type { Capabilities, Carrier, ServiceRow } from '../../../src/engine/profile/carrier.ts';
import type { Order } from '../../../src/engine/consignment/order.ts';
import type { Issue } from '../../../src/engine/validate.ts';

/** The least a parcel order of an outsourced carrier needs. A fresh copy each time. */
export const leastOrder = (): Order => ({
  consignmentDetails: {
    referenceNumber: 'REF-1',
    orderNumber: 'ORD-1',
    consignmentNumber: 'CON-1',
    consignmentType: 'FORWARD',
    serviceType: 'Express',
    shipByDate: '2026-05-01',
    totalWeight: 2.5,
    totalWeightUom: 'KG',
    totalQuantity: 1,
    packageDetails: [
      {
        id: 'P1',
        type: 'Carton',
        length: 30,
        width: 20,
        height: 10,
        dimensionUom: 'CM',
        weight: 2.5,
        weightUom: 'KG',
        quantity: 1,
      },
    ],
  },
  carrier: { code: 'acme' },
  shipFrom: {
    contact: { name: 'Ann Example', contactNumber: '+49 30 000001' },
    address: { line1: '1 Example Street', city: 'Berlin', pincode: '10115', country: 'DE' },
  },
  shipTo: {
    contact: { name: 'Bob Example', contactNumber: '+91 22 000002' },
    address: { line1: '2 Example Road', pincode: '400001', county: 'Fort', country: 'IN' },
  },
});

/** What the four profiles ask for beyond the least. */
export const fullOrder = (): Order => {
  const order = leastOrder();
  const [first] = order.consignmentDetails.packageDetails;
  Object.assign(order.consignmentDetails, {
    totalVolume: 0.006,
    totalVolumeUom: 'CBM',
    specialInstructions: 'Two people',
  });
  Object.assign(first!, { description: 'Lamp', volume: 6000, volumeUom: 'CM3' });
  Object.assign(order.shipFrom, {
    pickupStartDateTime: '2026-05-01 09:00:00',
    pickupEndDateTime: '2026-05-01 12:00:00',
  });
  Object.assign(order.shipTo, {
    deliveryStartDateTime: '2026-05-03 09:00:00',
    deliveryEndDateTime: '2026-05-03 12:00:00',
  });
  order.routeDetails = { skills: ['two-man'] };
  return order;
};

const ANY: Capabilities = {
  fleet: 'outsourced',
  bulky: false,
  orders: ['FORWARD', 'REVERSE'],
  maxPackages: undefined,
  vas: undefined,
  cod: true,
  from: undefined,
  to: undefined,
};

type RuleCarrier = Pick<Carrier, 'code' | 'capabilities' | 'services' | 'vas'>;

/** A carrier that can do anything, but for what is said. */
export const carrierWith = (
  capabilities: Partial<Capabilities> = {},
  services?: readonly ServiceRow[],
): RuleCarrier => ({
  code: 'acme',
  capabilities: { ...ANY, ...capabilities },
  vas: {},
  services: services === undefined ? undefined : new Map(services.map((row) => [row.name.toLowerCase(), row])),
});

/** Sets the value at a path such as `consignmentDetails.packageDetails[0].weight`, making what is missing on the way. */
export const put = (target: object, path: string, value: unknown): void => {
  const keys = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  let at = target as Record<string, unknown>;
  keys.slice(0, -1).forEach((key, index) => {
    at[key] ??= /^\d+$/.test(keys[index + 1]!) ? [] : {};
    at = at[key] as Record<string, unknown>;
  });
  const last = keys.at(-1)!;
  if (value === undefined) delete at[last];
  else at[last] = value;
};

/** What a check found wrong; nothing where it passed. */
export const messagesOf = (checked: { readonly ok: boolean; readonly issues?: readonly Issue[] }): readonly string[] =>
  (checked.issues ?? []).map(({ message }) => message);

/** The value at such a path. */
export const peekAt = (source: unknown, path: string): unknown =>
  path
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], source);

/** Every place of a body, as such a path: each object, list and value. */
export const placesOf = (value: unknown, at = ''): readonly string[] => {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, held]) =>
          placesOf(held, Array.isArray(value) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`),
        )
      : [];
  return at === '' ? inner : [at, ...inner];
};

/** A copy with these values at these places, but for places in what another change has taken away. */
export const brokenBy = (body: object, changes: readonly (readonly [string, unknown])[]): object => {
  const broken = structuredClone(body);
  for (const [path, value] of changes) {
    try {
      put(broken, path, value);
    } catch {
      continue;
    }
  }
  return broken;
};

/** A copy of an order with some paths set; undefined removes. */
export const changed = (order: Order, changes: Readonly<Record<string, unknown>>): Order => {
  const copy = structuredClone(order);
  for (const [path, value] of Object.entries(changes)) put(copy, path, value);
  return copy;
};
