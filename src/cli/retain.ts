import { type AddCommand, GOOD, Misuse, writeJson } from './command.ts';
import { withRecords } from './records.ts';

interface Options {
  readonly olderThan: string;
  readonly apply?: boolean;
  readonly json?: boolean;
}

const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;

export const addRetain: AddCommand = (program, terminal, ran) => {
  program
    .command('retain')
    .summary('forget old exchanges, labels, pushes and idempotency keys')
    .description(
      'Counts the exchanges with carriers, raw answers, labels, answers kept for Idempotency-Key, status pushes as they ' +
        'came and unmatched events that are older than so many days; with --apply, deletes them. Consignments and ' +
        'their events stay.',
    )
    .requiredOption('--older-than <days>', 'such as 90d')
    .option('--apply', 'delete; without it nothing is changed')
    .option('--json', 'one JSON object instead of text')
    .action(async ({ olderThan, apply = false, json }: Options) => {
      const days = Number(/^([1-9]\d{0,4})d$/.exec(olderThan)?.[1]);
      if (!(days <= DAYS_MAX)) throw new Misuse(`--older-than must be a number of days from 1d to ${DAYS_MAX}d`);
      const limit = new Date(Date.now() - days * DAY_MS);
      const { countOlder, forgetOlder } = await import('../platform/records/retain.ts');
      const counts = await withRecords(terminal, async (pool) =>
        apply ? await forgetOlder(pool, limit) : await countOlder(pool, limit),
      );
      if (json === true) writeJson(terminal, { applied: apply, before: limit.toISOString(), ...counts });
      else {
        const { exchanges, answers, labels, idempotencyKeys, pushes, unmatchedEvents } = counts;
        const what = `${exchanges} exchanges, ${answers} raw answers, ${labels} labels, ${idempotencyKeys} idempotency keys, ${pushes} status pushes, ${unmatchedEvents} unmatched events`;
        const says = apply ? 'deleted' : 'would be deleted (--apply does it)';
        terminal.out(`of before ${limit.toISOString()}: ${what} ${says}\n`);
      }
      ran(GOOD);
    });
};
