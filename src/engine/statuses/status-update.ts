import { type Static, type TSchema, Type } from 'typebox';
import { Label } from '../consignment/answer.ts';
import { type Issue, type Validated, validator } from '../validate.ts';

/**
 * The status update of the carrier contract (spec/carrier-contract.md, "Status update"), in two uses. What a mapping
 * yields is checked strictly (`StatusUpdate`, unknown keys are errors). What a carrier pushes is read tolerantly
 * (`readPush`): carriers add fields and write numbers where the contract has text, and none of that may lose an event.
 */

const closed = { additionalProperties: false } as const;
const text = () => Type.Optional(Type.String());
// As the carrier writes it: the profile's `time` reads it, and a format there may be a number (epoch, epochMs).
const time = () => Type.Optional(Type.Union([Type.String(), Type.Number()]));

const Pod = Type.Object({ type: text(), url: text() }, closed);

const ExtraInfo = Type.Object(
  {
    comments: text(),
    promisedDeliveryDate: text(),
    expectedDeliveryDate: text(),
    receivedBy: text(),
    relation: text(),
    pod: Type.Optional(Type.Array(Pod)),
    signature: text(),
  },
  closed,
);

const InstallationItem = Type.Object(
  {
    itemReferenceNumber: text(),
    level: text(),
    targetIds: Type.Optional(Type.Array(Type.String())),
    vasCode: text(),
    status: text(),
    statusCode: text(),
    statusTime: time(),
  },
  closed,
);

export const StatusUpdate = Type.Object(
  {
    orderNo: text(),
    type: Type.Optional(Type.String({ description: 'Tracking (default), Reference, Order, Consignment or a memo.' })),
    value: Type.Optional(Type.String({ description: 'The identifier of the shipment, of the kind that type says.' })),
    consignmentNumber: text(),
    carrierCode: text(),
    carrierStatus: text(),
    carrierStatusCode: text(),
    carrierStatusDescription: text(),
    carrierSubStatus: text(),
    carrierSubStatusCode: text(),
    carrierSubStatusDescription: text(),
    statusReceivedAt: time(),
    eventTimezone: text(),
    locationCode: text(),
    locationName: text(),
    latitude: text(),
    longitude: text(),
    lastUpdatedAt: time(),
    statusIdentifierValue: text(),
    extraInfo: Type.Optional(ExtraInfo),
    driverName: text(),
    vehicleNumber: text(),
    info: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    installationItems: Type.Optional(Type.Array(InstallationItem)),
    label: Type.Optional(Label),
  },
  closed,
);
export type StatusUpdate = Static<typeof StatusUpdate>;

/** What a `track` result or a webhook's `events` yields: none, one or many. */
export const StatusUpdates = Type.Array(StatusUpdate);

export interface Push {
  readonly update: StatusUpdate;
  /** Paths of what the contract does not know or what could not be read, left out of `update`. */
  readonly ignored: readonly string[];
}

const IGNORED_MAX = 50;
const fitsLabel = validator(Label, 'label');
const WHOLE: Issue = { path: '', message: 'a status update must be an object', rule: 'type' };

/** Reads a pushed status update. Only what is no object at all is refused. */
export const readPush = (body: unknown): Validated<Push> => {
  const ignored: string[] = [];
  const update = tolerant(StatusUpdate as Shape, body, '', ignored);
  if (update === undefined || body === null || typeof body !== 'object') return { ok: false, issues: [WHOLE] };
  return {
    ok: true,
    value: { update: update as StatusUpdate, ignored: ignored.slice(0, IGNORED_MAX).map((path) => path.slice(0, 200)) },
  };
};

interface Shape extends TSchema {
  readonly type?: string;
  readonly anyOf?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** `Type.Optional` makes a copy, so it is known by what it holds. */
const isLabel = ({ properties }: Shape): boolean => properties !== undefined && 'content' in properties;

/** The value as far as it fits the schema; undefined when nothing of it does. */
const tolerant = (shape: Shape, value: unknown, path: string, ignored: string[]): unknown => {
  const misfit = (): undefined => {
    if (value !== undefined && value !== null) ignored.push(path);
    return undefined;
  };
  if (isLabel(shape)) return fitsLabel(value).ok ? value : misfit();
  if (shape.anyOf !== undefined) return typeof value === 'string' || typeof value === 'number' ? value : misfit();
  if (shape.type === 'string') {
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : misfit();
  }
  if (shape.type === 'array') {
    const { items = {} } = shape;
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    const kept = list.map((entry, at) => tolerant(items, entry, `${path}[${at}]`, ignored));
    const fitting = kept.filter((entry) => entry !== undefined);
    return fitting.length === 0 && !Array.isArray(value) ? undefined : fitting;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return misfit();
  const { properties } = shape;
  if (properties === undefined) return value;
  const entries: [string, unknown][] = [];
  for (const [key, held] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const inner = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (inner === undefined) ignored.push(at);
    else {
      const kept = tolerant(inner, held, at, ignored);
      if (kept !== undefined) entries.push([key, kept]);
    }
  }
  return Object.fromEntries(entries);
};
