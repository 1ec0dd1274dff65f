/** The platform's own pack: what every carrier must do, whatever its format. From the profile, and from its cases. */
import { setImmediate } from 'node:timers/promises';
import type { Carrier } from '../../../engine/profile/carrier.ts';
import type { CaseFiles } from '../case-files.ts';
import { oneByOne } from '../one-by-one.ts';
import { CaseEnded } from '../report.ts';
import { FAULTS } from './faults.ts';
import { LABELS } from './labels.ts';
import { readMaterial } from './material.ts';
import type { ScenarioReport } from './report.ts';
import { REQUESTS } from './requests.ts';
import type { Scenario } from './scenario.ts';
import { Pending, type Stage } from './stage.ts';
import { STATUSES } from './statuses.ts';

export const SCENARIOS: readonly Scenario[] = [...REQUESTS, ...STATUSES, ...FAULTS, ...LABELS];

export const runPack = async (carrier: Carrier, files: CaseFiles): Promise<readonly ScenarioReport[]> => {
  const stage = { carrier: oneByOne(carrier), material: readMaterial(carrier, files) };
  const reports: ScenarioReport[] = [];
  for (const scenario of SCENARIOS) {
    await setImmediate();
    reports.push(await runScenario(stage, scenario));
  }
  return reports;
};

const runScenario = async (stage: Stage, { name, title, run }: Scenario): Promise<ScenarioReport> => {
  const common = { carrier: stage.carrier.code, scenario: name, title };
  try {
    const complaints = await run(stage);
    const problems = complaints.map((complaint) => ({ ...complaint, differences: [], corrections: [] }));
    return { ...common, outcome: problems.length === 0 ? 'passed' : 'failed', reason: undefined, problems };
  } catch (thrown) {
    if (!(thrown instanceof Pending || thrown instanceof CaseEnded)) throw thrown;
    return { ...common, outcome: 'pending', reason: thrown.message, problems: [] };
  }
};
