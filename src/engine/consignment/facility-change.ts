/** Facilities in an update: a code alone moves an order's end to another place. */
import { unaliased } from './alias.ts';
import { type Facilities, type Facility, withFacilities } from './facility.ts';
import type { Order } from './schema.ts';

export interface FacilityChange {
  /** The update, with what its facilities know filled in. */
  readonly body: unknown;
  /** The order to lay it over: without the address and contact that those of another facility replace. */
  readonly current: Order;
}

const CODES = {
  shipFrom: ['origin', 'originFacilityCode'],
  shipTo: ['destination', 'destinationFacilityCode'],
  returnTo: ['return', 'returnFacilityCode'],
} as const;

/**
 * The same code again keeps the order's address; another brings that facility's, unless the update has its own. A
 * party in flat names is left alone: it is an address of the shipper's own. Pure.
 */
export const changeFacilities = (current: Order, body: unknown, facilities: Facilities): FacilityChange => {
  if (!isMap(body)) return { body, current };
  const sources: Record<string, Facility> = {};
  const base: Record<string, unknown> = { ...current };
  for (const [key, [end, codeName]] of Object.entries(CODES)) {
    const given = Object.hasOwn(body, key) ? body[key] : undefined;
    const facility = facilities[end];
    if (facility === undefined || !isMap(given) || unaliased(given, key).flat) continue;
    const before = (current[key as keyof typeof CODES] ?? {}) as Fields;
    if (before[codeName] === given[codeName]) {
      sources[end] = { contact: before['contact'] as Fields, address: before['address'] as Fields };
      continue;
    }
    sources[end] = facility;
    const { address, contact, ...kept } = before;
    base[key] = {
      ...kept,
      ...(replaces(given, 'address', 'line1', facility.address) ? {} : { address }),
      ...(replaces(given, 'contact', 'name', facility.contact) ? {} : { contact }),
    };
  }
  return { body: withFacilities(body, sources), current: base as unknown as Order };
};

const replaces = (given: Fields, part: string, identity: string, known: Fields | undefined): boolean => {
  if (known === undefined) return false;
  const own = given[part];
  return !isMap(own) || own[identity] === undefined || own[identity] === known[identity];
};

type Fields = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
