/** Status pushes of the carrier contract, made of what was reported. Pure. */
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { localAt } from '../resources/shifts.ts';
import type { EventType, ReportedEvent } from './events.ts';

interface PushedTask {
  readonly kind: 'DELIVERY' | 'PICKUP';
  readonly consignment: Pick<Consignment, 'orderNumber' | 'consignmentNumber' | 'carrierCode'>;
  readonly packages: readonly { readonly itemReference: string; readonly trackingNumber: string }[];
}

type OfReport = 'latitude' | 'longitude' | 'comment' | 'receivedBy' | 'relation' | 'vas';
export interface PushedEvent extends Pick<ReportedEvent, OfReport> {
  readonly id: string;
  readonly type: EventType;
  readonly atMs: number;
  readonly timeZone: string;
  readonly driverName: string;
  readonly vehicle: string;
  /** The fleet's own reason, and the platform's. */
  readonly reason?: { readonly code: string; readonly description: string; readonly reason: string } | undefined;
  readonly proofs: readonly { readonly kind: 'photo' | 'signature'; readonly url: string }[];
  /** Item references: of a part, those that were handed over; of what is back at the depot, those that were collected. */
  readonly packages?: readonly string[];
  readonly etaMs?: number | undefined;
  /** Of what came back: no other try is made. */
  readonly isLast?: boolean;
}

const DELIVERY: Readonly<Partial<Record<EventType, string>>> = {
  route_started: 'OUT_FOR_DELIVERY',
  en_route: 'EN_ROUTE',
  arrived: 'ARRIVED',
  delivered: 'DELIVERED',
  partly_delivered: 'PARTIALLY_DELIVERED',
  failed: 'DELIVERY_FAILED',
  delayed: 'DELAYED',
  broken_down: 'DELAYED',
};
const PICKUP: Readonly<Partial<Record<EventType, string>>> = {
  route_started: 'OUT_FOR_PICKUP',
  en_route: 'EN_ROUTE_TO_PICKUP',
  arrived: 'ARRIVED_AT_PICKUP',
  delivered: 'PICKED_UP',
  partly_delivered: 'PICKED_UP',
  failed: 'PICKUP_FAILED',
};

/** Undefined: the contract has no word for it. */
const codeOf = (kind: PushedTask['kind'], { type, isLast = false }: PushedEvent): string | undefined => {
  if (type !== 'returned_to_depot') return (kind === 'DELIVERY' ? DELIVERY : PICKUP)[type];
  if (kind === 'PICKUP') return 'DELIVERED';
  return isLast ? 'RETURNED_TO_ORIGIN' : 'AT_FACILITY';
};

/** An update for each package; of a part that was handed over, what was not has failed. */
export const pushesOf = (task: PushedTask, event: PushedEvent): readonly StatusUpdate[] => {
  const { kind, packages } = task;
  const code = codeOf(kind, event);
  if (code === undefined) return [];
  const isIn = ({ itemReference }: PushedTask['packages'][number]): boolean =>
    event.packages?.includes(itemReference) ?? true;
  if (event.type === 'returned_to_depot' && kind === 'PICKUP')
    return packages.filter(isIn).map((one) => updateOf(task, event, one, code));
  if (event.type !== 'partly_delivered' || event.packages === undefined)
    return packages.map((one) => updateOf(task, event, one, code));
  const words = kind === 'DELIVERY' ? DELIVERY : PICKUP;
  // Of a single package, a part of what is in it.
  const done = packages.length === 1 ? event.type : 'delivered';
  return packages.map((one) => updateOf(task, event, one, words[isIn(one) ? done : 'failed'] ?? code));
};

const FAILED: ReadonlySet<string> = new Set(['DELIVERY_FAILED', 'PICKUP_FAILED']);

const updateOf = (
  { kind, consignment: { orderNumber, consignmentNumber, carrierCode } }: PushedTask,
  event: PushedEvent,
  { itemReference, trackingNumber }: PushedTask['packages'][number],
  code: string,
): StatusUpdate => {
  const { atMs, timeZone, reason, comment, receivedBy, relation, proofs, latitude, longitude, etaMs } = event;
  const at = localAt(atMs, timeZone);
  const photos = proofs.filter((proof) => proof.kind === 'photo').map(({ url }) => ({ type: 'photo', url }));
  const signature = proofs.find((proof) => proof.kind === 'signature')?.url;
  const vas = (event.vas ?? []).filter(
    (one) => one.itemReferenceNumber === undefined || one.itemReferenceNumber === itemReference,
  );
  const isFailed = FAILED.has(code);
  const extra = {
    ...(comment === undefined ? {} : { comments: comment }),
    ...(receivedBy === undefined || isFailed ? {} : { receivedBy }),
    ...(relation === undefined || isFailed ? {} : { relation }),
    ...(photos.length === 0 ? {} : { pod: photos }),
    ...(signature === undefined || isFailed ? {} : { signature }),
    ...(etaMs === undefined ? {} : { expectedDeliveryDate: localAt(etaMs, timeZone).slice(0, 10) }),
  };
  return {
    orderNo: orderNumber,
    type: 'Tracking',
    value: trackingNumber,
    consignmentNumber,
    carrierCode,
    carrierStatus: code,
    carrierStatusCode: code,
    ...(isFailed
      ? {
          carrierSubStatusCode: reason?.reason ?? 'OTHER',
          carrierSubStatus: reason?.code ?? 'OTHER',
          carrierSubStatusDescription: reason?.description ?? 'not said',
        }
      : {}),
    statusReceivedAt: at,
    eventTimezone: timeZone,
    lastUpdatedAt: at,
    statusIdentifierValue: kind === 'PICKUP' ? 'REVERSE' : 'FORWARD',
    driverName: event.driverName,
    vehicleNumber: event.vehicle,
    ...(latitude === undefined || longitude === undefined
      ? {}
      : { latitude: String(latitude), longitude: String(longitude) }),
    ...(Object.keys(extra).length === 0 ? {} : { extraInfo: extra }),
    ...(vas.length === 0
      ? {}
      : {
          installationItems: vas.map(({ vasCode, itemReferenceNumber = itemReference, done }) => ({
            itemReferenceNumber,
            level: 'SKU',
            targetIds: [itemReferenceNumber],
            vasCode,
            status: done ? 'COMPLETED' : 'FAILED',
            statusCode: done ? 'COMPLETED' : 'FAILED',
            statusTime: at,
          })),
        }),
    info: { eventId: event.id, ...(etaMs === undefined ? {} : { eta: new Date(etaMs).toISOString() }) },
  };
};
