import { type Static, type TSchema, Type } from 'typebox';
import { jsonCodec } from '../codecs/json.ts';
import { Label } from '../consignment/answer.ts';
import type { FindingCode } from '../error-codes.ts';
import { Failure } from '../failure.ts';
import { VALUES_MAX } from '../large.ts';
import { type Issue, issueAt, validator } from '../validate.ts';
import { isMap, kindOf } from '../value.ts';

/**
 * The status update of the carrier contract, in two uses. What a mapping
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
    orderNo: Type.Optional(
      Type.String({ description: 'With consignmentNumber it names a shipment whose value is not known.' }),
    ),
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
    statusIdentifierValue: Type.Optional(
      Type.String({ description: 'FORWARD or REVERSE, which tells apart the consignments of one order.' }),
    ),
    extraInfo: Type.Optional(ExtraInfo),
    driverName: text(),
    vehicleNumber: text(),
    info: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    installationItems: Type.Optional(Type.Array(InstallationItem)),
    label: Type.Optional(Label),
    labelUrl: text(),
  },
  closed,
);
export type StatusUpdate = Static<typeof StatusUpdate>;

/** The label it brings: `labelUrl` is as good as `label.url`. */
export const labelOf = ({ label, labelUrl = '' }: StatusUpdate): Label | undefined =>
  label ?? (labelUrl.trim() === '' ? undefined : { url: labelUrl.trim() });

/** What a `track` result or a webhook's `events` yields: none, one or many. */
export const StatusUpdates = Type.Array(StatusUpdate);

const fitsLabel = validator(Label, 'label');

/** Reads a pushed status update; undefined only for what is no object at all. */
export const readPush = (body: unknown): StatusUpdate | undefined =>
  isMap(body) ? (tolerant(StatusUpdate as Shape, body) as StatusUpdate) : undefined;

const NAMES = ['value', 'orderNo', 'consignmentNumber'] as const;

const issueOf = (at: string, code: FindingCode, says: string): Issue =>
  at === '' ? { path: '', code, message: `the body ${says}` } : issueAt(at, code, says);

/** Why an entry of a push can be no status update of the contract: it is no object, or names no shipment. */
const problemsOf = (body: unknown, update: StatusUpdate | undefined, at: string): readonly Issue[] => {
  if (update === undefined)
    return [issueOf(at, 'wrong_type', `must be a status update, an object, and is ${kindOf(body)}`)];
  if (NAMES.some((name) => update[name]?.trim())) return [];
  const pathOf = (name: string) => (at === '' ? name : `${at}.${name}`);
  const strange = NAMES.flatMap((name) => {
    const value = isMap(body) ? body[name] : undefined;
    const isText = value === undefined || value === null || typeof value === 'string';
    return isText ? [] : [issueAt(pathOf(name), 'wrong_type', `must be text, and is ${kindOf(value)}`)];
  });
  const says = 'is missing or blank: it names the shipment; or give orderNo or consignmentNumber';
  return [...strange, issueAt(pathOf('value'), 'required', says)];
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
const tolerant = (shape: Shape, value: unknown): unknown => {
  if (isLabel(shape)) return fitsLabel(value).ok ? value : undefined;
  if (shape.anyOf !== undefined) return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  if (shape.type === 'string') {
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  }
  if (shape.type === 'array') {
    const { items = {} } = shape;
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    const fitting = list.map((entry) => tolerant(items, entry)).filter((entry) => entry !== undefined);
    return fitting.length === 0 && !Array.isArray(value) ? undefined : fitting;
  }
  if (!isMap(value)) return undefined;
  const { properties } = shape;
  if (properties === undefined) return value;
  const entries: [string, unknown][] = [];
  for (const key in properties) {
    const kept = Object.hasOwn(value, key) ? tolerant(properties[key] ?? {}, value[key]) : undefined;
    if (kept !== undefined) entries.push([key, kept]);
  }
  return Object.fromEntries(entries);
};

/** Of one webhook or poll. */
export const UPDATES_MAX = 5_000;
/** Of one push, which is read, matched and written at once. */
export const PUSHED_MAX = 1_000;
const PROBLEMS_MAX = 20;

/**
 * Reads the body of the contract's push: one status update or an array of them. What cannot be read loses nothing of
 * the rest. Throws a `Failure` when it is no JSON, or too large.
 */
export const readContractPush = (body: Uint8Array) => {
  const decoded = jsonCodec.decode(body, { limits: { maxNodes: VALUES_MAX } });
  if (!decoded.ok) throw decoded.reason;
  const isList = Array.isArray(decoded.body);
  const list: readonly unknown[] = Array.isArray(decoded.body) ? decoded.body : [decoded.body];
  if (list.length > PUSHED_MAX)
    throw new Failure(`more than ${PUSHED_MAX} status updates in one push`, { code: 'push_too_large' });
  const read = list.map((entry, at) => {
    const update = readPush(entry);
    return { update, problems: problemsOf(entry, update, isList ? `[${at}]` : '') };
  });
  const updates = read.flatMap(({ update, problems }) => (update === undefined || problems.length > 0 ? [] : [update]));
  const problems =
    list.length === 0
      ? [issueOf('', 'too_few', 'is a list without a status update')]
      : read.flatMap((one) => one.problems);
  return {
    updates,
    /** Why parts of it could not be read; where there are no `updates`, why the whole is no push. */
    problems: problems.slice(0, PROBLEMS_MAX),
  };
};

// What an update says -------------------------------------------------------------------------------------------------

// Longer than any carrier's code; both codes and their carrier must fit into one entry of an index.
const CODE_MAX = 300;
const DESCRIPTION_MAX = 2_000;

/**
 * What the status table compares, and lists of unmapped statuses show: `carrierStatusCode`, else `carrierStatus`, and
 * the sub-code alike; missing is empty, too long is cut.
 */
export const carrierStatusOf = (update: StatusUpdate) => ({
  code: bounded(update.carrierStatusCode, update.carrierStatus),
  subCode: bounded(update.carrierSubStatusCode, update.carrierSubStatus),
  description: cleanText(update.carrierStatusDescription ?? '', DESCRIPTION_MAX),
});
export type CarrierStatus = ReturnType<typeof carrierStatusOf>;

const bounded = (...texts: readonly (string | undefined)[]): string =>
  cleanText(texts.find((text) => text !== undefined && text.trim() !== '') ?? '', CODE_MAX);

/** Text that a column of the records can hold: without NUL and half surrogates, not longer than `max`. */
export const cleanText = (text: string, max: number): string =>
  text.trim().slice(0, max).toWellFormed().replaceAll('\u0000', '\uFFFD');

/** Says nothing of a status: such an event asks for a poll. */
export const isWithoutStatus = (update: StatusUpdate): boolean => {
  const { code, subCode, description } = carrierStatusOf(update);
  const isSilent = (update.carrierSubStatusDescription ?? '').trim() === '';
  return isSilent && code === '' && subCode === '' && description === '';
};

/** When it happened, as the carrier writes it: `statusReceivedAt`, or where that is missing `lastUpdatedAt`. */
export const eventTimeOf = (update: StatusUpdate): string | number | undefined =>
  [update.statusReceivedAt, update.lastUpdatedAt].find((time) => time !== undefined && String(time).trim() !== '');
