/** Profiles of the carrier acme, loaded: what they compile to, and what is found in them. */
import { join } from 'node:path';
import type { EvaluationContext } from '../../../src/engine/mapping/mapping.ts';
import { formatFinding } from '../../../src/engine/profile/finding.ts';
import { directoryFiles, memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier, loadHome } from '../../../src/engine/profile/load.ts';

/** What a profile needs, to be followed by what a test is about. */
export const HEAD = "carrier: acme\nenvironments: { production: { url: 'https://acme.example' } }\n";
export const context: EvaluationContext = { tables: {}, time: { zone: 'UTC', formats: [] }, nowMs: 0, drawn: () => '' };

/** The files of this repository. */
export const shipped = directoryFiles(join(import.meta.dirname, '../../..'));
export const NOTHING = memoryFiles({});

type Files = Readonly<Record<string, string>>;

/** `said`: its errors. */
export const loadAcme = (profile: string, more: Files = {}, base = NOTHING) => {
  const home = memoryFiles({ 'carriers/acme.yaml': profile, ...more });
  const { carrier, findings } = loadCarrier('acme', { home, shipped: base });
  return { carrier, said: findings.filter(({ severity }) => severity === 'error').map(formatFinding) };
};

/** `said`: all that is found in the home. */
export const loadFiles = (files: Files, base = NOTHING) => {
  const loaded = loadHome({ home: memoryFiles(files), shipped: base });
  return { ...loaded, said: loaded.findings.map(formatFinding) };
};
