import { isTimeZone } from '../time-zone.ts';
import {
  type StatusUpdate,
  type CarrierStatus,
  carrierStatusOf,
  eventTimeOf,
  isWithoutStatus,
  labelOf,
} from './status-update.ts';
import { NO_CHANGE, type Reason, type TableStatus } from './status.ts';
import { parseTime } from '../mapping/time-format.ts';
import type { Carrier, StatusRow } from '../profile/carrier.ts';
import { namesOf } from './match.ts';
import { tablesOf } from './table.ts';
import { sha256 } from '../digest.ts';

type Meaning = Pick<NormalisedEvent, 'status' | 'reason' | 'row'>;

/** What a carrier said, in our words. */
export interface NormalisedEvent {
  /** `Unmapped` when no row of the table knows it, `No Change` when it moves nothing. */
  readonly status: TableStatus;
  readonly reason: Reason | undefined;
  /** Milliseconds since 1970; the receipt where the carrier gave no time that can be read. */
  readonly occurredAtMs: number;
  /** The IANA zone in which a time without an offset was read. */
  readonly eventTimezone: string;
  readonly carrierStatus: CarrierStatus;
  readonly row: StatusRow | undefined;
  /** What it means of a return, where that is another thing and nothing said yet whether it is of one. */
  readonly asReturn?: Meaning | undefined;
  /** It says nothing of a status: the carrier wants to be asked now. */
  readonly asksForPoll: boolean;
  readonly update: StatusUpdate;
  /** Sentences on what could not be read or was not as expected. */
  readonly warnings: readonly string[];
}

/** Never fails: what cannot be read is named in `warnings`. `direction`: of the consignment, where it is known. */
export const normalise = (
  carrier: Carrier,
  update: StatusUpdate,
  receivedAtMs: number,
  direction?: string,
): NormalisedEvent => {
  const warnings: string[] = [];
  if (update.carrierCode !== undefined && update.carrierCode.trim().toLowerCase() !== carrier.code.toLowerCase())
    warnings.push(`carrierCode is ${quoted(update.carrierCode)}, but ${carrier.code} sent it`);
  const eventTimezone = zoneOf(carrier, update, warnings);
  const occurredAtMs = timeOf(carrier, update, { zone: eventTimezone, receivedAtMs }, warnings);
  const carrierStatus = carrierStatusOf(update);
  const asksForPoll = isWithoutStatus(update) && carrier.operations.track !== undefined;
  const common = { occurredAtMs, eventTimezone, carrierStatus, asksForPoll, update, warnings };
  if (asksForPoll) return { ...common, status: NO_CHANGE, reason: undefined, row: undefined };
  const { FORWARD, REVERSE } = tablesOf(carrier);
  const said = namesOf(update).direction ?? direction;
  const meaning = meaningIn(said === 'REVERSE' ? REVERSE : FORWARD, carrierStatus, warnings);
  const asReturn = said === undefined && REVERSE !== FORWARD ? meaningIn(REVERSE, carrierStatus, []) : meaning;
  return { ...common, ...meaning, ...(asReturn.row === meaning.row ? {} : { asReturn }) };
};

/** What it means of a consignment of this direction. */
export const inDirection = <Event extends Pick<NormalisedEvent, 'status' | 'reason' | 'asReturn'>>(
  event: Event,
  direction: string | undefined,
): Event => (direction === 'REVERSE' && event.asReturn !== undefined ? { ...event, ...event.asReturn } : event);

const meaningIn = (
  table: ReturnType<typeof tablesOf>['FORWARD'],
  { code, subCode, description }: CarrierStatus,
  warnings: string[],
): Meaning => {
  const row = table.match(code, subCode, description);
  if (row !== undefined) return { status: row.status, reason: row.reason, row };
  const rivals = table.rivals(code, subCode, description);
  if (rivals.length > 1)
    warnings.push(`the rows ${rivals.map((rival) => quoted(rival.row.key)).join(', ')} of the status table tie`);
  return { status: 'Unmapped', reason: undefined, row: undefined };
};

const zoneOf = (carrier: Carrier, update: StatusUpdate, warnings: string[]): string => {
  const given = update.eventTimezone?.trim() ?? '';
  if (given === '') return carrier.time.zone;
  if (isTimeZone(given)) return given;
  warnings.push(`eventTimezone ${quoted(given)} names no time zone; ${carrier.time.zone} was taken`);
  return carrier.time.zone;
};

const timeOf = (
  carrier: Carrier,
  update: StatusUpdate,
  { zone, receivedAtMs }: { readonly zone: string; readonly receivedAtMs: number },
  warnings: string[],
): number => {
  const given = eventTimeOf(update);
  if (given === undefined) {
    warnings.push('no time is given; that of its receipt was taken');
    return receivedAtMs;
  }
  const read = parseTime(String(given), carrier.time.formats, zone);
  if (read.ok) return read.instantMs;
  warnings.push(`the time ${quoted(String(given))} cannot be read (${read.reason}); that of its receipt was taken`);
  return receivedAtMs;
};

const quoted = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);

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
    label: labelKey(labelOf(update)),
  };
  return sha256(JSON.stringify(canonical(said)) ?? '');
};

/** A URL's query is left out: a signed link is another each time it is asked for. */
const labelKey = (label: ReturnType<typeof labelOf>): unknown =>
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
