import { type Static, Type } from 'typebox';
import { VALUES_MAX } from '../large.ts';
import { type Issue, type Validated, validator } from '../validate.ts';
import { valueAt } from '../value.ts';
import { type LevelledSchema, PROFILES, type Profile } from './levels.ts';
import { createSchema, type Order, updatedSchema } from './order.ts';

type Check<T> = (value: unknown) => Validated<T>;

/** One check a profile, each compiled at its first use. */
export const checksOf = (schemaOf: (profile: Profile) => LevelledSchema): Readonly<Record<Profile, Check<unknown>>> =>
  Object.fromEntries(PROFILES.map((profile) => [profile, validator(schemaOf(profile), 'the request')])) as Readonly<
    Record<Profile, Check<unknown>>
  >;

const bounded = <T>(body: unknown, check: Check<T>): Validated<T> => {
  const outside = issuesBeyondSchema(body);
  return outside.length > 0 ? { ok: false, issues: outside } : check(body);
};

const orderChecks = checksOf(createSchema);

/** A create request by the levels of a profile: the order, or everything that is wrong with its structure (400). */
export const readOrder = (body: unknown, profile: Profile): Validated<Order> =>
  bounded(body, orderChecks[profile] as Check<Order>);

const updatedChecks = checksOf(updatedSchema);

/** As `readOrder`, of what an update that passed `readUpdate` left of an order. */
export const readUpdated = (body: unknown, profile: Profile): Validated<Order> =>
  bounded(body, updatedChecks[profile] as Check<Order>);

/** A cancel request: one consignment or many. */
export const CancelRequest = Type.Object({
  consignments: Type.Array(
    Type.Object({
      referenceNumber: Type.String({
        maxLength: 100,
        pattern: '\\S',
        'x-must': 'not be blank',
        'x-level': 'M',
        description: 'As in the create.',
      }),
      remark: Type.Optional(Type.String({ maxLength: 1_000, 'x-level': 'R', description: 'Why; kept for reports.' })),
    }),
    { minItems: 1, maxItems: 500, 'x-level': 'M' },
  ),
});
export type CancelRequest = Static<typeof CancelRequest>;

const checkCancel = validator(CancelRequest, 'the request');

/** A cancel request, or everything that is wrong with its structure (400). */
export const readCancel = (body: unknown): Validated<CancelRequest> => bounded(body, checkCancel);

// Known of a request before it is checked: whose it is, and by which levels to judge it --------------------------------

/** `consignmentDetails.referenceNumber`, where it is one; error bodies name it. */
export const referenceNumberOf = (body: unknown): string | undefined =>
  nameAt(body, 'consignmentDetails', 'referenceNumber');

/** `consignmentDetails.orderNumber`, where it is one. */
export const orderNumberOf = (body: unknown): string | undefined => nameAt(body, 'consignmentDetails', 'orderNumber');

/** `carrier.code`, where it is one; it decides the profile. */
export const carrierCodeOf = (body: unknown): string | undefined => nameAt(body, 'carrier', 'code');

// As long as the schema allows: a longer text is no name, and must not come back in an error body.
const nameAt = (body: unknown, ...keys: readonly string[]): string | undefined => {
  const name = valueAt(body, ...keys);
  return typeof name === 'string' && name.trim() !== '' && name.length <= 100 ? name : undefined;
};

// Bounds --------------------------------------------------------------------------------------------------------------

/** What a request may be at most, its unknown fields included. */
export const DEPTH_MAX = 24;
const KEY_MAX = 200;
export const TEXT_MAX = 20_000;
const ISSUES_MAX = 20;

/** A value and where it lies; its path is spelt out only where something is wrong with it. */
interface Place {
  readonly value: unknown;
  readonly key: string;
  readonly within: Place | undefined;
  readonly depth: number;
}

const pathOf = ({ key, within }: Place): string => {
  if (within === undefined) return '';
  const path = pathOf(within);
  if (Array.isArray(within.value)) return `${path}[${key}]`;
  return path === '' ? shown(key) : `${path}.${shown(key)}`;
};

/**
 * The faults that no schema of known fields sees: too deep, too many values, too long, and text that the records
 * cannot hold (NUL, half a surrogate pair).
 */
export const issuesBeyondSchema = (body: unknown): readonly Issue[] => {
  const issues: Issue[] = [];
  const open: Place[] = [{ value: body, key: '', within: undefined, depth: 0 }];
  const found = (place: Place | undefined, says: string): void => {
    const path = place === undefined ? '' : pathOf(place);
    issues.push({ path, message: `${path === '' ? 'the request' : path} ${says}`, code: 'out_of_bounds' });
  };
  for (let seen = 0; issues.length < ISSUES_MAX; seen += 1) {
    const place = open.pop();
    if (place === undefined) break;
    const { value, depth } = place;
    if (typeof value === 'string') {
      if (value.length > TEXT_MAX) found(place, `must not be longer than ${TEXT_MAX} characters`);
      if (!storable(value)) found(place, 'must not contain NUL or half a surrogate pair');
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= DEPTH_MAX) {
      found(place, `must not be nested deeper than ${DEPTH_MAX} levels`);
      continue;
    }
    const entries = Object.entries(value);
    if (seen + open.length + entries.length > VALUES_MAX) {
      found(undefined, `must not hold more than ${VALUES_MAX} values`);
      break;
    }
    for (const [key, held] of entries.toReversed()) {
      const at = { value: held, key, within: place, depth: depth + 1 };
      if (key.length > KEY_MAX) found(at, `must not have a name longer than ${KEY_MAX} characters`);
      if (!storable(key)) found(at, 'must not have NUL or half a surrogate pair in its name');
      open.push(at);
    }
  }
  return issues;
};

const storable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const shown = (key: string): string => key.slice(0, 60).toWellFormed().replaceAll('\0', '');
