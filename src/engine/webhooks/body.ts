/** The body of a webhook to a shipper, made of the notice and the records. */
import type { NoticeDraft } from './notice.ts';
import type { NormalisedStatus } from '../statuses/status.ts';
import type { WebhookEvent } from './event.ts';

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
  readonly carrierCode: string;
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
  readonly atMs: number;
}

/** Pure. Fields that say nothing are left out, but for those that name the consignment and its states. */
export const buildNoticeBody = (
  { eventId, sequence, atMs }: NoticeNumber,
  draft: NoticeDraft,
  consignment: NoticeConsignment,
): WebhookEvent => {
  const one = draft.position === undefined ? undefined : consignment.packages[draft.position];
  const { update } = draft;
  return {
    eventId,
    timestamp: new Date(atMs).toISOString(),
    sequence,
    event: draft.event,
    referenceNumber: consignment.referenceNumber,
    orderNumber: consignment.orderNumber,
    consignmentNumber: consignment.consignmentNumber,
    consignmentType: consignment.consignmentType,
    carrierCode: consignment.carrierCode,
    trackingNumber:
      one?.trackingNumber ?? consignment.masterTrackingNumber ?? consignment.packages[0]?.trackingNumber ?? null,
    ...(one === undefined ? {} : { packageId: one.reference }),
    status: draft.status ?? one?.status ?? consignment.status,
    previousStatus: draft.previousStatus ?? null,
    consignmentStatus: consignment.status,
    reason: draft.reason ?? null,
    ...(update === undefined
      ? {}
      : {
          carrierStatus: present({
            status: update.carrierStatus,
            code: update.carrierStatusCode,
            description: update.carrierStatusDescription,
            subStatus: update.carrierSubStatus,
            subStatusCode: update.carrierSubStatusCode,
            subStatusDescription: update.carrierSubStatusDescription,
          }),
        }),
    ...present({
      occurredAt: draft.occurredAtMs === undefined ? undefined : new Date(draft.occurredAtMs).toISOString(),
      eventTimezone: draft.eventTimezone,
      location: locationOf(update),
      extraInfo: update?.extraInfo,
      installationItems: update?.installationItems,
      driverName: update?.driverName,
      vehicleNumber: update?.vehicleNumber,
      info: draft.info ?? update?.info,
    }),
    labels: consignment.labels
      .filter(({ position }) => position === undefined || draft.position === undefined || position === draft.position)
      .map(({ position, url, format }) => ({
        ...present({
          packageId: position === undefined ? undefined : consignment.packages[position]?.reference,
          format,
        }),
        url,
      })),
  };
};

const locationOf = (update: NoticeDraft['update']): WebhookEvent['location'] => {
  const location = present({
    code: update?.locationCode,
    name: update?.locationName,
    latitude: update?.latitude,
    longitude: update?.longitude,
  });
  return Object.keys(location).length === 0 ? undefined : location;
};

type Present<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

const present = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Present<Fields>>;
