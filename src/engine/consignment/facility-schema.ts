import { type Static, Type } from 'typebox';
import { text } from './field.ts';
import { createSchema, type JsonSchema } from './profile-schema.ts';
import type { Order } from './schema.ts';

type ShipFrom = Order['shipFrom'];

/** A facility as its shipper registers it: address, contact and time zone as an order's `shipFrom` has them. */
export interface FacilityDetails {
  readonly name?: string;
  readonly contact?: ShipFrom['contact'];
  readonly address: ShipFrom['address'];
  readonly timezone?: string;
}

type Properties = Readonly<Record<string, JsonSchema & { readonly properties: Properties }>>;
const { shipFrom } = (createSchema('OP') as unknown as { readonly properties: Properties }).properties;
if (shipFrom === undefined) throw new Error('an order has no shipFrom');
const { contact, address, timezone } = shipFrom.properties;

export const facilityProperties = {
  name: { ...text(), description: 'For people.' },
  contact,
  address,
  timezone,
} as const;

export const FacilityBody = {
  type: 'object',
  properties: facilityProperties,
  required: ['address'],
  // What is misspelt here would be missing in every order.
  additionalProperties: false,
} as const satisfies Readonly<Record<string, unknown>>;

/** A facility's code, as orders name it. */
export const FacilityCode = Type.String({ pattern: '\\S', maxLength: 100, 'x-must': 'not be blank' });
export type FacilityCode = Static<typeof FacilityCode>;
