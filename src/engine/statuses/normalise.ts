import { isTimeZone } from '../time-zone.ts';
import {
  type StatusUpdate,
  type CarrierStatus,
  carrierStatusOf,
  eventTimeOf,
  isWithoutStatus,
} from './status-update.ts';
import { NO_CHANGE, type Reason, type TableStatus } from './status.ts';
import { parseTime } from '../mapping/time-format.ts';
import type { Carrier, StatusRow } from '../profile/carrier.ts';
import { tableOf } from './table.ts';

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
  /** It says nothing of a status: the carrier wants to be asked now. */
  readonly asksForPoll: boolean;
  readonly update: StatusUpdate;
  /** Sentences on what could not be read or was not as expected. */
  readonly warnings: readonly string[];
}

/** Never fails: what cannot be read is named in `warnings`. */
export const normalise = (carrier: Carrier, update: StatusUpdate, receivedAtMs: number): NormalisedEvent => {
  const warnings: string[] = [];
  if (update.carrierCode !== undefined && update.carrierCode.trim().toLowerCase() !== carrier.code.toLowerCase())
    warnings.push(`carrierCode is ${quoted(update.carrierCode)}, but ${carrier.code} sent it`);
  const eventTimezone = zoneOf(carrier, update, warnings);
  const occurredAtMs = timeOf(carrier, update, { zone: eventTimezone, receivedAtMs }, warnings);
  const carrierStatus = carrierStatusOf(update);
  const asksForPoll = isWithoutStatus(update) && carrier.operations.track !== undefined;
  const common = { occurredAtMs, eventTimezone, carrierStatus, asksForPoll, update, warnings };
  if (asksForPoll) return { ...common, status: NO_CHANGE, reason: undefined, row: undefined };
  const { code, subCode, description } = carrierStatus;
  const table = tableOf(carrier);
  const row = table.match(code, subCode, description);
  if (row !== undefined) return { ...common, status: row.status, reason: row.reason, row };
  const rivals = table.rivals(code, subCode, description);
  if (rivals.length > 1)
    warnings.push(`the rows ${rivals.map((rival) => quoted(rival.row.key)).join(', ')} of the status table tie`);
  return { ...common, status: 'Unmapped', reason: undefined, row: undefined };
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
