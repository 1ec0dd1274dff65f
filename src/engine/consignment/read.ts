import { type Validated, validator } from '../validate.ts';
import { boundsOf } from './bounds.ts';
import type { Profile } from './field.ts';
import { createSchema } from './profile-schema.ts';
import type { Order } from './schema.ts';

type Check = (value: unknown) => Validated<unknown>;
const checks = new Map<Profile, Check>();

/** A create request by the levels of a profile: the order, or everything that is wrong with its structure (400). */
export const readOrder = (body: unknown, profile: Profile): Validated<Order> => {
  const outside = boundsOf(body);
  if (outside.length > 0) return { ok: false, issues: outside };
  let check = checks.get(profile);
  if (check === undefined) {
    check = validator(createSchema(profile), 'the request');
    checks.set(profile, check);
  }
  return check(body) as Validated<Order>;
};
