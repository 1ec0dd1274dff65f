import { createHash } from 'node:crypto';
import { type StatusUpdate, eventTimeOf } from './status-update.ts';

/** Where an event came from, as far as it keeps apart events that say the same. */
export interface EventOrigin {
  readonly environment?: string | undefined;
  /** The account whose secret authenticated it. */
  readonly accountId?: number | undefined;
}

/**
 * Sha-256 over what identifies an event, so that one that comes again is known: the
 * shipment it names, the status and sub-status, the event's own time and zone, the place, driver and vehicle,
 * `extraInfo`, `installationItems` and a label; all as the carrier wrote them. Left out is what changes when the same
 * is said again: `lastUpdatedAt` (unless it is the only time there is), `info`, `carrierCode`,
 * `statusIdentifierValue` and whatever the contract does not know. Missing and empty are the same, and so is the order
 * of keys. The scope is part of it: what one account's carrier says must never hide what another's does.
 */
export const deduplicationKey = (update: StatusUpdate, scope: EventOrigin): Buffer => {
  const said = {
    environment: scope.environment,
    account: scope.accountId,
    type: (update.type ?? '').trim() || 'Tracking',
    value: update.value?.trim(),
    orderNo: update.orderNo,
    consignmentNumber: update.consignmentNumber,
    status: [update.carrierStatus, update.carrierStatusCode, update.carrierStatusDescription],
    subStatus: [update.carrierSubStatus, update.carrierSubStatusCode, update.carrierSubStatusDescription],
    time: String(eventTimeOf(update) ?? ''),
    zone: update.eventTimezone,
    location: [update.locationCode, update.locationName, update.latitude, update.longitude],
    driver: [update.driverName, update.vehicleNumber],
    extraInfo: update.extraInfo,
    installationItems: update.installationItems,
    label: labelOf(update),
  };
  return createHash('sha256')
    .update(JSON.stringify(canonical(said)) ?? '')
    .digest();
};

/** A URL's query is left out: a signed link is another each time it is asked for. */
const labelOf = ({ label }: StatusUpdate): unknown =>
  label?.url === undefined ? label?.content : label.url.replace(/[?#].*$/s, '');

/** Keys in order, nothing that is empty; in lists an empty place keeps its place. */
const canonical = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) {
    const list = value.map((entry: unknown) => canonical(entry) ?? null);
    return list.every((entry) => entry === null) ? undefined : list;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .map(([key, held]): [string, unknown] => [key, canonical(held)])
      .filter(([, held]) => held !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  return value === null || value === '' ? undefined : value;
};
