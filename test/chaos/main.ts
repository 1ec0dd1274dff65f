/** Breaks things and looks whether the promises hold: a row a fault, exit 1 when any is red. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { inParallel } from './in-parallel.ts';
import { MUTATION_ROWS } from './mutations.ts';
import { perform, type Row, rowText } from './perform.ts';
import { BACKENDS, type Backend, type Dose, DOSES, type Scenario, type Sizes } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { stopSharedPostgres } from './world/postgres.ts';

const { values } = parseArgs({
  options: {
    dose: { type: 'string' },
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    backend: { type: 'string' },
    dispatches: { type: 'string' },
    kills: { type: 'string' },
    minutes: { type: 'string' },
    patience: { type: 'string', default: '1' },
    parallel: { type: 'string' },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
    mutations: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

const misuse = (message: string): never => {
  console.error(message);
  process.exit(2);
};

const oneOf = <T extends string>(name: string, among: readonly T[], text: string): T =>
  among.find((one) => one === text) ?? misuse(`--${name}: one of ${among.join(', ')}, not ${text}`);

const number = (name: 'seed' | 'patience' | 'parallel' | keyof Sizes): number | undefined => {
  const text = values[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : misuse(`--${name}: a number, not ${text}`);
};

const dose: Dose = oneOf('dose', DOSES, values.dose ?? (values.quick ? 'quick' : 'small'));
const seed = number('seed') ?? 1;
const patience = Math.max(1, number('patience') ?? 1);
const sizes: Sizes = Object.fromEntries(
  (['dispatches', 'kills', 'minutes'] as const).flatMap((name) => {
    const size = number(name);
    return size === undefined ? [] : [[name, size]];
  }),
);
const backends: readonly Backend[] =
  values.backend === undefined ? BACKENDS : [oneOf('backend', BACKENDS, values.backend)];
const all = values.mutations ? MUTATION_ROWS : SCENARIOS;
const names = all.map(({ name }) => name);
const only = values.only?.split(',').map((name) => oneOf('only', names, name.trim()));
/** In the order in which they are named: what takes longest is best begun first. */
const chosen = only?.flatMap((wanted) => all.filter(({ name }) => name === wanted)) ?? all;

const repeat = (scenario: Scenario, backend: Backend): string =>
  [
    `npm run test:chaos -- ${values.mutations ? '--mutations ' : ''}--only ${scenario.name}`,
    `--backend ${backend} --dose ${dose} --seed ${seed}`,
    ...Object.entries(sizes).map(([name, size]) => `--${name} ${size}`),
    ...(patience === 1 ? [] : [`--patience ${patience}`]),
  ].join(' ');

if (values.list) {
  for (const { name, promise } of chosen) console.log(`${name.padEnd(24)}${promise}`);
  process.exit(0);
}

const backendsOf = ({ onlyOn }: Scenario): readonly Backend[] =>
  backends.filter((backend) => backend === (onlyOn ?? backend));

const rows: Row[] = [];
const log =
  (scenario: Scenario, backend: Backend) =>
  (line: string): void => {
    if (!values.verbose) return;
    console.log(`  ${new Date().toISOString().slice(11, 19)} ${scenario.name} on ${backend}: ${line}`);
  };
await inParallel(
  chosen.flatMap((scenario) => backendsOf(scenario).map((backend) => ({ scenario, backend, weight: scenario.weight }))),
  Math.max(1, number('parallel') ?? (dose === 'quick' ? 4 : 1)),
  async ({ scenario, backend }) => {
    const context = { seed, dose, sizes, backend, patience, log: log(scenario, backend) };
    const row = await perform(scenario, context, repeat(scenario, backend));
    console.log(rowText(row));
    rows.push(row);
  },
);
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(rows, undefined, 2));
const count = (verdict: Row['verdict']): number => rows.filter((row) => row.verdict === verdict).length;
console.log(`${count('PASS')} passed, ${count('RED')} red, ${count('SKIPPED')} skipped`);
await stopSharedPostgres();
// A row whose time was up may have left something running in this process; children go with it.
process.exit(count('RED') === 0 ? 0 : 1);
