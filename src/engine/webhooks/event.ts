/** What shippers are notified of, and the body of the webhook that does it. */
import { type Static, Type } from 'typebox';
import { ChoiceEntry } from '../consignment/reply.ts';
import { type Chosen, choiceEntry } from '../policy/chosen.ts';
import { NORMALISED_STATUSES, type NormalisedStatus } from '../statuses/status.ts';
import { StatusUpdate } from '../statuses/status-update.ts';
import { present } from '../value.ts';

/** What is no status. */
export const OTHER_EVENTS = [
  'consignment.tracking',
  'consignment.label',
  'consignment.rejected',
  'consignment.held',
  'consignment.partial',
] as const;
/** Any status. */
export const STATUS_EVENT = 'consignment.status';
const eventOfStatus = (status: NormalisedStatus) => `consignment.${status.toLowerCase().replaceAll(' ', '_')}`;
/** What an `event` is called, but for the number of a repeat. */
const EVENT_NAMES: readonly string[] = [...OTHER_EVENTS, ...NORMALISED_STATUSES.map(eventOfStatus)];
/** What events may be asked for by. */
export const EVENT_FILTERS: readonly string[] = [STATUS_EVENT, ...EVENT_NAMES];

/** One webhook to a shipper; the records add what the consignment says, and number it. */
export interface NoticeDraft {
  /** Of a status: named after it. */
  readonly event: typeof STATUS_EVENT | (typeof OTHER_EVENTS)[number];
  /** Index of the package it is about; undefined: the consignment as a whole. */
  readonly position?: number | undefined;
  /** Of `consignment.tracking`: indexes of the packages that have their numbers now. */
  readonly positions?: readonly number[] | undefined;
  /** The package's status before, where this notice is of a change. */
  readonly previousStatus?: NormalisedStatus | undefined;
  /** Of the event itself, where that is not the package's current one: a late event tells of its own status. */
  readonly status?: NormalisedStatus | undefined;
  /** A `Reason`, or a sentence. */
  readonly reason?: string | undefined;
  /** The carrier's own words, times, places and proofs. */
  readonly update?: StatusUpdate | undefined;
  /** Milliseconds since 1970. */
  readonly occurredAtMs?: number | undefined;
  readonly eventTimezone?: string | undefined;
  readonly info?: Readonly<Record<string, unknown>> | undefined;
  /** Of `consignment.label`. */
  readonly state?: 'stored' | 'failed' | undefined;
}

// The body ------------------------------------------------------------------------------------------------------------

const text = () => Type.Optional(Type.String());
const time = (description: string) => Type.String({ format: 'date-time', description });
const textOrNull = () => Type.Union([Type.String(), Type.Null()]);
const { extraInfo, installationItems, driverName, vehicleNumber } = StatusUpdate.properties;

/** The body of a webhook to a shipper. */
export const WebhookEvent = Type.Object({
  eventId: Type.String({ description: 'Also the webhook-id: the same for every try.' }),
  timestamp: time('When it happened: ISO 8601, UTC. Orders the events of a consignment.'),
  receivedAt: time('When this platform knew of it: ISO 8601, UTC.'),
  sequence: Type.Integer({
    description: 'Counts the events of the consignment as they became known, from 1, without gaps.',
  }),
  event: Type.String({
    pattern: `^(${EVENT_NAMES.join('|').replaceAll('.', '\\.')})(\\.[2-9]|\\.[1-9]\\d+)?$`,
    description:
      'What happened; where the same happens again to one referenceNumber, with .2, .3 and so on: with the ' +
      'referenceNumber it is the idempotency key.',
    examples: ['consignment.out_for_delivery', 'consignment.delivery_failed.2'],
  }),
  state: Type.Optional(
    Type.Enum(['stored', 'failed'], { description: 'Of a label; where it failed, `reason` and `info.code` say why.' }),
  ),
  referenceNumber: Type.String(),
  orderNumber: Type.String(),
  consignmentNumber: Type.String(),
  consignmentType: Type.String(),
  orderTypes: Type.Array(Type.String(), {
    description: 'The consignmentType, and EXCHANGE or TRANSFER where it is one.',
  }),
  carrierCode: Type.String(),
  trackingNumber: textOrNull(),
  packageId: Type.Optional(
    Type.String({ description: 'Missing where it is about several packages, or the consignment.' }),
  ),
  trackingDetails: Type.Optional(
    Type.Array(Type.Object({ packageId: Type.String(), trackingNumber: textOrNull() }), {
      description: 'Of `consignment.tracking`: the packages that have their numbers now.',
    }),
  ),
  status: Type.String({ description: 'Of the package; a late event tells of its own.' }),
  previousStatus: textOrNull(),
  consignmentStatus: Type.String({ description: 'Of all packages, rolled up.' }),
  reason: textOrNull(),
  carrierStatus: Type.Optional(
    Type.Object(
      {
        status: text(),
        code: text(),
        description: text(),
        subStatus: text(),
        subStatusCode: text(),
        subStatusDescription: text(),
      },
      { description: 'In the carrier’s words.' },
    ),
  ),
  occurredAt: Type.Optional(time('As `timestamp`, where the carrier said when.')),
  eventTimezone: text(),
  location: Type.Optional(Type.Object({ code: text(), name: text(), latitude: text(), longitude: text() })),
  extraInfo,
  installationItems,
  driverName,
  vehicleNumber,
  info: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'As the carrier gave it; of what was rejected, held or failed the `operation`, and the `code` of why; of a ' +
        'partial create the packages that were `made`, and those that are `missing`.',
    }),
  ),
  choice: Type.Optional(
    Type.Object(ChoiceEntry.properties, {
      description: 'Of an order that names a policy: what it chose, and who was asked in vain.',
    }),
  ),
  labels: Type.Array(Type.Object({ packageId: text(), url: Type.String(), format: text() })),
});
export type WebhookEvent = Static<typeof WebhookEvent>;

