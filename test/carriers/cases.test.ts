import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { directoryCaseFiles, caseNames } from '../../src/workbench/cases/read.ts';
import { runPack } from '../../src/workbench/cases/pack/run-pack.ts';
import { runCaseNamed } from '../../src/workbench/cases/run.ts';
import { type Coverage, coverageOf } from '../../src/workbench/cases/coverage.ts';
import { formatPlace, type Place } from '../../src/engine/failure.ts';
import { directoryFiles } from '../../src/engine/profile/home-files.ts';
import type { Carrier, OperationName } from '../../src/engine/profile/carrier.ts';
import { once } from '../../src/engine/value.ts';
import { bundled, ROOT } from './bundled.ts';

/** Whether it may come without any call. */
const isConditional = (operation: Carrier['operations'][OperationName]): boolean =>
  operation !== undefined && 'steps' in operation && operation.steps.every(({ when }) => when !== undefined);

const pageAbout = (code: string): string => `${ROOT}/docs/carriers/${code}.md`;

/** The event codes of a published format, by the page about it: `code → status` or `code → status (reason)`. */
const publishedStatuses = (code: string): readonly string[] => {
  const page = readFileSync(pageAbout(code), 'utf8');
  const [, table = ''] = page.split(/^### Event codes.*$/m);
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  return rows
    .flatMap((row) => {
      const [, codes = '', , status = ''] = row.split('|').map((cell) => cell.trim());
      return codesOf(codes).map((one) => `${one} → ${status}`);
    })
    .sort();
};

const named = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, one = '']) => one);

/** "`OP-57` to `OP-69` but `OP-67`, `OP-90`" and the like. */
const codesOf = (cell: string): readonly string[] => {
  const [, from, to, but, more] = /^`OP-(\d+)` to `OP-(\d+)` but `OP-(\d+)`(.*)$/.exec(cell) ?? [];
  if (from === undefined) return named(cell);
  const range = Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => `OP-${Number(from) + at}`);
  return [...range.filter((one) => one !== `OP-${but}`), ...named(more ?? '')];
};

/** The profile's own, as the pages write them. */
const writtenStatuses = (code: string): readonly string[] =>
  bundled(code)
    .statuses.table.map(({ key, status, reason }) => `${key} → ${status}${reason === undefined ? '' : ` (${reason})`}`)
    .sort();

/** Whether a side of the condition there does nothing but refuse. */
const isReject = ({ file, line, column }: Place, side: string): boolean => {
  const text = readFileSync(`${ROOT}/${file}`, 'utf8')
    .split('\n')
    .slice(line - 1)
    .join('\n')
    .slice(column - 1);
  const then = text.slice(1).trimStart();
  if (side === 'then') return then.startsWith('$reject');
  return /^[^?]*?:\s*\$reject/.test(then);
};

/** Bundled carriers whose cases leave nothing out. */
const FULLY_COVERED = ['example_bulky', 'plain', 'sendle', 'test_carrier', 'usps'];

const homes = { home: directoryFiles(ROOT), shipped: directoryFiles(ROOT) };

describe.each(
  readdirSync(`${ROOT}/carriers`)
    .map((file) => file.replace('.yaml', ''))
    .filter((code) => caseNames(code, directoryCaseFiles(ROOT)).length > 0),
)('the cases of %s', (code) => {
  const files = directoryCaseFiles(ROOT);
  const names = caseNames(code, files);
  const carrier = bundled(code);
  const rows = new Set<string>();
  const steps = new Set<string>();
  const play = once(async (name: string) => {
    const { report } = await runCaseNamed(carrier, name, files);
    for (const row of report.touched.rows) rows.add(row);
    for (const step of report.touched.steps) steps.add(step.split(/[/~]/)[0] ?? '');
    return report;
  });

  it.each(names)('%s passes', async (name) => {
    const problems = (await play(name)).problems.map(({ place, message, differences }) => ({
      at: formatPlace(place),
      message,
      differences,
    }));
    expect(problems).toEqual([]);
  });

  it('pass the platform’s own pack, or say what is pending', async () => {
    const pack = await runPack(carrier, files);
    expect(pack.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  });

  it('together come to every $reject of its mappings', async () => {
    const { missed } = (await coverageOf(code, homes, files)) as Coverage;
    expect(missed.filter(({ kind, place, what }) => kind === 'branch' && isReject(place, what))).toEqual([]);
  });

  it('together reach every row of its status table', async () => {
    for (const name of names) await play(name);
    const unreached = carrier.statuses.table.filter(({ place }) => !rows.has(formatPlace(place)));
    expect(carrier.statuses.table.length).toBeGreaterThan(0);
    expect(unreached.map(({ key }) => key)).toEqual([]);
  });

  it('together perform every operation that calls the carrier', async () => {
    for (const name of names) await play(name);
    steps.delete('login');
    const calling = Object.entries(carrier.operations).filter(([, operation]) => !isConditional(operation));
    expect([...steps]).toEqual(expect.arrayContaining(calling.map(([name]) => name)));
  });

  it.each([code].filter((one) => existsSync(pageAbout(one))))(
    'of %s have every status that the page about the carrier publishes',
    () => {
      expect(writtenStatuses(code)).toEqual(publishedStatuses(code));
    },
  );
});

test.each(FULLY_COVERED)('the cases of %s come by everything, and nothing is waived', async (code) => {
  const { percent, missed, waived } = (await coverageOf(code, homes, directoryCaseFiles(ROOT))) as Coverage;
  expect({ percent, missed, waived }).toEqual({ percent: 100, missed: [], waived: [] });
});
