/** Performs a claimed dispatch: run → conclude. A claim belongs to this worker alone until its lease ends. */
import { Failure, type Problem, problem } from '../failure.ts';
import type { Carrier, EnvironmentName, OperationName } from '../profile/carrier.ts';
import { type CarrierFacts, type Effects, effectsOf, factsOf, NO_FACTS } from './effects.ts';
import type { ConcurrencyLimiter } from './limits.ts';
import { type Account, type Inputs, type AttemptLog, LeaseLost, type Ports, type RunOutcome } from './ports.ts';
import { recreatedBy, runRecreate } from './recreate.ts';
import { runOperation } from './operation.ts';
import { mayHaveSideEffects } from './undo.ts';

/** A dispatch that this worker may go on with. */
export interface DispatchClaim {
  readonly dispatchId: number;
  /** Undefined: it is of none. */
  readonly consignmentId: number | undefined;
  readonly operation: OperationName;
  readonly shipperId: number;
  readonly carrierCode: string;
  readonly profileHash: string;
  readonly environment: EnvironmentName;
  readonly seed: string;
  readonly inputs: Inputs;
  /** When its first attempt began, milliseconds since 1970. */
  readonly startedAtMs: number;
  /** Since when it has waited for a carrier that is away; undefined: it does not. */
  readonly awaySinceMs: number | undefined;
  /** Throws a `Failure` where what was written of its calls cannot be read. */
  readonly attemptLog: () => AttemptLog;
  readonly accountId: number | undefined;
  /** The `traceparent` that its end goes on with. */
  readonly trace?: string | undefined;
  /** The account as it is now; undefined: the shipper has none with this carrier. */
  readonly account: () => Promise<Account | undefined>;
}

/** What performing asks of the records. */
interface Dispatches {
  /** Carries the effects out at once with what its attempt log has noted, under the claim's lease; throws `LeaseLost` when that is gone. */
  conclude(claim: DispatchClaim, effects: Effects): Promise<unknown>;
  /** Did it fail only because the records could not be reached? The dispatch is then taken up again by itself. */
  isConnectionError(thrown: unknown): boolean;
}

export interface Performing extends Omit<Ports, 'attemptLog' | 'noteExchange'> {
  readonly dispatches: Dispatches;
  /** One carrier's share of this process; work beyond it comes back in its turn. */
  readonly limiter: Pick<ConcurrencyLimiter, 'enter'>;
  /** For exchanges of a claim that belong to no fenced call. */
  readonly noteExchange: (claim: DispatchClaim) => Ports['noteExchange'];
  /** The carrier in the version that the dispatch began with. */
  readonly carrierVersion: (carrierCode: string, hash: string) => Promise<Carrier>;
  /** The key for its secrets is missing here: it is left to other processes, which may have it. */
  readonly noteLeft: (claim: DispatchClaim, failure: Failure) => void;
  /** A bug, for the log: what the dispatch is held with says no more than that there was one. */
  readonly noteDefect: (claim: DispatchClaim, thrown: unknown) => void;
}

export type Performed = 'lease_lost' | RunOutcome['kind'];

const PUT_OFF = problem('held_back', 'much of this carrier is in hand already');

/** It says nothing of the carrier. */
const later = ({ awaySinceMs }: DispatchClaim, dueAtMs: number, reason: Problem): Ran => ({
  outcome: { kind: 'waiting', dueAtMs, problem: reason, awaySinceMs },
  facts: NO_FACTS,
});
/** Until another process may take up what this one has no key for. */
const LEFT_FOR_MS = 1_000;
const DEFECT = problem('internal_error', 'a mistake of this platform stopped the dispatch; its log says which');

/** Performs a claimed dispatch as far as it goes now. */
export const performDispatch = async (claim: DispatchClaim, performing: Performing): Promise<Performed> => {
  const { dispatches, limiter, nowMs } = performing;
  const admission = limiter.enter(claim.carrierCode);
  try {
    const { outcome, facts }: Ran = admission.admitted
      ? // Its carrier's share is free again for what comes while its end is written.
        await runClaim(claim, performing).finally(() => admission.leave(true))
      : later(claim, nowMs() + admission.waitMs, PUT_OFF);
    await dispatches.conclude(claim, effectsOf(claim.operation, outcome, facts));
    return outcome.kind;
  } catch (thrown) {
    if (thrown instanceof LeaseLost) return 'lease_lost';
    throw thrown;
  }
};

interface Ran {
  readonly outcome: RunOutcome;
  readonly facts: CarrierFacts;
}

const runClaim = async (claim: DispatchClaim, performing: Performing): Promise<Ran> => {
  const { carrierCode, environment, seed, inputs, startedAtMs: nowMs, awaySinceMs } = claim;
  let attemptLog: AttemptLog | undefined;
  try {
    attemptLog = claim.attemptLog();
    const carrier = await performing.carrierVersion(carrierCode, claim.profileHash);
    const parts = recreatedBy(claim.operation, carrier);
    const operation = carrier.operations[parts?.[1] ?? claim.operation];
    if (operation === undefined) {
      throw new Failure(`${carrier.code} has no operation ${claim.operation}`, {
        code: 'operation_missing',
        place: carrier.place,
      });
    }
    const account = await claim.account();
    if (account === undefined) {
      throw new Failure(`the shipper has no ${environment} account with ${carrier.code}`, {
        code: 'account_missing',
        help: 'save one with PUT /admin/accounts',
      });
    }
    const run = { seed, carrier, operation, environment, account, inputs, nowMs, awaySinceMs };
    const ports = { ...performing, noteExchange: performing.noteExchange(claim), attemptLog };
    const outcome = await (parts === undefined ? runOperation(run, ports) : runRecreate(run, ports, parts));
    return { outcome, facts: factsOf(carrier) };
  } catch (thrown) {
    if (thrown instanceof LeaseLost || performing.dispatches.isConnectionError(thrown)) throw thrown;
    if (!(thrown instanceof Failure)) performing.noteDefect(claim, thrown);
    if (thrown instanceof Failure && thrown.code === 'secret_key_missing') {
      performing.noteLeft(claim, thrown);
      return later(claim, performing.nowMs() + LEFT_FOR_MS, problem(thrown.code, thrown.describe()));
    }
    const reason = thrown instanceof Failure ? problem(thrown.code, thrown.describe(), thrown.place) : DEFECT;
    // What was begun before the account or the version went away is still not known; nor is what cannot be read.
    const why = attemptLog === undefined || mayHaveSideEffects(attemptLog) ? 'unknown_outcome' : 'config_error';
    return { outcome: { kind: 'held', why, problem: reason }, facts: NO_FACTS };
  }
};
