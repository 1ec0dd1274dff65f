/** A carrier begun from samples in memory, its case run. */
import { expect } from 'vitest';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';
import { directoryFiles, memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { draftOf, loadCarrier } from '../../../src/engine/profile/load.ts';
import { runCaseNamed } from '../../../src/workbench/cases/run.ts';
import { describe, type Flags } from '../../../src/workbench/scaffold/describe.ts';
import { newCarrier } from '../../../src/workbench/scaffold/new-carrier.ts';
import { readMaterial } from '../../../src/workbench/scaffold/read.ts';
import { root } from '../../cli/home.ts';
import { memoryCaseFiles } from '../../../src/workbench/cases/read.ts';

export const shipped = directoryFiles(root);

export const begun = async (samples: Readonly<Record<string, string | Buffer>>, flags: Flags = {}) => {
  const read = Object.entries(samples).map(([name, content]) => ({ name, bytes: Buffer.from(content) }));
  const described = describe('acme', readMaterial(read), flags);
  const { files, findings, ignored } = await newCarrier(described, shipped);
  const carrier = loadedFrom(files);
  const { report } = await runCaseNamed(carrier, 'create.yaml', memoryCaseFiles(files));
  const text = (path: string): string => String(files[path] ?? '');
  const marks = findings.filter(({ rule }) => rule === 'unconfirmed').length;
  return {
    carrier,
    files,
    marks,
    /** Of its case: none. */
    problems: report.problems.map(({ message, differences }) => [message, differences]),
    ignored,
    /** All that is written. */
    written: Object.values(files).map(String),
    profile: text('carriers/acme.yaml'),
    mapping: text('mappings/acme/create.jsonata'),
    consignment: text('fixtures/_consignments/acme.yaml'),
  };
};

type Files = Readonly<Record<string, string | Buffer>>;

const loadedFrom = (files: Files): Carrier => {
  const texts = Object.fromEntries(Object.entries(files).map(([path, content]) => [path, content.toString()]));
  const carrier = draftOf(loadCarrier('acme', { home: memoryFiles(texts), shipped }));
  if (carrier === undefined) throw new Error('it does not load');
  return carrier;
};

/** A text holds all of these. */
export const expectParts = (text: string, parts: readonly string[]): void =>
  expect(parts.filter((part) => !text.includes(part))).toEqual([]);
