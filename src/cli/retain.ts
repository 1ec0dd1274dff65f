import { countOlder, forgetOlder } from '../platform/records/retain.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print } from './command.ts';
import { withRecords } from './records.ts';

interface Options extends JsonOption {
  readonly olderThan: string;
  readonly apply?: boolean;
}

const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Counts exchanges with carriers, raw responses, labels, responses stored for Idempotency-Key, raw status pushes ' +
        'and unmatched events older than the given age. With --apply, deletes them. Consignments and ' +
        'their events are kept.',
    )
    .requiredOption('--older-than <days>', 'such as 90d')
    .option('--apply', 'delete; without it nothing changes')
    .option(...JSON_OPTION);
  act(command, async ({ olderThan, apply = false, json }: Options) => {
    const days = Number(/^([1-9]\d{0,4})d$/.exec(olderThan)?.[1]);
    if (!(days <= DAYS_MAX)) throw new Misuse(`--older-than must be a number of days from 1d to ${DAYS_MAX}d`);
    const limit = new Date(Date.now() - days * DAY_MS);
    const counts = await withRecords(
      terminal,
      async (pool) => await (apply ? forgetOlder(pool, limit) : countOlder(pool, limit)),
    );
    const before = limit.toISOString();
    print(terminal, { json }, { applied: apply, before, ...counts }, () => {
      const { exchanges, answers, labels, idempotencyKeys, pushes, unmatchedEvents } = counts;
      const what = `${exchanges} exchanges, ${answers} raw answers, ${labels} labels, ${idempotencyKeys} idempotency keys, ${pushes} status pushes, ${unmatchedEvents} unmatched events`;
      return `of before ${before}: ${what} ${apply ? 'deleted' : 'would be deleted (--apply does it)'}\n`;
    });
    return EXIT.good;
  });
};
