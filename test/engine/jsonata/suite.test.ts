import { describe, expect, it } from 'vitest';
import { runSuite, suiteExists, suiteFolder, type CaseReport } from './official-suite.ts';
import ratchet from './suite-ratchet.json' with { type: 'json' };

const count = (reports: readonly CaseReport[], key: keyof CaseReport): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const report of reports) counts[String(report[key])] = (counts[String(report[key])] ?? 0) + 1;
  return counts;
};

if (!suiteExists) console.warn(`The official JSONata test suite is not in ${suiteFolder}: its tests are skipped`);

describe.skipIf(!suiteExists)('the official JSONata test suite', () => {
  const generated = suiteExists ? runSuite(true) : [];
  const closures = suiteExists ? runSuite(false) : [];

  it('has no wrong case on generated code', () => {
    expect(generated.filter(({ ending }) => ending === 'wrong').map(({ name }) => name)).toEqual([]);
  });

  it('has no wrong case on closures', () => {
    expect(closures.filter(({ ending }) => ending === 'wrong').map(({ name }) => name)).toEqual([]);
  });

  it('leaves every input as it was', () => {
    expect([...generated, ...closures].filter(({ inputChanged }) => inputChanged)).toEqual([]);
  });

  it('ends exactly as the ratchet file says', () => {
    expect({ endings: count(generated, 'ending'), backends: count(generated, 'backend') }).toEqual(ratchet);
  });

  it('is generated whole for at least 94 of 100 cases that can be evaluated', () => {
    const { generated: whole = 0, mixed = 0, closures: none = 0 } = count(generated, 'backend');
    expect(whole / (whole + mixed + none)).toBeGreaterThanOrEqual(0.94);
  });
});
