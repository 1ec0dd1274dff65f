import { describe, expect, it } from 'vitest';
import { runSuite, suiteExists, suiteFolder } from './official-suite.ts';
import ratchet from './suite-ratchet.json' with { type: 'json' };

if (!suiteExists) console.warn(`The official JSONata test suite is not in ${suiteFolder}: its tests are skipped`);

describe.skipIf(!suiteExists)('the official JSONata test suite', () => {
  const reports = suiteExists ? runSuite() : [];

  it('has no wrong case', () => {
    expect(reports.filter(({ ending }) => ending === 'wrong').map(({ name }) => name)).toEqual([]);
  });

  it('leaves every input as it was', () => {
    expect(reports.filter(({ inputChanged }) => inputChanged)).toEqual([]);
  });

  it('ends exactly as the ratchet file says', () => {
    const endings = Map.groupBy(reports, ({ ending }) => ending);
    expect(Object.fromEntries([...endings].map(([ending, all]) => [ending, all.length]))).toEqual(ratchet);
  });
});
