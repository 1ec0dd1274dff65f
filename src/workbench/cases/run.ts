/** Runs a case: each step of its flow with the server's own engine, a still clock and no network. */
import type { Exchange } from '../../engine/dispatch/ports.ts';
import { Failure } from '../../engine/failure.ts';
import { type Carrier, type OperationName, OPERATIONS } from '../../engine/profile/carrier.ts';
import { recordUpdates } from './events.ts';
import { checkEvents, checkOutcome } from './expectation.ts';
import { receiveStep } from './incoming.ts';
import { performStep } from './operation.ts';
import type { CaseFile, Path } from './read.ts';
import { CaseEnded, type CaseReport, collectProblems } from './report.ts';
import type { Step } from './schema.ts';
import { beginStory, type Story } from './story.ts';

/** Never throws for what a case, a profile or a mapping does: that is a problem of the report. */
export const runCase = async (caseFile: CaseFile, carrier: Carrier): Promise<CaseReport> =>
  (await playCase(caseFile, carrier)).report;

interface Played {
  readonly report: CaseReport;
  readonly exchanges: readonly Exchange[];
}

/** The same, with what was asked and answered; `world`: who plays the carrier. */
export const playCase = async (
  caseFile: CaseFile,
  carrier: Carrier,
  world?: Parameters<typeof beginStory>[3],
): Promise<Played> => {
  const problems = collectProblems();
  const { content, placeAt } = caseFile;
  let story: Story | undefined;
  let path: Path = [];
  try {
    story = beginStory(caseFile, carrier, problems, world);
    for (const [at, step] of content.flow.entries()) {
      path = ['flow', at];
      await runStep(story, step, path);
    }
  } catch (thrown) {
    if (thrown instanceof Failure) problems.add(thrown.place ?? placeAt(path), thrown.message);
    else if (!(thrown instanceof CaseEnded)) throw thrown;
  }
  const { steps = [], rules = [], rows = [] } = story?.touched ?? {};
  const report = {
    case: content.case,
    carrier: caseFile.carrier,
    place: placeAt([]),
    passed: problems.list().length === 0,
    problems: problems.list(),
    touched: { steps: [...steps], rules: [...rules], rows: [...rows] },
  };
  return { report, exchanges: story?.exchanges ?? [] };
};

const isOperation = (deed: Step['do']): deed is OperationName => (OPERATIONS as readonly string[]).includes(deed);

const runStep = async (story: Story, step: Step, path: Path): Promise<void> => {
  if (step.now !== undefined) story.clock.advanceTo(Date.parse(step.now));
  const expect = step.expect ?? {};
  const expectPath = [...path, 'expect'];
  if (!isOperation(step.do)) {
    const events = await receiveStep(story, step, path);
    checkEvents(story, expect, events, expectPath);
    return;
  }
  const performed = await performStep(story, step, step.do, path);
  checkOutcome(story, expect, performed, expectPath);
  checkEvents(story, expect, recordUpdates(story, performed.updates), expectPath);
};
