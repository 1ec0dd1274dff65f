import { problem } from '../failure.ts';
import type { AttemptLog, Ports, Run, RunOutcome } from './ports.ts';
import type { Carrier, OperationName } from '../profile/carrier.ts';
import { rehearseOperation, runOperation } from './operation.ts';

/** The calls of one part of a run, under names of their own in the attempt log of the whole. */
const partOf = (attemptLog: AttemptLog, part: string): AttemptLog => {
  const prefix = `${part}/`;
  return {
    // A getter: the whole's list grows as the parts are written.
    get calls() {
      return attemptLog.calls
        .filter(({ step }) => step.startsWith(prefix))
        .map((record) => ({ ...record, step: record.step.slice(prefix.length) }));
    },
    draws: attemptLog.draws,
    fence: async (key, ...rest) => await attemptLog.fence({ ...key, step: prefix + key.step }, ...rest),
    commit: async (record, exchange) => await attemptLog.commit({ ...record, step: prefix + record.step }, exchange),
    flush: async () => await attemptLog.flush(),
    drawSequence: async (key, ...rest) => await attemptLog.drawSequence(key, ...rest),
  };
};

/** The operations by which a carrier does what it has no operation for: it cancels, and makes anew. */
export const recreatedBy = (operation: OperationName, { recreate, operations }: Carrier) => {
  if (operation === 'update' && recreate) return ['cancel', 'create'] as const;
  const isChange = operation === 'changePickup' && operations.changePickup === undefined;
  return isChange ? (['cancelPickup', 'pickup'] as const) : undefined;
};

/**
 * Cancel, then create, as one run that resumes where it stopped. When the cancel is refused nothing has changed; when
 * the create is, the carrier has nothing any more, and what is left to do is a create.
 */
export const runRecreate = async (
  run: Run,
  ports: Ports,
  [cancelName, createName]: NonNullable<ReturnType<typeof recreatedBy>> = ['cancel', 'create'],
): Promise<RunOutcome> => {
  const { carrier } = run;
  const { [cancelName]: cancel, [createName]: create } = carrier.operations;
  if (cancel === undefined || create === undefined) {
    const message = `${carrier.code} recreates to update, and lacks ${createName} or ${cancelName}`;
    return { kind: 'held', why: 'config_error', problem: problem('operation_missing', message, carrier.place) };
  }
  const partRun = (operation: typeof create, name: typeof cancelName | typeof createName) => {
    const { consignment, pickup, booked } = run.inputs;
    const inputs =
      name === 'cancel' || name === 'create'
        ? { ...run.inputs, consignment: { ...(consignment as object), typeOfAction: name.toUpperCase() } }
        : { pickup: name === 'pickup' ? pickup : booked };
    const own = { ...run, operation, inputs, seed: `${run.seed}/${name}` };
    return [own, { ...ports, attemptLog: partOf(ports.attemptLog, name) }] as const;
  };
  const part = async (...named: Parameters<typeof partRun>): Promise<RunOutcome> =>
    await runOperation(...partRun(...named));
  if (ports.attemptLog.calls.length === 0) {
    // What would keep the new shipment from being made must not cost the old one.
    const ended = await rehearseOperation(...partRun(create, createName));
    if (ended !== undefined) return ended;
  }
  const cancelled = await part(cancel, cancelName);
  if (cancelled.kind !== 'done') return cancelled;
  const created = await part(create, createName);
  if (created.kind === 'waiting') return created;
  const hasMade = created.kind === 'held' && (created.why === 'unknown_outcome' || created.why === 'partial');
  if (created.kind === 'done' || hasMade) return { ...created, oldCancelled: true };
  const what = createName === 'pickup' ? 'pickup' : 'shipment';
  const gone = `the old ${what} is cancelled at the carrier, and a new one was not made`;
  const messages = [gone, ...created.problem.messages];
  const why = created.kind === 'held' ? created.why : 'fail';
  return { kind: 'held', why, problem: { ...created.problem, messages }, oldCancelled: true };
};
