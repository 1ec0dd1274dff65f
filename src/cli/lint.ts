import type { Homes } from '../profile/chain.ts';
import type { Finding } from '../profile/finding.ts';
import type { ProfileBundle } from '../profile/load.ts';
import { type AddCommand, type ExitCode, FINDINGS, GOOD, type Terminal, writeJson } from './command.ts';

interface Options {
  readonly json?: boolean;
}

export const addLint: AddCommand = (program, terminal, ran) => {
  program
    .command('lint')
    .summary('check profiles and mappings')
    .description('Checks the profiles of carriers and their mappings, of all carriers unless some are named.')
    .argument('[carrier...]', 'codes of carriers')
    .option('--json', 'one JSON object instead of text')
    .action(async (carriers: string[], options: Options) => {
      ran(await lint(carriers, options, terminal));
    });
};

const lint = async (named: readonly string[], { json }: Options, terminal: Terminal): Promise<ExitCode> => {
  const { chooseCodes, codesOfHome, homeOf, homesOf } = await import('./home.ts');
  const homes = homesOf(terminal);
  const codes = chooseCodes(named, codesOfHome(homes), homeOf(terminal));
  const { findings, bundles } = await loaded(codes, named.length === 0, homes);
  const { jsonFinding, showFinding } = await import('./show-finding.ts');
  const ok = findings.length === 0;
  if (json === true) {
    const mappings = await mappingsOf(bundles);
    writeJson(terminal, { ok, carriers: codes, findings: findings.map(jsonFinding), mappings });
  } else {
    for (const finding of findings) terminal.out(`${showFinding(finding)}\n`);
    terminal.out(summaryOf(codes, findings, homeOf(terminal)));
  }
  return ok ? GOOD : FINDINGS;
};

interface Loaded {
  readonly findings: readonly Finding[];
  readonly bundles: readonly ProfileBundle[];
}

const loaded = async (codes: readonly string[], all: boolean, homes: Homes): Promise<Loaded> => {
  const { loadCarrier, loadHome } = await import('../profile/load.ts');
  if (all) {
    const { findings, bundles } = loadHome(homes);
    return { findings, bundles: [...bundles.values()] };
  }
  const { collectFindings } = await import('../profile/finding.ts');
  const findings = collectFindings();
  const carriers = codes.map((code) => loadCarrier(code, homes));
  for (const carrier of carriers) for (const finding of carrier.findings) findings.add(finding);
  return { findings: findings.list(), bundles: carriers.map(({ bundle }) => bundle) };
};

/** Of each mapping file that the carriers use, what of it is not generated. One that is no JSONata has a finding. */
const mappingsOf = async (bundles: readonly ProfileBundle[]): Promise<readonly Record<string, unknown>[]> => {
  const { generationOf } = await import('../mapping/generation.ts');
  const { sourceText } = await import('../mapping/source-text.ts');
  const texts = new Map(bundles.flatMap(({ files }) => Object.entries(files)));
  return [...texts].flatMap(([file, text]) => {
    const found = file.endsWith('.jsonata') ? generationOf(sourceText(file, text)) : undefined;
    if (found === undefined) return [];
    const closures = found.closures.map(({ place: { line, column }, why }) => ({ line, column, why }));
    return [{ file, generated: found.generated, closures }];
  });
};

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const summaryOf = (codes: readonly string[], findings: readonly Finding[], home: string): string => {
  if (codes.length === 0) return `no carriers in ${home}/carriers\n`;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const checked = count(codes.length, 'carrier');
  return findings.length === 0
    ? `${checked}, no findings\n`
    : `${checked}: ${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}\n`;
};
