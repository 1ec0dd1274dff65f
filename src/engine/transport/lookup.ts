import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Failure } from '../failure.ts';
import { type AddressPolicy, judgeAddress, type Scheme } from './address.ts';

/** All addresses of a name, in the order to try them. Rejects with the system's `code`, as `ENOTFOUND`. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

export const resolveBySystem: ResolveName = (name) => systemLookup(name, { all: true });

/** One question at a time for each name, so that a name server that hangs cannot take every thread of the pool. */
export const shareQuestions = (resolve: ResolveName): ResolveName => {
  const open = new Map<string, Promise<readonly LookupAddress[]>>();
  return (name) => {
    const asked = open.get(name);
    if (asked !== undefined) return asked;
    const question = resolve(name).finally(() => open.delete(name));
    open.set(name, question);
    return question;
  };
};

/** The checked addresses of `name`. One forbidden address condemns the name: a `Failure` with the verdict's code. */
const resolveChecked = async (
  name: string,
  scheme: Scheme,
  policy: AddressPolicy,
  resolve: ResolveName,
): Promise<LookupAddress[]> => {
  const addresses = await resolve(name);
  for (const { address } of addresses) {
    const verdict = judgeAddress(address, scheme, policy);
    if (!verdict.allowed) throw new Failure(`${name} may not be called: ${verdict.reason}`, { code: verdict.code });
  }
  if (addresses.length === 0) throw new Failure(`${name} has no address`, { code: 'name_not_found' });
  return [...addresses];
};

/**
 * The `lookup` of a socket: it connects to the very addresses that were checked, asked for once a connection, so a
 * name that changes its answer between check and use gains nothing.
 */
export const createGuardedLookup =
  (scheme: Scheme, policy: AddressPolicy, resolve: ResolveName): LookupFunction =>
  (name, options, callback) => {
    callbackify(resolveChecked)(name, scheme, policy, resolve, (error, addresses) => {
      const first = error === null ? addresses[0] : undefined;
      if (first === undefined) callback(error ?? null, '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
