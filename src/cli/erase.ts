import { Option } from 'commander';
import type { EnvironmentName } from '../engine/profile/carrier.ts';
import { erasePerson } from '../platform/records/erase.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print, writeJson } from './command.ts';
import { eraseFromFleet } from './fleet.ts';
import { requireShipper, withRecords } from './records.ts';

interface Options extends JsonOption {
  readonly shipper: string;
  readonly reference: string;
  readonly environment: EnvironmentName;
  readonly apply?: boolean;
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Counts what is recorded under a shipper’s reference. With --apply, erases names, addresses, contacts, ' +
        'instructions, labels, exchanges and carriers’ texts. Numbers, states and times are kept.',
    )
    .requiredOption('--shipper <code>', 'shipper code')
    .requiredOption('--reference <number>', 'referenceNumber of the consignment')
    .addOption(
      new Option('--environment <name>', 'environment of the consignment')
        .choices(['production', 'sandbox'])
        .default('production'),
    )
    .option('--apply', 'erase; without it nothing changes')
    .option(...JSON_OPTION);
  act(command, async ({ shipper, reference, environment, apply = false, json }: Options) => {
    const outcome = await withRecords(terminal, async (pool) => {
      const { id } = await requireShipper(pool, shipper);
      const whose = { shipperId: id, environment, referenceNumber: reference };
      const outcome = await erasePerson(pool, whose, { apply });
      return outcome.kind === 'busy' || outcome.kind === 'unknown'
        ? outcome
        : { ...outcome, fleetTasks: await eraseFromFleet(pool, whose, apply) };
    });
    if (outcome.kind === 'unknown') {
      throw new Misuse(
        `shipper ${shipper} has no consignment and no pickup with the reference "${reference}" in ${environment}`,
      );
    }
    if (outcome.kind === 'busy') {
      const dispatches = outcome.dispatchIds.join(', ');
      if (json === true) writeJson(terminal, { applied: false, busy: outcome.dispatchIds });
      else terminal.error(`waybill: dispatch ${dispatches} is under way or held: cancel the consignment first\n`);
      return EXIT.findings;
    }
    const { fleetTasks } = outcome;
    const ofFleet = fleetTasks === 0 ? {} : { fleetTasks };
    print(terminal, { json }, { applied: apply, ...outcome.erased, ...ofFleet }, () => {
      const { consignments, pickups, dispatches, exchanges, labels, events, notices, idempotencyKeys } = outcome.erased;
      const { manifestDocuments, unmatchedEvents, unreadPushes } = outcome.erased;
      const what = `${consignments} consignments, ${pickups} pickups, ${dispatches} dispatches, ${exchanges} exchanges, ${labels} labels, ${manifestDocuments} documents of manifests, ${events} events, ${notices} webhook events, ${idempotencyKeys} idempotency keys, ${unmatchedEvents} unmatched events, ${unreadPushes} unread pushes${fleetTasks === 0 ? '' : `, ${fleetTasks} tasks of the fleet`}`;
      return `${what}: ${apply ? 'erased' : 'would be erased (--apply does it)'}\n`;
    });
    return EXIT.good;
  });
};
