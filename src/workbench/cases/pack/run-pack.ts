/** The platform's own pack: what every carrier must do, whatever its format. From the profile, and from its cases. */
import { setImmediate } from 'node:timers/promises';
import type { Carrier } from '../../../engine/profile/carrier.ts';
import { didYouMean } from '../../../engine/mapping/closest.ts';
import { oneByOne } from '../../engine-run.ts';
import type { CaseFiles } from '../read.ts';
import { CaseEnded, problemOf, type ScenarioReport, waiversIn } from '../report.ts';
import { ASKED } from './asked.ts';
import { FAULTS } from './faults.ts';
import { REQUESTS } from './requests.ts';
import { Pending, type Scenario, type Stage, stageOf } from './stage.ts';
import { STATUSES } from './statuses.ts';

export const SCENARIOS: readonly Scenario[] = [...REQUESTS, ...STATUSES, ...FAULTS, ...ASKED];

/** `texts`: of the profile and its mappings, in which scenarios may be waived. */
export const runPack = async (
  carrier: Carrier,
  files: CaseFiles,
  texts: readonly string[] = [],
): Promise<readonly ScenarioReport[]> => {
  const waivers = new Map(waiversIn('waived', texts).map(({ name, reason }) => [name, reason]));
  const stage = stageOf(oneByOne(carrier), files);
  const reports: ScenarioReport[] = [];
  for (const scenario of SCENARIOS.filter(({ isFor }) => isFor?.(carrier) !== false)) {
    await setImmediate();
    reports.push(await runScenario(stage, scenario, waivers.get(scenario.name)));
  }
  const known = SCENARIOS.map(({ name }) => name);
  for (const name of waivers.keys()) {
    if (known.includes(name)) continue;
    const help = didYouMean(name, known) ?? `one of ${known.join(', ')}`;
    const complaint = { message: `there is no scenario "${name}" to waive: ${help}`, place: carrier.place };
    const common = { carrier: carrier.code, scenario: name, title: 'a waiver names a scenario', used: [] };
    reports.push({ ...common, outcome: 'failed', reason: undefined, problems: [problemOf(complaint)] });
  }
  return reports;
};

const runScenario = async (stage: Stage, scenario: Scenario, waiver?: string): Promise<ScenarioReport> => {
  const { carrier } = stage;
  const { name, title } = scenario;
  stage.used.length = 0;
  const report = (outcome: ScenarioReport['outcome'], more: Partial<ScenarioReport>): ScenarioReport => ({
    carrier: carrier.code,
    scenario: name,
    title,
    outcome,
    reason: undefined,
    problems: [],
    used: [...stage.used],
    ...more,
  });
  try {
    const place = scenario.place(carrier) ?? carrier.place;
    const complaints = await scenario.run(stage);
    const problems = complaints.map((one) => problemOf(typeof one === 'string' ? { message: one, place } : one));
    if (problems.length === 0) return report('passed', {});
    return waiver === undefined ? report('failed', { problems }) : report('pending', { reason: `waived: ${waiver}` });
  } catch (thrown) {
    if (!(thrown instanceof Pending || thrown instanceof CaseEnded)) throw thrown;
    return report('pending', { reason: thrown.message });
  }
};
