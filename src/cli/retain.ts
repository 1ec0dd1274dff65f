import { countOlder, forgetOlder } from '../platform/records/retain.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print } from './command.ts';
import { forgetOfFleet } from './fleet.ts';
import { LONG_MS, withRecords } from './records.ts';

interface Options extends JsonOption {
  readonly olderThan: string;
  readonly apply?: boolean;
}

const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;
const MONTHS_MAX = 1_200;

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Counts exchanges with carriers, raw responses, labels, responses stored for Idempotency-Key, raw status pushes ' +
        'unmatched events and the tries of webhooks older than the given age. With --apply, deletes them: whole months ' +
        'at once. Consignments and their events are kept.',
    )
    .requiredOption('--older-than <age>', 'days, such as 90d; or whole months of UTC, such as 3mo')
    .option('--apply', 'delete; without it nothing changes')
    .option(...JSON_OPTION);
  act(command, async ({ olderThan, apply = false, json }: Options) => {
    const limit = limitOf(olderThan, new Date());
    if (limit === undefined)
      throw new Misuse(`--older-than must be from 1d to ${DAYS_MAX}d, or from 1mo to ${MONTHS_MAX}mo`);
    const counts = await withRecords(
      terminal,
      async (pool) => {
        const found = await (apply ? forgetOlder(pool, limit) : countOlder(pool, limit));
        const proofs = await forgetOfFleet(pool, limit, apply);
        return { ...found, ...(proofs > 0 && { proofs }) };
      },
      LONG_MS,
    );
    const before = limit.toISOString();
    print(terminal, { json }, { applied: apply, before, ...counts }, () => {
      const {
        exchanges,
        deliveryAttempts,
        answers,
        labels,
        manifestDocuments,
        idempotencyKeys,
        pushes,
        unmatchedEvents,
        pickups,
        proofs = 0,
      } = counts;
      const what = `${exchanges} exchanges, ${answers} raw answers, ${labels} labels, ${manifestDocuments} documents of manifests, ${idempotencyKeys} idempotency keys, ${pushes} status pushes, ${unmatchedEvents} unmatched events, ${pickups} pickups, ${deliveryAttempts} webhook tries${proofs === 0 ? '' : `, ${proofs} photos and signatures of the fleet`}`;
      return `of before ${before}: ${what} ${apply ? 'deleted' : 'would be deleted (--apply does it)'}\n`;
    });
    return EXIT.good;
  });
};

const limitOf = (age: string, now: Date): Date | undefined => {
  const [, number, unit] = /^([1-9]\d{0,4})(d|mo)$/.exec(age) ?? [];
  const count = Number(number);
  if (unit === 'd' && count <= DAYS_MAX) return new Date(now.getTime() - count * DAY_MS);
  if (unit === 'mo' && count <= MONTHS_MAX)
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1));
  return undefined;
};
