import { Consignment } from '../domain/consignment.ts';
import type { Root } from './roots.ts';

/** What fields a value has, as far as that is known beforehand. Lists count as their elements, as in a path. */
export type Shape = 'open' | ReadonlyMap<string, Shape>;

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly type?: unknown;
}

/** The shape that a JSON Schema describes; a scalar has no fields. */
function shapeOfSchema(schema: JsonSchema): Shape {
  if (schema.items !== undefined) return shapeOfSchema(schema.items);
  if (schema.type === 'number' || schema.type === 'integer') return NUMBER;
  if (schema.properties === undefined) return schema.type === 'object' ? 'open' : NO_FIELDS;
  return new Map(Object.entries(schema.properties).map(([name, inner]) => [name, shapeOfSchema(inner)]));
}

const NO_FIELDS: Shape = new Map();
/** A number has no fields either, but as a filter it is an index. */
export const NUMBER: Shape = new Map();

const fields = (known: Readonly<Record<string, Shape>>): Shape => new Map(Object.entries(known));

/** A map of the named fields, each of any shape: declared settings, credentials, memos. */
const fieldsNamed = (names: Iterable<string>): Shape => new Map([...names].map((name) => [name, 'open']));

const FAULT = fields({ code: NO_FIELDS, subcode: NO_FIELDS, message: NO_FIELDS, detail: 'open' });
const RESPONSE = fields({ status: NUMBER, headers: 'open', body: 'open', text: NO_FIELDS, fault: FAULT });
const REQUEST = fields({
  method: NO_FIELDS,
  url: NO_FIELDS,
  path: NO_FIELDS,
  query: 'open',
  headers: 'open',
  body: 'open',
  text: NO_FIELDS,
});
const shipmentOf = (memo: Shape): Shape =>
  fields({
    trackingNumber: NO_FIELDS,
    memo,
    packages: fields({ itemReferenceNumber: NO_FIELDS, trackingNumber: NO_FIELDS, memo }),
  });

/** What is known of the roots without a profile. */
export const ROOT_SHAPES: Readonly<Partial<Record<Root, Shape>>> = {
  consignment: shapeOfSchema(Consignment as JsonSchema),
  service: fields({ name: NO_FIELDS, typeOfService: NO_FIELDS, code: NO_FIELDS, orders: NO_FIELDS }),
  shipment: shipmentOf('open'),
  response: RESPONSE,
  request: REQUEST,
  webhook: fields({ url: NO_FIELDS }),
};

/** What a profile declares, for `checkRoots`. */
export const declaredShapes = (declared: {
  readonly settings: Iterable<string>;
  readonly credentials: Iterable<string>;
  readonly memo: Iterable<string>;
}): Readonly<Partial<Record<Root, Shape>>> => ({
  settings: fieldsNamed(declared.settings),
  credentials: fieldsNamed(declared.credentials),
  shipment: shipmentOf(fieldsNamed(declared.memo)),
});
