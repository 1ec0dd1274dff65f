import { Option } from 'commander';
import type { EnvironmentName } from '../engine/profile/carrier.ts';
import { type AddCommand, FINDINGS, GOOD, Misuse, writeJson } from './command.ts';
import { withRecords } from './records.ts';

interface Options {
  readonly shipper: string;
  readonly reference: string;
  readonly environment: EnvironmentName;
  readonly apply?: boolean;
  readonly json?: boolean;
}

export const addErase: AddCommand = (program, terminal, ran) => {
  program
    .command('erase')
    .summary('erase a person’s data by reference')
    .description(
      'Counts what is recorded of a shipper’s reference; with --apply, erases from it names, addresses, contacts, ' +
        'instructions, labels, exchanges and what carriers said in words. Numbers, states and times stay.',
    )
    .requiredOption('--shipper <code>', 'code of the shipper')
    .requiredOption('--reference <number>', 'referenceNumber of the consignment')
    .addOption(
      new Option('--environment <name>', 'where it was made').choices(['production', 'sandbox']).default('production'),
    )
    .option('--apply', 'erase; without it nothing is changed')
    .option('--json', 'one JSON object instead of text')
    .action(async ({ shipper, reference, environment, apply = false, json }: Options) => {
      const { erasePerson } = await import('../platform/records/erase.ts');
      const { findShipper } = await import('../platform/records/shippers.ts');
      const outcome = await withRecords(terminal, async (pool) => {
        const owner = await findShipper(pool, shipper);
        if (owner === undefined) throw new Misuse(`there is no shipper "${shipper}"`);
        return await erasePerson(pool, { shipperId: owner.id, environment, referenceNumber: reference }, { apply });
      });
      switch (outcome.kind) {
        case 'unknown':
          throw new Misuse(`shipper ${shipper} has no consignment with the reference "${reference}" in ${environment}`);
        case 'busy': {
          const dispatches = outcome.dispatchIds.join(', ');
          if (json === true) writeJson(terminal, { applied: false, busy: outcome.dispatchIds });
          else terminal.error(`waybill: dispatch ${dispatches} is under way or held: cancel the consignment first\n`);
          return ran(FINDINGS);
        }
        case 'counted':
        case 'erased': {
          if (json === true) writeJson(terminal, { applied: apply, ...outcome.erased });
          else {
            const { consignments, dispatches, exchanges, labels, events, notices, idempotencyKeys } = outcome.erased;
            const { unmatchedEvents, unreadPushes } = outcome.erased;
            const what = `${consignments} consignments, ${dispatches} dispatches, ${exchanges} exchanges, ${labels} labels, ${events} events, ${notices} webhook events, ${idempotencyKeys} idempotency keys, ${unmatchedEvents} unmatched events, ${unreadPushes} unread pushes`;
            terminal.out(`${what}: ${apply ? 'erased' : 'would be erased (--apply does it)'}\n`);
          }
          ran(GOOD);
        }
      }
    });
};
