/** The platform's own pack: what every carrier must do, whatever its format. From the profile, and from its cases. */
import { setImmediate } from 'node:timers/promises';
import type { Carrier } from '../../../engine/profile/carrier.ts';
import { oneByOne } from '../../engine-run.ts';
import type { CaseFiles } from '../read.ts';
import { CaseEnded, type ScenarioReport } from '../report.ts';
import { FAULTS } from './faults.ts';
import { REQUESTS } from './requests.ts';
import { Pending, type Scenario, type Stage, stageOf } from './stage.ts';
import { STATUSES } from './statuses.ts';

export const SCENARIOS: readonly Scenario[] = [...REQUESTS, ...STATUSES, ...FAULTS];

export const runPack = async (carrier: Carrier, files: CaseFiles): Promise<readonly ScenarioReport[]> => {
  const stage = stageOf(oneByOne(carrier), files);
  const reports: ScenarioReport[] = [];
  for (const scenario of SCENARIOS) {
    await setImmediate();
    reports.push(await runScenario(stage, scenario));
  }
  return reports;
};

const runScenario = async (stage: Stage, scenario: Scenario): Promise<ScenarioReport> => {
  const { carrier } = stage;
  const { name, title } = scenario;
  const common = { carrier: carrier.code, scenario: name, title };
  try {
    const problems = (await scenario.run(stage)).map((complaint) => ({
      ...(typeof complaint === 'string'
        ? { message: complaint, place: scenario.place(carrier) ?? carrier.place }
        : complaint),
      differences: [],
      corrections: [],
    }));
    return { ...common, outcome: problems.length === 0 ? 'passed' : 'failed', reason: undefined, problems };
  } catch (thrown) {
    if (!(thrown instanceof Pending || thrown instanceof CaseEnded)) throw thrown;
    return { ...common, outcome: 'pending', reason: thrown.message, problems: [] };
  }
};
