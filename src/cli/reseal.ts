import type { Resealing } from '../platform/records/reseal.ts';
import { type AddCommand, FINDINGS, GOOD, writeJson } from './command.ts';
import { sealerOf, withRecords } from './records.ts';

interface Options {
  readonly apply?: boolean;
  readonly json?: boolean;
}

export const addReseal: AddCommand = (program, terminal, ran) => {
  program
    .command('reseal')
    .summary('change over to a new WAYBILL_SECRET_KEY')
    .description(
      'Counts what keys of WAYBILL_SECRET_KEYS_OLD have sealed; with --apply, seals it anew with WAYBILL_SECRET_KEY, ' +
        'in batches, beside a running server. May be interrupted and run again.',
    )
    .option('--apply', 'seal anew; without it nothing is changed')
    .option('--json', 'one JSON object instead of text')
    .action(async ({ apply = false, json }: Options) => {
      const { countStale, reseal } = await import('../platform/records/reseal.ts');
      const sealer = await sealerOf(terminal);
      const { done, left } = await withRecords(terminal, async (pool) => ({
        done: apply ? await reseal(pool, sealer, 'command') : undefined,
        left: await countStale(pool, sealer),
      }));
      if (json === true) writeJson(terminal, { applied: apply, resealed: done ?? {}, ...left });
      else {
        if (done !== undefined) terminal.out(`sealed anew: ${shown(done)}\n`);
        terminal.out(`sealed by older keys: ${shown(left.older)}\n`);
        terminal.out(`sealed by keys that are not configured: ${shown(left.unreadable)}\n`);
      }
      ran(sumOf(left.unreadable) > 0 ? FINDINGS : GOOD);
    });
};

const sumOf = (counts: Resealing): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

const shown = (counts: Resealing): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ') || 'nothing';
