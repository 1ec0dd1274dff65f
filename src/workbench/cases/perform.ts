/** Runs an operation of a case with the server's own runner, against the script, until it ends. */
import { createMemoryLog, takeFromMemory } from '../../engine/dispatch/attempt-log.ts';
import { UNLIMITED } from '../../engine/dispatch/limits.ts';
import type { Exchange, Inputs, Ports, Run, RunOutcome } from '../../engine/dispatch/ports.ts';
import type { runOperation } from '../../engine/dispatch/operation.ts';
import { formatPlace } from '../../engine/failure.ts';
import type { Operation } from '../../engine/profile/carrier.ts';
import { showDuration } from './duration-text.ts';
import type { Path } from './read.ts';
import { CaseEnded } from './report.ts';
import type { Script } from './script.ts';
import type { Story } from './story.ts';

export interface Performing {
  readonly story: Story;
  readonly operation: Operation;
  readonly inputs: Inputs;
  readonly script: Script;
  /** The step of the case. */
  readonly path: Path;
  readonly runs: typeof runOperation;
  /** The step may end while the engine waits for another try. */
  readonly mayWait: boolean;
}

const WAITS_MAX = 200;

/**
 * The clock stands still but for waits, delays and time-outs, and no wait has jitter. Throws `CaseEnded` on a request
 * that the script does not know.
 */
export const perform = async (performing: Performing): Promise<RunOutcome> => {
  const { story, operation, inputs, script } = performing;
  const number = (story.runs.get(operation.name) ?? 0) + 1;
  story.runs.set(operation.name, number);
  // The same whenever the case runs, so that drawn values and keys can be written into it.
  const run = runOf(story, operation, inputs, `case/${operation.name}/${number}`);
  const ports = portsOf(story, script);
  for (let waits = 0; waits < WAITS_MAX; waits += 1) {
    const outcome = await performing.runs(run, ports);
    noteRule(story, outcome);
    if (outcome.kind !== 'waiting') return outcome;
    const waitMs = outcome.dueAtMs - story.clock.nowMs();
    if (script.isAtEnd()) {
      if (!performing.mayWait) noteUnfinished(performing, waitMs, outcome.problem.messages);
      else script.waited(waitMs);
      return outcome;
    }
    script.waited(waitMs);
    story.clock.advanceTo(outcome.dueAtMs);
  }
  story.problems.add(story.caseFile.placeAt(performing.path), `the engine waited more than ${WAITS_MAX} times`);
  throw new CaseEnded('no end');
};

export const runOf = (story: Story, operation: Operation, inputs: Inputs, seed: string): Run => ({
  seed,
  carrier: story.carrier,
  operation,
  environment: story.environment,
  account: story.account,
  inputs,
  nowMs: story.clock.nowMs(),
});

export const portsOf = (story: Story, script: Script): Ports => {
  const noteExchange = (exchange: Exchange): Promise<void> => {
    story.exchanges.push(exchange);
    story.touched.steps.add(`${exchange.operation}/${exchange.step}`);
    story.onExchange?.(exchange);
    return Promise.resolve();
  };
  return {
    // Sequences go on through the whole case: they are the account's.
    attemptLog: createMemoryLog(noteExchange, takeFromMemory(story.sequences)),
    tokens: story.tokens,
    carrierLimits: UNLIMITED,
    noteExchange,
    send: script.send,
    nowMs: story.clock.nowMs,
    random: () => 0,
  };
};

const noteUnfinished = ({ story, path }: Performing, waitMs: number, messages: readonly string[]): void =>
  story.problems.add(
    story.caseFile.placeAt(path),
    `after the last exchange the engine waits ${showDuration(waitMs)} and asks again (${messages.join('; ')}): ` +
      `add that exchange, or expect the outcome "waiting"`,
  );

const noteRule = (story: Story, outcome: RunOutcome): void => {
  if (outcome.kind !== 'done' && outcome.problem.place !== undefined) {
    story.touched.rules.add(formatPlace(outcome.problem.place));
  }
};
