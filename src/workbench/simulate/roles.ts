import { isMap } from '../../engine/value.ts';

/** The words of one consignment by what they are: `number`, `packages.0.number`, `memo.orderId`, `order.referenceId`. */
export type Roles = ReadonlyMap<string, string>;

const rolesIn = (prefix: string, held: unknown): readonly (readonly [string, string])[] =>
  isMap(held)
    ? Object.entries(held).flatMap(([key, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [[`${prefix}.${key}`, String(value)] as const] : [],
      )
    : [];

const numberOf = (name: string, value: unknown): readonly (readonly [string, string])[] =>
  typeof value === 'string' && value !== '' ? [[name, value]] : [];

export const rolesOfShipment = (
  shipment:
    | { readonly trackingNumber?: unknown; readonly memo?: unknown; readonly packages?: readonly object[] }
    | undefined,
): Roles =>
  new Map([
    ...numberOf('number', shipment?.trackingNumber),
    ...rolesIn('memo', shipment?.memo),
    ...(shipment?.packages ?? []).flatMap((one: { readonly trackingNumber?: unknown; readonly memo?: unknown }, at) => [
      ...numberOf(`packages.${at}.number`, one.trackingNumber),
      ...rolesIn(`packages.${at}.memo`, one.memo),
    ]),
  ]);

/** Of what a create, an update or a lookup yields, and of a pickup or a reservation. */
export const rolesOfResult = (result: unknown): Roles => {
  if (!isMap(result)) return new Map();
  const { itemsTrackDetails: items = result['packages'], masterTrackingNumber, number, reservation, memo } = result;
  const packages = Array.isArray(items) ? items.filter(isMap) : [];
  return new Map([
    ...rolesOfShipment({ trackingNumber: packages[0]?.['trackingNumber'], memo, packages }),
    ...numberOf('number', masterTrackingNumber ?? number ?? reservation),
  ]);
};

const NAMES = ['referenceId', 'orderNumber', 'consignmentNumber'] as const;

export const rolesOfOrder = (consignment: Readonly<Record<string, unknown>> | undefined): Roles =>
  new Map(NAMES.flatMap((name) => numberOf(`order.${name}`, consignment?.[name])));
