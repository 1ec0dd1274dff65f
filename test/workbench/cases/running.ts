import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { CaseFiles } from '../../../src/workbench/cases/case-files.ts';
import type { CaseDifference } from '../../../src/workbench/cases/compare-values.ts';
import type { CaseReport } from '../../../src/workbench/cases/report.ts';
import { runCaseNamed } from '../../../src/workbench/cases/run.ts';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';
import { formatFinding } from '../../../src/engine/profile/finding.ts';
import { directoryFiles, memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const shipped = directoryFiles(ROOT);

/** Case files kept in memory, by their path below the home. */
export const memoryCaseFiles = (files: Readonly<Record<string, string | Buffer>>): CaseFiles => {
  const below = (folder: string): string[] =>
    Object.keys(files).flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []));
  return {
    read: (path) => {
      const held = files[path];
      return held === undefined ? undefined : Buffer.from(held);
    },
    list: (folder) => below(folder).filter((name) => !name.includes('/')),
    folders: (folder) => [
      ...new Set(below(folder).flatMap((name) => (name.includes('/') ? [name.split('/')[0]!] : []))),
    ],
  };
};

export const carrierOf = (code: string, files: Readonly<Record<string, string>>): Carrier => {
  const { carrier, findings } = loadCarrier(code, { home: memoryFiles(files), shipped });
  if (carrier === undefined) throw new Error(findings.map(formatFinding).join('\n'));
  return carrier;
};

/** A carrier by the text of its profile alone. */
export const written = (text: string): Carrier => {
  const code = /^carrier: (\w+)/m.exec(text)?.[1] ?? '';
  return carrierOf(code, { [`carriers/${code}.yaml`]: text });
};

/** A consignment of `fixtures/_consignments`. */
export const consignmentNamed = (name: string): Record<string, unknown> =>
  parse(readFileSync(`${ROOT}/fixtures/_consignments/${name}.yaml`, 'utf8')) as Record<string, unknown>;

/** Runs one case of a carrier written out here; `files` lie beside it. */
export const runText = async (
  carrier: Carrier,
  text: string,
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<CaseReport> => {
  const { report } = await runCaseNamed(
    carrier,
    'story.yaml',
    memoryCaseFiles({
      [`fixtures/${carrier.code}/story.yaml`]: text,
      'fixtures/_consignments/one-box.yaml': ONE_BOX,
      ...files,
    }),
  );
  return report;
};

/** Differences as one text: `path: expected → seen | …`. */
export const shownDifferences = (differences: readonly CaseDifference[]): string =>
  differences
    .map(({ path, expected, seen }) => `${path}: ${JSON.stringify(expected) ?? '-'} → ${JSON.stringify(seen) ?? '-'}`)
    .join(' | ');

/** Each problem with its place and differences, as one text. */
export const said = (report: CaseReport): string[] =>
  report.problems.map(({ place, message, differences }) => {
    const head = `${place.line}:${place.column} ${message}`;
    return differences.length === 0 ? head : `${head} | ${shownDifferences(differences)}`;
  });

/** A consignment of the contract, as YAML. */
export const ONE_BOX = `
referenceId: REF-1
orderNumber: ORD-1
consignmentNumber: CON-1
typeOfOrder: FORWARD
typeOfService: STANDARD
originName: Example Goods
originContactNumber: '+49405550100'
originAddressLine1: Example Street 1
originCity: Hamburg
originCountry: DE
originPostalCode: '20095'
destinationContactNumber: '+49895550123'
destinationAddressLine1: Example Street 22
destinationCity: Berlin
destinationCountry: DE
destinationPostalCode: '10115'
totalQuantity: 1
totalWeight: 2
uomTotalWeight: KG
shippingDateTime: '2026-05-04 10:00:00'
itemList: [ { itemReferenceNumber: PKG-1, itemQuantity: 1, itemWeight: 2, itemWeightUom: KG } ]
`;
