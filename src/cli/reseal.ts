import { countStale, reseal, type Resealing, SEALED_COLUMNS } from '../platform/records/reseal.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, print } from './command.ts';
import { sealerOf, withFleet, withRecords } from './records.ts';

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Counts what is sealed with WAYBILL_SECRET_KEYS_OLD. With --apply, seals it with WAYBILL_SECRET_KEY instead, ' +
        'in batches, while a server may be running. Can be interrupted and repeated.',
    )
    .option('--apply', 'reseal; without it nothing changes')
    .option(...JSON_OPTION);
  act(command, async ({ apply = false, json }: JsonOption & { readonly apply?: boolean }) => {
    const sealer = await sealerOf(terminal);
    const { done, left } = await withRecords(terminal, async (pool) => {
      const columns = await withFleet(pool, SEALED_COLUMNS);
      return {
        done: apply ? await reseal(pool, sealer, 'command', columns) : undefined,
        left: await countStale(pool, sealer, columns),
      };
    });
    print(terminal, { json }, { applied: apply, resealed: done ?? {}, ...left }, () =>
      [
        ...(done === undefined ? [] : [`sealed anew: ${listed(done)}\n`]),
        `sealed by older keys: ${listed(left.older)}\n`,
        `sealed by keys that are not configured: ${listed(left.unreadable)}\n`,
      ].join(''),
    );
    return Object.values(left.unreadable).some((count) => count > 0) ? EXIT.findings : EXIT.good;
  });
};

const listed = (counts: Resealing): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ') || 'nothing';
