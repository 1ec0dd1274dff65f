import { type Static, type TSchema, Type } from 'typebox';
import type { Root } from '../mapping/roots.ts';
import { Offer } from '../rates/offer.ts';
import { coerce, type Validated, validator } from '../validate.ts';
import * as shapes from './shapes.ts';

/** Roots that only operations asked for by themselves see. */
export const ABOUT = {
  pickup: shapes.Pickup,
  manifest: shapes.Manifest,
  search: shapes.Search,
  address: shapes.Address,
  slotQuery: shapes.SlotQuery,
  slot: shapes.Slot,
} as const;
export type AskedRoot = keyof typeof ABOUT;
export const ASKED_ROOTS = Object.keys(ABOUT) as readonly AskedRoot[];

interface AskedOperation {
  /** What it is asked about; no other input is seen. */
  readonly sees: readonly Root[];
  /** What its result has to be; undefined: it yields nothing. */
  readonly result?: TSchema;
  /** It changes something at the carrier; a repeat of it is `natural`ly harmless, or not. */
  readonly effect?: 'natural' | 'once';
  readonly description: string;
  readonly example: object;
}

/**
 * Operations that are asked for by themselves, beside the dispatches of a consignment. A row is all that there is to
 * one: the language, the compiler, lint, the engine, cases and the reference take them from here.
 */
const ASKED = {
  rates: {
    sees: ['consignment', 'service'],
    result: Type.Array(Offer),
    description: 'Asks what the carrier would take for a consignment, and when it would bring it.',
    example: { post: '/rates', body: { json: 'rates.jsonata' }, result: 'offers.jsonata' },
  },
  pickup: {
    sees: ['pickup'],
    result: shapes.BookedPickup,
    effect: 'once',
    description: 'Books a pickup.',
    example: { post: '/pickups', body: { json: 'pickup.jsonata' }, result: { number: '${response.body.number}' } },
  },
  cancelPickup: {
    sees: ['pickup'],
    effect: 'natural',
    description: 'Cancels a pickup.',
    example: { delete: '/pickups/${pickup.number}' },
  },
  changePickup: {
    sees: ['pickup'],
    result: shapes.BookedPickup,
    effect: 'once',
    description: 'Changes a booked pickup; without it one is cancelled and booked anew.',
    example: {
      put: '/pickups/${pickup.number}',
      body: { json: 'pickup.jsonata' },
      result: { number: '${response.body.number}' },
    },
  },
  manifest: {
    sees: ['manifest'],
    result: Type.Array(shapes.ClosedManifest),
    effect: 'once',
    description: 'Closes out shipments that are handed over together.',
    example: { post: '/manifests', body: { json: 'manifest.jsonata' }, result: { number: '${response.body.number}' } },
  },
  locations: {
    sees: ['search'],
    result: Type.Array(shapes.Location),
    description: 'Looks for places where parcels are handed in or collected.',
    example: { get: '/locations', query: { postcode: '${search.near.postalCode}' }, result: 'locations.jsonata' },
  },
  validateAddress: {
    sees: ['address'],
    result: shapes.CheckedAddress,
    description: 'Checks an address.',
    example: {
      post: '/addresses',
      body: { json: { postcode: '${address.postalCode}' } },
      result: { valid: '${response.body.ok}' },
    },
  },
  slots: {
    sees: ['slotQuery', 'consignment', 'service'],
    result: Type.Array(shapes.OfferedSlot),
    description: 'Asks for delivery or pickup slots that are free.',
    example: { get: '/slots', query: { from: '${slotQuery.from}' }, result: 'slots.jsonata' },
  },
  reserveSlot: {
    sees: ['slot', 'consignment', 'service'],
    result: shapes.Reservation,
    effect: 'once',
    description: 'Reserves a slot for a while.',
    example: { post: '/slots/${slot.id}/reserve', result: { reservation: '${response.body.number}' } },
  },
  confirmSlot: {
    sees: ['slot', 'consignment', 'service'],
    effect: 'natural',
    description: 'Confirms a reserved slot.',
    example: { post: '/reservations/${slot.reservation}/confirm' },
  },
  releaseSlot: {
    sees: ['slot'],
    effect: 'natural',
    description: 'Gives a reserved slot back.',
    example: { delete: '/reservations/${slot.reservation}' },
  },
} as const satisfies Readonly<Record<string, AskedOperation>>;

export type AskedName = keyof typeof ASKED;
export const ASKED_NAMES = Object.keys(ASKED) as readonly AskedName[];
export const isAsked = (name: string | undefined): name is AskedName =>
  name !== undefined && Object.hasOwn(ASKED, name);
export const askedOf = (name: AskedName): AskedOperation => ASKED[name];

/** What one is asked about. */
export type AskedAbout<Name extends AskedName> = {
  readonly [R in (typeof ASKED)[Name]['sees'][number]]: R extends AskedRoot ? Static<(typeof ABOUT)[R]> : unknown;
};
/** What comes of one. */
export type AskedResult<Name extends AskedName> = (typeof ASKED)[Name] extends { readonly result: infer S }
  ? Static<Extract<S, TSchema>>
  : undefined;

const NOTHING = { ok: true, value: undefined } as const;
const checks = new Map(
  ASKED_NAMES.flatMap((name) => {
    const { result: schema } = askedOf(name);
    return schema === undefined ? [] : [[name, { schema, check: validator(schema, 'the result') }] as const];
  }),
);

/** What a mapping yielded, in the shape of the operation's result. */
export const checkAsked = (name: AskedName, yielded: unknown): Validated<unknown> => {
  const wanted = checks.get(name);
  return wanted === undefined ? NOTHING : wanted.check(coerce(wanted.schema, yielded));
};
