import type { CarrierRequest } from '../mock/carriers.ts';
import { CARRIERS } from '../world/profiles.ts';
import type { Evidence, ExchangeRow } from './evidence.ts';

const WITHOUT_PROMISE = new Set(CARRIERS.filter(({ kind }) => kind === 'none').map(({ code }) => code));

/**
 * I3: at most one effect per reference and action; nothing sent again after an ambiguous outcome to a carrier that
 * promises nothing; what is sent again is the same, byte for byte, but for a create that was updated before its carrier
 * had it; and the records claim no more and no less than what was done.
 */
export const findDoubled = ({ answers, carriers, records }: Evidence): readonly string[] => {
  const requests = carriers.filter((entry) => entry.what === 'request');
  const asked = Map.groupBy(
    requests.filter(({ action }) => action !== 'LOOKUP'),
    ({ carrier, reference, action }) => `${action} of ${reference} with ${carrier}`,
  );
  const updated = new Set(
    answers.flatMap(({ operation, status, reference }) =>
      operation === 'update' && status === 200 ? [reference] : [],
    ),
  );
  const doubled = [...asked].flatMap(([what, own]) => doublesOf(what, own, updated));
  return [...doubled, ...findBlindRepeats(records.exchanges), ...findFalseClaims(requests, records)];
};

const doublesOf = (what: string, own: readonly CarrierRequest[], updated: ReadonlySet<string>): string[] => {
  const found: string[] = [];
  const effects = own.filter(({ effect }) => effect).length;
  if (effects > 1) found.push(`I3: ${effects} effects of ${what}`);
  const doubtful = own.findIndex(({ effect, ambiguous }) => effect || ambiguous);
  const [first] = own;
  if (first !== undefined && WITHOUT_PROMISE.has(first.carrier) && doubtful !== -1 && doubtful < own.length - 1)
    found.push(`I3: ${what} was sent again after nobody knew what became of it`);
  // What its carrier has certainly not done yet, an update may change.
  const isChanged = first?.action === 'CREATE' && updated.has(first.reference);
  const same = isChanged ? own.slice(doubtful === -1 ? -1 : doubtful) : own;
  if (new Set(same.map(({ bodyHash }) => bodyHash)).size > 1) found.push(`I3: ${what} was sent again with other bytes`);
  return found;
};

/** It may have been done. Any other outcome says that it was not. */
export const MAYBE_DONE = new Set(['succeed', 'unknown_outcome']);

/** A request that got lost on its way is in no carrier's log, but in our own. */
const findBlindRepeats = (exchanges: readonly ExchangeRow[]): string[] => {
  const calls = Map.groupBy(
    exchanges.filter(({ carrier }) => WITHOUT_PROMISE.has(carrier)),
    ({ reference, carrier, operation, step, element }) =>
      `the ${operation} of ${reference} with ${carrier} (${step}, ${element})`,
  );
  return [...calls].flatMap(([what, own]) =>
    own.flatMap(({ attempt }, at) => {
      const before = own[at - 1];
      if (before !== undefined && MAYBE_DONE.has(before.outcome))
        return [`I3: ${what} was sent again after ${before.outcome}`];
      return attempt > 1 && before?.attempt !== attempt - 1
        ? [`I3: ${what} was sent again after an attempt whose end nobody saw`]
        : [];
    }),
  );
};

const findFalseClaims = (requests: readonly CarrierRequest[], records: Evidence['records']): string[] => {
  const acted = new Set(
    requests.filter(({ effect }) => effect).map(({ reference, action }) => `${reference}/${action.toLowerCase()}`),
  );
  return records.dispatches.flatMap(({ reference, operation, state }) => {
    const isActed = acted.has(`${reference}/${operation}`);
    if (state === 'done' && !isActed) return [`I3: the ${operation} of ${reference} is done, and no carrier did it`];
    if ((state === 'rejected' || state === 'cancelled') && isActed)
      return [`I3: the ${operation} of ${reference} is ${state}, and was done`];
    return [];
  });
};
