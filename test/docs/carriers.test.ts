import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { directoryCaseFiles, caseNames } from '../../src/workbench/cases/read.ts';
import type { Carrier } from '../../src/engine/profile/carrier.ts';
import { codesOf } from '../../src/engine/profile/chain.ts';
import { directoryFiles } from '../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../src/engine/profile/load.ts';
import { PROJECT, read } from '../support/project.ts';

const home = directoryFiles(PROJECT);
const caseFiles = directoryCaseFiles(PROJECT);

const linesOf = (file: string): number => {
  const text = read(file);
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
};

/** What each profile of `carriers/` took to describe, counted in its files, all lines, comments included. */
const bundledCarriers = () =>
  codesOf(home).map((code) => {
    const { carrier, findings } = loadCarrier(code, { home, shipped: home });
    if (carrier === undefined) throw new Error(`${code} does not load: ${JSON.stringify(findings)}`);
    const mappings = home.list(`mappings/${code}`).map((file) => linesOf(`mappings/${code}/${file}`));
    return {
      code,
      name: carrier.name,
      isBase: carrier.abstract,
      yamlLines: linesOf(`carriers/${code}.yaml`),
      jsonataLines: mappings.reduce((sum, lines) => sum + lines, 0),
      cases: caseNames(code, caseFiles).length,
      codecs: namesIn(codecsOf(carrier).filter((codec) => codec !== 'none')),
      auths: namesIn(stepsOf(carrier).flatMap(({ auth }) => auth.map(({ kind }) => kind))),
      operations: [...Object.keys(carrier.operations), ...(carrier.recreate ? ['update (recreate)'] : [])],
      sources: [
        ...(carrier.statuses.webhook === undefined ? [] : ['webhook']),
        ...(carrier.statuses.poll === undefined ? [] : ['poll']),
      ],
    };
  });

const stepsOf = (carrier: Carrier) => Object.values(carrier.operations).flatMap(({ steps }) => steps);

const codecsOf = (carrier: Carrier) => stepsOf(carrier).flatMap(({ body, response }) => [body?.codec, response]);

const namesIn = (found: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(found)].filter((each) => each !== undefined).sort();

const PAGE = `# Bundled carriers

Size of each carrier: lines of its profile and of its mappings (comments included), and number of cases. A test limits a
profile to 150 lines and its mappings to 200. \`npm run docs\` updates the figures.
`;

const carriersPage = (carriers: ReturnType<typeof bundledCarriers>, pages: readonly string[]): string => {
  const head = ['carrier', 'YAML', 'JSONata', 'cases', 'codecs', 'auths', 'operations', 'events'];
  const rows = carriers.map((facts) => [
    pages.includes(`${facts.code}.md`) ? `[${facts.name}](carriers/${facts.code}.md)` : facts.name,
    ...[facts.yamlLines, facts.jsonataLines, facts.cases].map(String),
    ...[facts.codecs, facts.auths, facts.operations, [...facts.sources, 'push']].map((list) => list.join(', ') || '–'),
  ]);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${PAGE}\n${lines.join('\n')}\n`;
};

const carriers = bundledCarriers();

it('docs/carriers.md counts what there is (npm run docs writes it anew)', async () => {
  const pages = readdirSync(path.join(PROJECT, 'docs/carriers'));
  await expect(carriersPage(carriers, pages)).toMatchFileSnapshot(path.join(PROJECT, 'docs/carriers.md'));
});

it.each(carriers)('$code takes at most 150 lines of YAML and 200 of JSONata', ({ yamlLines, jsonataLines }) => {
  expect(yamlLines).toBeLessThanOrEqual(150);
  expect(jsonataLines).toBeLessThanOrEqual(200);
});

it.each(carriers.filter(({ isBase }) => !isBase))('$code has cases', ({ cases }) => {
  expect(cases).toBeGreaterThan(0);
});
