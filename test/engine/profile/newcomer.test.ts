import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryCaseFiles, caseNames } from '../../../src/workbench/cases/case-files.ts';
import { runCaseNamed } from '../../../src/workbench/cases/run.ts';
import { directoryFiles, memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { said } from '../../workbench/cases/running.ts';

/** A real carrier that is not bundled, described from README and docs alone. */
const HOME = path.join(import.meta.dirname, 'newcomer');
const loaded = loadCarrier('packeta', { home: directoryFiles(HOME), shipped: memoryFiles({}) });

describe('what a newcomer wrote by the documentation', () => {
  it('is free of findings', () => {
    expect(loaded.findings).toEqual([]);
  });

  const files = directoryCaseFiles(HOME);
  it.each(caseNames('packeta', files))('passes %s', async (name) => {
    if (loaded.carrier === undefined) throw new Error('it does not load');
    const { report } = await runCaseNamed(loaded.carrier, name, files);
    expect(said(report)).toEqual([]);
  });
});
