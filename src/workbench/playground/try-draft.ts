/** What becomes of a draft: one case with all that it sent and why, how all cases cover it, and what lint finds. */
import { hashTexts, type Homes } from '../../engine/profile/chain.ts';
import type { Finding } from '../../engine/profile/finding.ts';
import { openCarrier } from '../../engine/profile/load.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { WireRequest } from '../../engine/transport/wire.ts';
import { type CoveredBefore, watchCoverage } from '../cases/coverage.ts';
import { evidenceWithCases } from '../cases/evidence.ts';
import { type CaseFiles, caseNames, readCase } from '../cases/read.ts';
import type { CaseReport } from '../cases/report.ts';
import { checkStep, type Played, playCase } from '../cases/run.ts';
import { outcomeName, shownEvent } from '../cases/shown.ts';
import { oneByOne } from '../engine-run.ts';
import { recordRun } from '../explain/explain-run.ts';
import { type Watch, watchMappings } from '../explain/watch.ts';
import { type Draft, draftCaseFiles, draftHomes } from './draft.ts';

/** Reads a draft once, for its case, for what covers it, and for lint, which nothing else waits for. */
export const openDraft = (draft: Draft, homes: Homes, home: CaseFiles) => {
  const { carrier: code } = draft;
  const files = draftCaseFiles(draft, home);
  const { watcher, cover } = watchCoverage();
  const watch = watchMappings(watcher);
  const opened = openCarrier(code, draftHomes(draft, homes), evidenceWithCases(files), watch.engine);
  const { carrier, bundle, findings } = opened.unlinted();
  const nameOf = (caseName: string | undefined) => caseNames(code, files).find((one) => one === caseName);
  return {
    /** Once. `caseName`: of a file in `fixtures/<carrier>/`. */
    tryCase: async (caseName: string | undefined) => {
      const name = nameOf(caseName);
      const tried =
        carrier === undefined || name === undefined ? undefined : await tryCase(carrier, name, files, watch);
      return { findings: [...findings, ...(tried?.findings ?? [])].map(findingView), played: tried?.played };
    },
    /** Once. All that is found in it, and in this case. */
    lint: (caseName: string | undefined) => {
      const name = nameOf(caseName);
      const read = name === undefined ? undefined : readCase(code, name, files);
      return { findings: [...opened.linted().findings, ...(read?.findings ?? [])].map(findingView) };
    },
    /** All cases; none for a carrier that does not load. `before`: of the same carrier, `covered` of the last answer. */
    cover: async (before?: CoveredBefore) => {
      const coverage = carrier && (await cover(carrier, bundle, files, before));
      if (coverage === undefined) return { reply: { cases: [], coverage: undefined }, covered: before };
      const { percent, total, missed, reports, covered } = coverage;
      const reply = {
        cases: caseNames(code, files).map((name, at) => caseView(name, reports[at])),
        coverage: { percent, total, missed: missed.map(({ kind, what, place }) => ({ kind, what, ...place })) },
      };
      return { reply, covered };
    },
    hash: hashTexts(code, bundle.files),
  };
};

const findingView = ({ place, rule, severity, message, help, fix }: Finding) => ({
  ...place,
  rule,
  severity,
  message,
  help,
  fix: fix && { line: fix.place.line, column: fix.place.column, old: fix.old, text: fix.text },
});

const DIFFERENCES_MAX = 50;

const problemsOf = (problems: CaseReport['problems']) =>
  problems.map(({ place, message, differences }) => ({
    ...place,
    message,
    differences: differences.slice(0, DIFFERENCES_MAX),
  }));

const caseView = (name: string, report: CaseReport | undefined) => ({
  name,
  title: report?.case ?? name,
  passed: report?.passed ?? false,
  problems: problemsOf(report?.problems ?? []),
});

/** Each step with what was sent for it, and why everything there is what it is. */
const tryCase = async (carrier: Carrier, name: string, files: CaseFiles, watch: Watch) => {
  const read = readCase(carrier.code, name, files);
  if (!read.ok) return { findings: read.findings, played: undefined };
  const watched = oneByOne(watch.over(carrier));
  const run = recordRun(watch);
  const sent: ReturnType<typeof requestView>[] = [];
  const steps: ReturnType<typeof stepView>[] = [];
  const { story, problems, ended } = await playCase(
    read.caseFile,
    watched,
    (played, step, at, path) => {
      checkStep(played, step, at, path);
      run.onEnd(step.do, 'performed' in played ? played.performed.outcome : undefined, played.events);
      steps.push(stepView(step.do, played));
    },
    {
      onSend: (request) => {
        run.onSend(request);
        sent.push(requestView(request));
      },
      onExchange: run.onExchange,
    },
  );
  if (ended !== undefined) run.onEnd('', undefined, []);
  const explained = story && run.explain(watched, story.account);
  return {
    findings: read.findings,
    played: {
      title: read.caseFile.content.case,
      actions: read.caseFile.content.flow.map((step) => step.do),
      consignment: story?.consignment ?? read.caseFile.consignment,
      service: story?.service,
      problems: problemsOf(problems.list()),
      sent,
      steps,
      exchanges: explained?.exchanges ?? [],
      results: explained?.results ?? [],
      events: explained?.events ?? [],
      ended: explained?.ended ?? [],
    },
  };
};

const BODY_MAX = 100_000;

const requestView = ({ method, url, headers, body }: WireRequest) => {
  const bytes = Buffer.from(body ?? []);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  return { method, url, headers, body: isText ? text.slice(0, BODY_MAX) : `${bytes.length} bytes` };
};

const stepView = (action: string, played: Played) => ({
  do: action,
  events: played.events.map(shownEvent),
  ...('performed' in played
    ? {
        outcome: outcomeName(played.performed.outcome),
        problem: problemText(played.performed.outcome),
        result: played.performed.result,
        labels: played.performed.labels,
      }
    : { outcome: 'received' }),
});

const problemText = (outcome: Extract<Played, { performed: unknown }>['performed']['outcome']): string | undefined =>
  outcome.kind === 'done' ? undefined : outcome.problem.messages.join('; ');
