/** Addresses as shippers write them and as operations that are asked for by themselves see them. */
import { type Static, Type } from 'typebox';
import type { Place } from './shapes.ts';

const text = (maxLength = 200) => Type.Optional(Type.String({ maxLength }));
const TYPES = { FACILITY: 'BUSINESS', Residential: 'RESIDENTIAL' } as const;

/** As in a create, with nothing that has to be there. */
export const ShipperAddress = Type.Object({
  line1: text(),
  line2: text(),
  line3: text(),
  city: text(100),
  county: text(100),
  state: text(100),
  pincode: text(30),
  country: text(100),
  type: Type.Optional(Type.Enum(Object.keys(TYPES) as (keyof typeof TYPES)[])),
  latitude: Type.Optional(Type.Number()),
  longitude: Type.Optional(Type.Number()),
});
export type ShipperAddress = Static<typeof ShipperAddress>;

const NAMES = {
  line1: 'addressLine1',
  line2: 'addressLine2',
  line3: 'addressLine3',
  city: 'city',
  state: 'stateProvince',
  pincode: 'postalCode',
  country: 'country',
  latitude: 'latitude',
  longitude: 'longitude',
} as const satisfies Partial<Record<keyof ShipperAddress, keyof Place>>;
const PAIRS = Object.entries(NAMES) as [keyof typeof NAMES, keyof Place][];

const isThere = (value: unknown): boolean => value !== undefined && value !== '';

/** Its country is known to be one. A county stands for the city that is missing, as suburbs do in orders. */
export const placeAt = (address: ShipperAddress): Place => {
  const { type, county } = address;
  const given = { ...address, city: isThere(address.city) ? address.city : county };
  return {
    ...Object.fromEntries(PAIRS.flatMap(([name, key]) => (isThere(given[name]) ? [[key, given[name]]] : []))),
    ...(type && { type: TYPES[type] }),
  } as Place;
};

export const addressAt = (place: Place): ShipperAddress => ({
  ...Object.fromEntries(PAIRS.flatMap(([name, key]) => (place[key] === undefined ? [] : [[name, place[key]]]))),
  ...(place.type && { type: place.type === 'BUSINESS' ? ('FACILITY' as const) : ('Residential' as const) }),
});