interface NoticePackage {
  readonly reference: string;
  readonly trackingNumber: string | undefined;
  readonly status: NormalisedStatus;
  readonly reason: string | undefined;
}

/** What the notice's consignment says at that moment. */
export interface NoticeConsignment {
  readonly referenceNumber: string;
  readonly orderNumber: string;
  readonly consignmentNumber: string;
  readonly consignmentType: string;
  readonly orderTypes: readonly string[];
  readonly carrierCode: string;
  readonly choice?: Chosen | undefined;
  readonly masterTrackingNumber: string | undefined;
  readonly status: NormalisedStatus;
  readonly packages: readonly NoticePackage[];
  /** Label links, each with the index of its package; undefined: for all. */
  readonly labels: readonly {
    readonly position: number | undefined;
    readonly url: string;
    readonly format: string | undefined;
  }[];
}

export interface NoticeNumber {
  readonly eventId: string;
  readonly sequence: number;
  /** How often the same has happened to this reference, this time included. */
  readonly times: number;
  readonly atMs: number;
}

/** Indexes of the packages it is about; undefined: the consignment as a whole. */
const positionsOf = ({ position, positions }: NoticeDraft): readonly number[] | undefined =>
  position === undefined ? positions : [position];

const packageOf = (draft: NoticeDraft, { packages }: NoticeConsignment): NoticePackage | undefined => {
  const [only, ...more] = positionsOf(draft) ?? [];
  return only === undefined || more.length > 0 ? undefined : packages[only];
};

const statusOf = (draft: NoticeDraft, consignment: NoticeConsignment): NormalisedStatus =>
  draft.status ?? packageOf(draft, consignment)?.status ?? consignment.status;

/** One of `EVENT_NAMES`. */
export const nameOf = (draft: NoticeDraft, consignment: NoticeConsignment): string =>
  draft.event === STATUS_EVENT ? eventOfStatus(statusOf(draft, consignment)) : draft.event;

/** Pure. Fields that say nothing are left out, but for those that name the consignment and its states. */
export const buildNoticeBody = (
  { eventId, sequence, times, atMs }: NoticeNumber,
  draft: NoticeDraft,
  consignment: NoticeConsignment,
): WebhookEvent => {
  const one = packageOf(draft, consignment);
  const positions = positionsOf(draft);
  const { update } = draft;
  return {
    eventId,
    timestamp: new Date(draft.occurredAtMs ?? atMs).toISOString(),
    receivedAt: new Date(atMs).toISOString(),
    sequence,
    event: `${nameOf(draft, consignment)}${times === 1 ? '' : `.${times}`}`,
    ...(draft.state === undefined ? {} : { state: draft.state }),
    referenceNumber: consignment.referenceNumber,
    orderNumber: consignment.orderNumber,
    consignmentNumber: consignment.consignmentNumber,
    consignmentType: consignment.consignmentType,
    orderTypes: [...consignment.orderTypes],
    carrierCode: consignment.carrierCode,
    trackingNumber:
      one?.trackingNumber ??
      consignment.masterTrackingNumber ??
      consignment.packages[positions?.[0] ?? 0]?.trackingNumber ??
      null,
    ...present({
      packageId: one?.reference,
      trackingDetails: draft.positions?.flatMap((at) => {
        const { reference: packageId, trackingNumber = null } = consignment.packages[at] ?? {};
        return packageId === undefined ? [] : [{ packageId, trackingNumber }];
      }),
    }),
    status: statusOf(draft, consignment),
    previousStatus: draft.previousStatus ?? null,
    consignmentStatus: consignment.status,
    reason: draft.reason ?? null,
    ...present({
      carrierStatus: update && carrierStatusOf(update),
      occurredAt: draft.occurredAtMs === undefined ? undefined : new Date(draft.occurredAtMs).toISOString(),
      eventTimezone: draft.eventTimezone,
      location: update && locationOf(update),
      extraInfo: update?.extraInfo,
      installationItems: update?.installationItems,
      driverName: update?.driverName,
      vehicleNumber: update?.vehicleNumber,
      info: draft.info ?? update?.info,
      choice: consignment.choice && choiceEntry(consignment.choice),
    }),
    labels: consignment.labels
      .filter(({ position }) => position === undefined || positions?.includes(position) !== false)
      .map(({ position, url, format }) => ({
        ...present({
          packageId: position === undefined ? undefined : consignment.packages[position]?.reference,
          format,
        }),
        url,
      })),
  };
};

const carrierStatusOf = (update: StatusUpdate): WebhookEvent['carrierStatus'] =>
  present({
    status: update.carrierStatus,
    code: update.carrierStatusCode,
    description: update.carrierStatusDescription,
    subStatus: update.carrierSubStatus,
    subStatusCode: update.carrierSubStatusCode,
    subStatusDescription: update.carrierSubStatusDescription,
  });

const locationOf = ({ locationCode, locationName, latitude, longitude }: StatusUpdate): WebhookEvent['location'] => {
  const location = present({ code: locationCode, name: locationName, latitude, longitude });
  return Object.keys(location).length === 0 ? undefined : location;
};
