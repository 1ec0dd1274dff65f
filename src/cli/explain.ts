import type { Explanation, ExplainedExchange, ExplainedValue } from '../workbench/explain/explain-exchange.ts';
import type { ExplainedStatus } from '../workbench/explain/explain-status.ts';
import { formatPlace } from '../engine/failure.ts';
import { type AddCommand, type ExitCode, FINDINGS, GOOD, Misuse, type Terminal, writeJson } from './command.ts';
import { carrierOf } from './load-carrier.ts';

interface Options {
  readonly status?: string;
  readonly dispatch?: string;
  readonly json?: true;
}

export const addExplain: AddCommand = (program, terminal, ran) => {
  program
    .command('explain')
    .summary('where each value comes from')
    .description(
      'Of a case: each value that is sent, the expression that yields it, and the fields behind it; which rule decided ' +
        'what an answer means, and why those before it did not. Or of a status: its row, and the rows that would fit, too. ' +
        'Or of a dispatch of the records, those of DATABASE_URL or the built-in ones: the same as of a case.',
    )
    .argument('[carrier]', 'code of a carrier')
    .argument('[case]', 'name of a file in fixtures/<carrier>/, without .yaml')
    .option('--status <code>', 'code, code/subCode or code/subCode/description, as the carrier writes them')
    .option('--dispatch <id>', 'a recorded dispatch, in the place of carrier and case')
    .option('--json', 'one JSON object instead of text')
    .action(async (carrier: string | undefined, name: string | undefined, options: Options) => {
      ran(await explain(carrier, name, options, terminal));
    });
};

const explain = async (
  code: string | undefined,
  name: string | undefined,
  options: Options,
  terminal: Terminal,
): Promise<ExitCode> => {
  if (options.dispatch !== undefined) {
    if (code !== undefined || options.status !== undefined) {
      throw new Misuse('--dispatch goes alone: the records say which carrier it is of');
    }
    const { dispatchExplanation } = await import('./explain-dispatch.ts');
    const explanation = await dispatchExplanation(options.dispatch, terminal);
    if (explanation === undefined) return FINDINGS;
    return print(explanation, options, terminal);
  }
  if (code === undefined)
    throw new Misuse('say what to explain: a carrier with a case or --status, or --dispatch <id>');
  if ((name === undefined) === (options.status === undefined)) {
    throw new Misuse('say what to explain: a case, or --status <code>');
  }
  return options.status === undefined
    ? await explainNamed(code, name ?? '', options, terminal)
    : await explainCode(code, options.status, options, terminal);
};

const explainNamed = async (code: string, name: string, options: Options, terminal: Terminal): Promise<ExitCode> => {
  const { directoryCaseFiles } = await import('../workbench/cases/case-files.ts');
  const { caseNames } = await import('../workbench/cases/case-files.ts');
  const { readCase } = await import('../workbench/cases/read.ts');
  const { explainCase } = await import('../workbench/explain/explain-case.ts');
  const { tracingEngine } = await import('../engine/mapping/tracing-engine.ts');
  const { didYouMean } = await import('../engine/mapping/closest.ts');
  const { homeOf } = await import('./home.ts');
  const { showFinding } = await import('./show-finding.ts');
  const evaluations: Parameters<typeof explainCase>[2][number][] = [];
  const carrier = await carrierOf(code, terminal, tracingEngine({ evaluated: (one) => evaluations.push(one) }));
  if (carrier === undefined) return FINDINGS;
  const files = directoryCaseFiles(homeOf(terminal));
  const file = name.endsWith('.yaml') ? name : `${name}.yaml`;
  const known = caseNames(code, files);
  if (!known.includes(file)) {
    const help = didYouMean(file, known) ?? `cases are the files in fixtures/${code}/`;
    throw new Misuse(`there is no case "${name}" of ${code}: ${help}`);
  }
  const read = readCase(code, file, files);
  if (!read.ok) {
    for (const finding of read.findings) terminal.error(`${showFinding(finding)}\n`);
    return FINDINGS;
  }
  return print(await explainCase(read.caseFile, carrier, evaluations), options, terminal);
};

const print = (explanation: Explanation, options: Options, terminal: Terminal): ExitCode => {
  if (options.json === true) writeJson(terminal, jsonExplanation(explanation));
  else terminal.out(showExplanation(explanation));
  return GOOD;
};

const explainCode = async (code: string, status: string, options: Options, terminal: Terminal): Promise<ExitCode> => {
  const { explainStatus } = await import('../workbench/explain/explain-status.ts');
  const carrier = await carrierOf(code, terminal);
  if (carrier === undefined) return FINDINGS;
  const explained = explainStatus(carrier, status);
  if (options.json === true) {
    writeJson(terminal, { ...explained, rows: explained.rows.map(({ place, ...row }) => ({ ...row, ...place })) });
  } else terminal.out(showStatus(explained));
  return GOOD;
};

const jsonValue = ({ place, ...value }: ExplainedValue): unknown => ({ ...value, ...place });

const jsonExplanation = ({ exchanges, results, ...rest }: Explanation): unknown => ({
  ...rest,
  exchanges: exchanges.map(({ values, rules, ...exchange }) => ({
    ...exchange,
    values: values.map(jsonValue),
    rules: rules.map(({ place, ...rule }) => ({ ...rule, ...place })),
  })),
  results: results.map(jsonValue),
});

const showExplanation = (explanation: Explanation): string =>
  [
    `${explanation.carrier}: ${titleOf(explanation)}\n`,
    ...(explanation.notes ?? []).map((note) => `note: ${note}\n`),
    ...explanation.exchanges.map(showExchange),
    ...(explanation.results.length === 0 ? [] : ['\nwhat was made of the answers\n']),
    ...explanation.results.map(showValue),
  ].join('');

const titleOf = ({ case: name, dispatch }: Explanation): string =>
  name ?? `dispatch ${dispatch?.id}, ${dispatch?.operation}, with version ${dispatch?.profileHash}`;

const showExchange = ({ method, url, status, outcome, values, rules, operation, step }: ExplainedExchange): string =>
  [
    `\n${operation}/${step}: ${method} ${url}\n`,
    ...values.map(showValue),
    `  answered ${status ?? 'nothing'}: ${outcome}\n`,
    ...rules.map((rule) => `    ${rule.matched ? '✓' : '·'} ${formatPlace(rule.place)} ${rule.do}: ${rule.why}\n`),
    ...(rules.some(({ matched }) => matched) || status === undefined ? [] : ['    ✓ built in\n']),
  ].join('');

const showValue = ({ path, value, place, reads, shipper }: ExplainedValue): string =>
  `  ${path} = ${JSON.stringify(value)}\n    ${formatPlace(place)}${reads.length === 0 ? '' : ` ← ${reads.join(', ')}`}${
    shipper.length === 0 ? '' : ` ← ${shipper.join(', ')}`
  }\n`;

const showStatus = ({ carrier, code, subCode, description, status, reason, rows }: ExplainedStatus): string =>
  [
    `${carrier}: ${[code, subCode, description].filter((part) => part !== '').join('/')} is ${status}`,
    `${reason === undefined ? '' : ` (${reason})`}\n`,
    ...(rows.length === 0 ? ['  no row fits\n'] : []),
    ...rows.map(
      (row, at) =>
        `  ${at === 0 ? '✓' : '·'} ${formatPlace(row.place)} ${row.key}: ${row.status}${row.ties ? ', as good as the one before' : ''}\n`,
    ),
  ].join('');
