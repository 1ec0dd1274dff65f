import type { Order } from './schema.ts';

/** What is registered for a facility code, in the shipper's form. */
export interface Facility {
  readonly contact?: Readonly<Record<string, unknown>> | undefined;
  readonly address?: Readonly<Record<string, unknown>> | undefined;
  readonly timezone?: string | undefined;
}

/** The facilities that an order's codes stand for; a code that is not known is simply missing here. */
export interface Facilities {
  readonly origin?: Facility | undefined;
  readonly destination?: Facility | undefined;
  readonly return?: Facility | undefined;
}

export interface FacilityCodes {
  readonly origin: string | undefined;
  readonly destination: string | undefined;
  readonly return: string | undefined;
}

/** The facility codes of a request, before it is checked: their addresses may be what makes it complete. */
export const facilityCodesOf = (body: unknown): FacilityCodes => ({
  origin: codeAt(body, 'shipFrom', 'originFacilityCode'),
  destination: codeAt(body, 'shipTo', 'destinationFacilityCode'),
  return: codeAt(body, 'returnTo', 'returnFacilityCode'),
});

/**
 * The request with what its facilities know filled in. An address or contact of the shipper's own that differs from
 * the facility's in its first line or name is left alone: two halves do not make one address. Leaves alone what is
 * not an object; idempotent.
 */
export const withFacilities = <T>(body: T, facilities: Facilities): T => {
  if (!isMap(body)) return body;
  const parties: readonly [string, Facility | undefined][] = [
    ['shipFrom', facilities.origin],
    ['shipTo', facilities.destination],
    ['returnTo', facilities.return],
  ];
  const filled = parties.flatMap(([key, facility]): [string, unknown][] => {
    const party = Object.hasOwn(body, key) ? body[key] : undefined;
    return facility === undefined || !isMap(party) ? [] : [[key, completed(party, facility)]];
  });
  return filled.length === 0 ? body : { ...body, ...Object.fromEntries(filled) };
};

type Fields = Readonly<Record<string, unknown>>;

const completed = (party: Fields, facility: Facility): Fields => ({
  ...(facility.timezone === undefined ? {} : { timezone: facility.timezone }),
  ...party,
  ...part(party, 'address', facility.address, 'line1'),
  ...part(party, 'contact', facility.contact, 'name'),
});

const part = (party: Fields, key: keyof Order['shipFrom'], known: Fields | undefined, identity: string): Fields => {
  if (known === undefined) return {};
  const own = Object.hasOwn(party, key) ? party[key] : {};
  if (!isMap(own)) return {};
  const mine = Object.hasOwn(own, identity) ? own[identity] : undefined;
  return mine === undefined || mine === known[identity] ? { [key]: { ...known, ...own } } : {};
};

const codeAt = (body: unknown, party: string, field: string): string | undefined => {
  const held = isMap(body) && Object.hasOwn(body, party) ? body[party] : undefined;
  const code = isMap(held) && Object.hasOwn(held, field) ? held[field] : undefined;
  return isCode(code) ? code : undefined;
};

// Looked for before the request is checked, so it has to be one that the records can hold.
const isCode = (code: unknown): code is string =>
  typeof code === 'string' && code.trim() !== '' && code.length <= 100 && code.isWellFormed() && !code.includes('\0');

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
