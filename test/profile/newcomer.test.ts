import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryCaseFiles } from '../../src/case/case-files.ts';
import { caseNames } from '../../src/case/case-names.ts';
import { runCaseNamed } from '../../src/case/suite.ts';
import { directoryFiles, memoryFiles } from '../../src/profile/home-files.ts';
import { loadCarrier } from '../../src/profile/load.ts';
import { said } from '../case/running.ts';

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
