/** Profiles of the carrier acme, loaded: what they compile to, and what is found in them. */
import { join } from 'node:path';
import type { EvaluationContext } from '../../../src/engine/mapping/mapping.ts';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';
import { checkShape } from '../../../src/engine/profile/check.ts';
import { collectFindings, formatFinding } from '../../../src/engine/profile/finding.ts';
import { directoryFiles, memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier, loadHome } from '../../../src/engine/profile/load.ts';
import { parseSource } from '../../../src/engine/profile/source.ts';

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

/** The carrier of a profile without errors. */
export const compileAcme = (profile: string): Carrier => {
  const { carrier, said } = loadAcme(profile);
  if (carrier === undefined) throw new Error(said.join('\n'));
  return carrier;
};

/** What the shape of a text is told, as lines. */
export const checked = (text: string): readonly string[] => {
  const { root, findings: parsed } = parseSource('carriers/acme.yaml', text);
  const findings = collectFindings();
  for (const finding of parsed) findings.add(finding);
  if (root !== undefined) checkShape(root, findings, false);
  return findings.list().map(formatFinding);
};

/** `said`: all that is found in the home. */
export const loadFiles = (files: Files, base = NOTHING) => {
  const loaded = loadHome({ home: memoryFiles(files), shipped: base });
  return { ...loaded, said: loaded.findings.map(formatFinding) };
};
