import type { Homes } from '../profile/chain.ts';
import type { Finding } from '../profile/finding.ts';
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
  const findings = await findingsOf(codes, named.length === 0, homes);
  const { jsonFinding, showFinding } = await import('./show-finding.ts');
  const ok = findings.length === 0;
  if (json === true) writeJson(terminal, { ok, carriers: codes, findings: findings.map(jsonFinding) });
  else {
    for (const finding of findings) terminal.out(`${showFinding(finding)}\n`);
    terminal.out(summaryOf(codes, findings, homeOf(terminal)));
  }
  return ok ? GOOD : FINDINGS;
};

const findingsOf = async (codes: readonly string[], all: boolean, homes: Homes): Promise<readonly Finding[]> => {
  const { loadCarrier, loadHome } = await import('../profile/load.ts');
  if (all) return loadHome(homes).findings;
  const { collectFindings } = await import('../profile/finding.ts');
  const findings = collectFindings();
  for (const code of codes) for (const finding of loadCarrier(code, homes).findings) findings.add(finding);
  return findings.list();
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
