import { type Problem, problem } from '../failure.ts';
import type { Ports, Run, RunOutcome } from '../dispatch/ports.ts';
import { runOperation } from '../dispatch/operation.ts';
import type { AskedAbout, AskedName, AskedResult } from './operations.ts';

/** Whom to ask, and with what: the account's carrier, a seed that is the question's own, and the ports. */
export interface Asking extends Omit<Run, 'operation' | 'inputs'> {
  readonly ports: Ports;
}

export type Asked<Name extends AskedName> =
  | { readonly ok: true; readonly result: AskedResult<Name> }
  | {
      readonly ok: false;
      /**
       * `not_offered`: the profile has no such operation. `waiting`: to be tried again. After `unknown_outcome` nobody
       * knows whether it was done; after all else it was not.
       */
      readonly why: 'not_offered' | 'waiting' | 'rejected' | Extract<RunOutcome, { kind: 'held' }>['why'];
      readonly problem: Problem;
    };

/**
 * Asks a carrier for one of the operations of `ASKED`. Reads are simply repeated; of one with an effect, the attempt
 * log of `ports` is the fence, and the same log and seed go on with a try of before.
 */
export const ask = async <Name extends AskedName>(
  name: Name,
  about: AskedAbout<Name>,
  { ports, ...run }: Asking,
): Promise<Asked<Name>> => {
  const operation = run.carrier.operations[name];
  if (operation === undefined) {
    const message = `${run.carrier.code} has no operation ${name}`;
    return { ok: false, why: 'not_offered', problem: problem('not_offered', message, run.carrier.place) };
  }
  const outcome = await runOperation({ ...run, operation, inputs: about }, ports);
  if (outcome.kind === 'done') return { ok: true, result: outcome.result as AskedResult<Name> };
  return { ok: false, why: outcome.kind === 'held' ? outcome.why : outcome.kind, problem: outcome.problem };
};
