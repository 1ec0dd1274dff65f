import { expect, test } from 'vitest';
import { testCarrier } from '../../src/workbench/cases/test-carrier.ts';
import { caseFiles, exampleCodes, homes } from './examples.ts';

test.each(exampleCodes)('the example %s passes its cases and the pack, or waives what it leaves out', async (code) => {
  const { cases, pack, findings } = await testCarrier(code, { homes, files: caseFiles, pack: true });
  expect(findings).toEqual([]);
  expect(cases.filter(({ passed }) => !passed)).toEqual([]);
  expect(pack.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
});
