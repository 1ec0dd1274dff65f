/** Plays cases: each step of the flow with the server's own engine, a still clock and no network. */
import { Failure } from '../../engine/failure.ts';
import { type Carrier, isOperation, type OperationName } from '../../engine/profile/carrier.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import type { ValuePath } from '../../engine/value.ts';
import { type CaseFile, type CaseFiles, readCase } from './read.ts';
import { recordUpdates } from './events.ts';
import { checkEvents, checkOutcome } from './expectation.ts';
import { checkReply, receive, type Received } from './incoming.ts';
import { type Performed, performStep } from './perform.ts';
import { CaseEnded, type CaseReport, collectProblems, unreadableReport } from './report.ts';
import { readSchemas, type RequestSchemas, schemaRequestOf } from './request-schemas.ts';
import type { Step } from './schema.ts';
import { beginStory, type Story, type World } from './story.ts';

/** What a step came to: we asked the carrier, or it called us. */
export type Played = { readonly events: readonly NormalisedEvent[] } & (
  | { readonly performed: Performed; readonly operation: OperationName }
  | { readonly received: Received }
);

export type OnStep = (played: Played, step: Step, story: Story, path: ValuePath) => void;

/**
 * Nothing is compared. Never throws for what a case, a profile or a mapping does: `ended` is why a case did not come to
 * its end, a `Failure` where the profile cannot be evaluated; it is a problem, too. No `story`: it could not begin.
 */
export const playCase = async (caseFile: CaseFile, carrier: Carrier, onStep: OnStep, world?: World) => {
  const problems = collectProblems(caseFile.placeAt);
  let story: Story | undefined;
  let path: ValuePath = [];
  try {
    story = beginStory(caseFile, carrier, problems, world);
    for (const [at, step] of caseFile.content.flow.entries()) {
      path = ['flow', at];
      onStep(await playStep(story, step, path), step, story, path);
    }
    return { story, problems, ended: undefined };
  } catch (thrown) {
    if (thrown instanceof Failure) problems.add(path, thrown.message, { place: thrown.place });
    else if (!(thrown instanceof CaseEnded)) throw thrown;
    return { story, problems, ended: thrown };
  }
};

export type PlayedCase = Awaited<ReturnType<typeof playCase>>;

const playStep = async (story: Story, step: Step, path: ValuePath): Promise<Played> => {
  if (step.now !== undefined) story.clock.advanceTo(Date.parse(step.now));
  if (step.do === 'choose') {
    story.problems.add([...path, 'do'], 'choose is for cases of policies');
    throw new CaseEnded('no policy');
  }
  if (!isOperation(step.do)) {
    const received = await receive(story, step, path);
    return { received, events: received.events };
  }
  const performed = await performStep(story, step, step.do, path);
  return { performed, operation: step.do, events: recordUpdates(story, performed.updates) };
};

/** Compares what a step came to with what its case expects. */
export const checkStep: OnStep = (played, { expect }, story, path) => {
  const expectPath = [...path, 'expect'];
  if ('performed' in played) checkOutcome(story, expect ?? {}, played.performed, expectPath);
  else checkReply(story, expect, played.received, expectPath);
  checkEvents(story, expect ?? {}, played.events, expectPath);
};

/** Plays a case and compares what came of it with what it expects. */
const runCase = async (caseFile: CaseFile, carrier: Carrier, schemas: RequestSchemas): Promise<CaseReport> => {
  const sent: WireRequest[] = [];
  const onStep: OnStep = (played, step, at, path) => {
    checkStep(played, step, at, path);
    const requests = sent.splice(0);
    // What the carrier refuses may be what it cannot take.
    if (step.expect?.outcome !== undefined && step.expect.outcome !== 'succeed') return;
    for (const finding of new Set(requests.flatMap((request) => schemas.findingsOf(schemaRequestOf(request)))))
      at.problems.add(path, `a request breaks its schema: ${finding}`);
  };
  const { story, problems } = await playCase(caseFile, carrier, onStep, {
    onSend: (request) => void sent.push(request),
  });
  const { steps = [], rules = [], rows = [] } = story?.touched ?? {};
  return {
    case: caseFile.content.case,
    carrier: caseFile.carrier,
    place: caseFile.placeAt([]),
    passed: problems.list().length === 0,
    problems: problems.list(),
    touched: { steps: [...steps], rules: [...rules], rows: [...rows] },
  };
};

/** Reads and runs one case; what makes it unreadable is its report, and then there is no `caseFile`. */
export const runCaseNamed = async (
  carrier: Carrier,
  name: string,
  files: CaseFiles,
): Promise<{ readonly report: CaseReport; readonly caseFile: CaseFile | undefined }> => {
  const read = readCase(carrier.code, name, files);
  if (read.ok) {
    const schemas = readSchemas(carrier.code, files);
    return { report: await runCase(read.caseFile, carrier, schemas), caseFile: read.caseFile };
  }
  return { report: unreadableReport(carrier.code, name, read.findings), caseFile: undefined };
};
