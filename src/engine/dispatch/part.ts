/** Partial failures of an operation: missing packages of a create, and failed steps that are not required. */
import type { Warning } from '../consignment/reply.ts';
import type { Accepted } from '../consignment/answer.ts';
import { type Place, type Problem, problem } from '../failure.ts';
import { findRecord } from './call.ts';
import type { RunOutcome } from './ports.ts';
import type { RunContext } from './run-context.ts';
import type { CallScope } from './scope.ts';

/** A create of which only some packages were made, by reference. */
export interface PartialCreate {
  readonly made: readonly string[];
  readonly missing: ReadonlySet<string>;
  readonly problem: Problem;
}

interface Item {
  readonly itemReferenceNumber?: string;
}

const packagesOf = ({ item, items }: Pick<CallScope, 'item' | 'items'>): readonly string[] =>
  ((items ?? [item]) as readonly (Item | undefined)[]).flatMap((one) => one?.itemReferenceNumber ?? []);

/** Undefined: nothing is missing. */
export const partOf = (context: RunContext): PartialCreate | undefined => {
  const { missed, successes, run } = context;
  const missing = missed.filter(({ step }) => !step.bestEffort);
  const [first] = missing;
  if (first === undefined) return undefined;
  const made = successes.filter(({ call }) => call.step === run.operation.steps.at(-1));
  const messages = warningsOf({ missed: missing }).map(
    ({ packageId, message }) => `package ${packageId} was not made: ${message}`,
  );
  return {
    made: made.flatMap(({ call }) => packagesOf(call.scope)),
    missing: new Set(missing.flatMap(({ scope = {} }) => packagesOf(scope))),
    problem: problem('partial', messages, first.problem.place),
  };
};

/** It exists, and its numbers are for an operator to find out; undefined: there is nothing to find out. */
export const unnumberedProblem = (accepted: Accepted | undefined, place: Place | undefined): Problem | undefined =>
  accepted?.numbersUnknown === undefined ? undefined : problem('numbers_unknown', accepted.numbersUnknown, place);

/** What the shipper is told of it, by package where it is of one. */
export const warningsOf = ({ missed }: Pick<RunContext, 'missed'>): readonly Warning[] =>
  missed.flatMap(({ step, scope = {}, problem: { messages } }): Warning[] => {
    const packages = packagesOf(scope);
    const message = messages.join('; ');
    if (!step.bestEffort) return packages.map((packageId) => ({ code: 'package_missing', message, packageId }));
    const [packageId, ...more] = packages;
    const named = packageId === undefined || more.length > 0 ? {} : { packageId };
    return [{ code: 'step_failed', message: `${step.id} was not done: ${message}`, ...named }];
  });

/** A refusal brings no warnings: its reason tells what the carrier may have done all the same. */
export const withDoubts = ({ missed, ports }: RunContext, ended: RunOutcome): RunOutcome => {
  if (ended.kind !== 'rejected') return ended;
  const doubtful = missed.filter(({ scope }) => scope && findRecord(ports, scope)?.failed?.as === 'unknown_outcome');
  const messages = warningsOf({ missed: doubtful }).map(({ message }) => message);
  return { ...ended, problem: { ...ended.problem, messages: [...ended.problem.messages, ...messages] } };
};
