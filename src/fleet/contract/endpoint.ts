/** The endpoint of the carrier contract: consignments become tasks, and get tracking numbers and labels. */
import { Consignment } from '../../engine/consignment/consignment.ts';
import { type Issue, issueAt, validator } from '../../engine/validate.ts';
import { textAt } from '../../engine/value.ts';
import type { Answer } from '../http.ts';
import type { Database, FleetDeps } from '../ports.ts';
import { readResources } from '../resources/records.ts';
import { readDemand } from './demand.ts';
import { impossible } from './feasible.ts';
import type { Link } from './links.ts';
import {
  changeTask,
  findTask,
  insertTask,
  leaveStop,
  lockReference,
  packagesOf,
  revokePackages,
  setPackages,
  type TaskRow,
} from './tasks.ts';

const validate = validator(Consignment, 'the consignment');

type Taken = { readonly ok: true; readonly body: object } | { readonly ok: false; readonly issues: readonly Issue[] };
const refused = (field: string, says: string, code: Issue['code'] = 'not_allowed'): Taken => ({
  ok: false,
  issues: [{ ...issueAt(field, 'not_allowed', says), ...(code && { code }) }],
});

/** Answers as the contract says: 200 with a number and a label for each package, or 400 with what is wrong. */
export const takeConsignment = async (deps: FleetDeps, link: Link, given: unknown): Promise<Answer> => {
  const startedMs = deps.nowMs();
  const read = validate(given);
  const taken = read.ok
    ? await deps.database.transaction(async (database) => await act(deps, database, link, read.value)).catch(undone)
    : read;
  const referenceId = textAt(given, 'referenceId');
  const stamped = { referenceId, timestamp: deps.nowMs(), executionTime: deps.nowMs() - startedMs };
  if (taken.ok && 'body' in taken) return { status: 200, body: { status: 200, ...stamped, ...taken.body } };
  const errors = taken.ok ? [] : taken.issues.map(({ message }) => message);
  return { status: 400, body: { status: 400, ...stamped, errors } };
};

/** Thrown so that nothing of it is kept. */
class Undone extends Error {
  readonly issues: readonly Issue[];
  constructor(issues: readonly Issue[]) {
    super('undone');
    this.issues = issues;
  }
}
const undone = (thrown: unknown): Taken => {
  if (thrown instanceof Undone) return { ok: false, issues: thrown.issues };
  throw thrown;
};

const act = async (deps: FleetDeps, database: Database, link: Link, consignment: Consignment): Promise<Taken> => {
  const { referenceId, typeOfAction } = consignment;
  await lockReference(database, link.id, referenceId);
  const task = await findTask(database, link.id, referenceId);
  switch (typeOfAction) {
    case 'CREATE':
      return await create(deps, database, link, consignment, task?.state === 'cancelled' ? undefined : task);
    case 'UPDATE':
      return await update(deps, database, consignment, task);
    case 'CANCEL':
      return await cancel(database, task);
  }
};

const asked = async (deps: FleetDeps, database: Database, consignment: Consignment) => {
  const resources = await readResources(database);
  const read = readDemand(consignment, resources, deps.nowMs());
  if (!read.ok) throw new Undone(read.issues);
  const issues = impossible(read.asked, resources);
  if (issues.length > 0) throw new Undone(issues);
  return read.asked;
};

const create = async (
  deps: FleetDeps,
  database: Database,
  link: Link,
  consignment: Consignment,
  known: TaskRow | undefined,
): Promise<Taken> => {
  // A repeat is answered as the first one was.
  if (known !== undefined)
    return known.consignment.consignmentNumber === consignment.consignmentNumber
      ? await answer(deps, database, known.id, consignment)
      : refused('referenceId', `is that of consignment ${known.consignment.consignmentNumber}`);
  const wanted = await asked(deps, database, consignment);
  const id = await insertTask(database, link.id, consignment, wanted);
  await number(database, id, consignment);
  return await answer(deps, database, id, consignment);
};

const number = async (database: Database, taskId: number, consignment: Consignment): Promise<void> => {
  const taken = await setPackages(database, taskId, consignment);
  if (taken.length > 0)
    throw new Undone(
      taken.map(({ position, trackingNumber }) =>
        issueAt(`itemList[${position}].itemTrackingNumber`, 'unique', `is that of another package: ${trackingNumber}`),
      ),
    );
};

const NOT_KNOWN = 'is that of no consignment of yours';

const update = async (
  deps: FleetDeps,
  database: Database,
  consignment: Consignment,
  task: TaskRow | undefined,
): Promise<Taken> => {
  if (task === undefined) return refused('referenceId', NOT_KNOWN);
  if (task.state !== 'open' && task.state !== 'planned')
    return refused('typeOfAction', `cannot be UPDATE any more: the consignment is ${task.state.replace('_', ' ')}`);
  const wanted = await asked(deps, database, consignment);
  if (wanted.kind !== task.kind) return refused('typeOfOrder', 'cannot be changed by an update');
  await changeTask(database, task, consignment, wanted);
  await number(database, task.id, consignment);
  return await answer(deps, database, task.id, consignment);
};

const cancel = async (database: Database, task: TaskRow | undefined): Promise<Taken> => {
  if (task === undefined) return refused('referenceId', NOT_KNOWN);
  const { id, state, kind, stopId } = task;
  // What is still with its sender is just not fetched.
  const isFree = state === 'open' || state === 'planned' || (state === 'out' && kind === 'PICKUP');
  if (state !== 'cancelled' && !isFree)
    return refused('typeOfAction', `cannot be CANCEL any more: the consignment is ${state.replace('_', ' ')}`);
  if (isFree) {
    await leaveStop(database, id, stopId, 'cancelled');
    await revokePackages(database, id);
  }
  return { ok: true, body: {} };
};

const answer = async (
  { labelUrl }: FleetDeps,
  database: Database,
  taskId: number,
  { itemList, carrierCode, orderNumber }: Consignment,
): Promise<Taken> => {
  const packages = await packagesOf(database, taskId);
  const byItem = new Map(packages.map((one) => [one.itemReference, one]));
  const itemsTrackDetails = itemList.flatMap(({ itemReferenceNumber }) => {
    const found = byItem.get(itemReferenceNumber);
    if (found === undefined) return [];
    const { trackingNumber, labelId } = found;
    return [{ itemReferenceNumber, trackingNumber, labelUrl: `${labelUrl}/${labelId}`, carrierCode, orderNumber }];
  });
  return { ok: true, body: { itemsTrackDetails } };
};
