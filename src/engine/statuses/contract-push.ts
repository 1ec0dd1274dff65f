import { jsonCodec } from '../codecs/json.ts';
import { Failure } from '../failure.ts';
import { readPush, type StatusUpdate } from './status-update.ts';

/** What a push said, as far as it could be read. */
export interface ReadUpdates {
  readonly updates: readonly StatusUpdate[];
  /** Why parts of it could not be read. */
  readonly problems: readonly string[];
}

/** Updates in one push at most. */
export const UPDATES_MAX = 5_000;
const TROUBLES_MAX = 20;

/**
 * Reads the body of the contract's push: one status update or an array of them. What cannot be read loses nothing of
 * the rest. Throws a `Failure` when the whole cannot be read.
 */
export const readContractPush = (body: Uint8Array): ReadUpdates => {
  const decoded = jsonCodec.decode(body);
  if (!decoded.ok) throw decoded.reason;
  const list: readonly unknown[] = Array.isArray(decoded.body) ? decoded.body : [decoded.body];
  if (list.length > UPDATES_MAX)
    throw new Failure(`more than ${UPDATES_MAX} status updates in one push`, { code: 'push_too_large' });
  const read = list.map((entry) => readPush(entry));
  const problems = read.flatMap((one, at) => (one.ok ? [] : [`[${at}] ${one.issues[0]?.message ?? 'is not valid'}`]));
  if (list.length === 1 && problems.length === 1)
    throw new Failure('a status update must be an object', { code: 'push_not_readable' });
  return {
    updates: read.flatMap((one) => (one.ok ? [one.value.update] : [])),
    problems: problems.slice(0, TROUBLES_MAX),
  };
};
