import { formatPlace } from '../engine/failure.ts';
import { type Evaluation, tracingEngine } from '../engine/mapping/tracing-engine.ts';
import {
  explainCase,
  type ExplainedExchange,
  type ExplainedValue,
  type Explanation,
} from '../workbench/explain/explain-exchange.ts';
import { type ExplainedStatus, explainStatus } from '../workbench/explain/explain-status.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print, type Terminal } from './command.ts';
import { carrierOf, readNamedCase } from './home.ts';

interface Options extends JsonOption {
  readonly status?: string;
  readonly dispatch?: string;
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'For a case: each value that is sent, its expression and the fields it reads; which rule classified each ' +
        'response, and why the rules before it did not match. For a status: its row, and other rows that match. ' +
        'For a recorded dispatch, from DATABASE_URL or the embedded database: the same as for a case.',
    )
    .argument('[carrier]', 'carrier code')
    .argument('[case]', 'file in fixtures/<carrier>/, without .yaml')
    .option('--status <code>', 'code, code/subCode or code/subCode/description, as the carrier writes them')
    .option('--dispatch <id>', 'a recorded dispatch, instead of carrier and case')
    .option(...JSON_OPTION);
  act(command, async (code: string | undefined, name: string | undefined, options: Options) => {
    const { status, dispatch } = options;
    if (dispatch !== undefined) {
      if (code !== undefined || status !== undefined) {
        throw new Misuse('--dispatch goes alone: the records say which carrier it is of');
      }
      const { dispatchExplanation } = await import('./explain-dispatch.ts');
      return printExplanation(await dispatchExplanation(dispatch, terminal), options, terminal);
    }
    if (code === undefined || (name === undefined) === (status === undefined)) {
      throw new Misuse('say what to explain: a carrier with a case or --status <code>, or --dispatch <id>');
    }
    if (status !== undefined) return explainNamedStatus(code, status, options, terminal);
    return printExplanation(await explainNamedCase(code, name ?? '', terminal), options, terminal);
  });
};

/** undefined: carrier or case does not load, and why has been said. */
const explainNamedCase = async (code: string, name: string, terminal: Terminal): Promise<Explanation | undefined> => {
  const evaluations: Evaluation[] = [];
  const carrier = carrierOf(code, terminal, tracingEngine({ evaluated: (one) => evaluations.push(one) }));
  const caseFile = carrier && readNamedCase(code, name, terminal);
  return caseFile && (await explainCase(caseFile, carrier, evaluations));
};

const printExplanation = (explained: Explanation | undefined, options: Options, terminal: Terminal): number => {
  if (explained === undefined) return EXIT.findings;
  print(terminal, options, explained, () => showExplanation(explained));
  return EXIT.good;
};

const explainNamedStatus = (code: string, status: string, options: Options, terminal: Terminal): number => {
  const carrier = carrierOf(code, terminal);
  if (carrier === undefined) return EXIT.findings;
  const explained = explainStatus(carrier, status);
  print(terminal, options, explained, () => showStatus(explained));
  return EXIT.good;
};

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
    ...rules.map((rule) => `    ${rule.matched ? '✓' : '·'} ${formatPlace(rule)} ${rule.do}: ${rule.why}\n`),
    ...(rules.some(({ matched }) => matched) || status === undefined ? [] : ['    ✓ built in\n']),
  ].join('');

const showValue = ({ path, value, reads, shipper, ...place }: ExplainedValue): string => {
  const origins = [reads, shipper].filter((names) => names.length > 0).map((names) => ` ← ${names.join(', ')}`);
  return `  ${path} = ${JSON.stringify(value)}\n    ${formatPlace(place)}${origins.join('')}\n`;
};

const showStatus = ({ carrier, code, subCode, description, ofReturns, ...forward }: ExplainedStatus): string => {
  const said = `${carrier}: ${[code, subCode, description].filter((part) => part !== '').join('/')}`;
  const returned = ofReturns === undefined ? '' : showMeaning(`${said} of a return`, ofReturns);
  return showMeaning(said, forward) + returned;
};

const showMeaning = (said: string, { status, reason, rows }: NonNullable<ExplainedStatus['ofReturns']>): string =>
  [
    `${said} is ${status}`,
    `${reason === undefined ? '' : ` (${reason})`}\n`,
    ...(rows.length === 0 ? ['  no row fits\n'] : []),
    ...rows.map(
      (row, at) =>
        `  ${at === 0 ? '✓' : '·'} ${formatPlace(row)} ${row.key}: ${row.status}${row.ties ? ', as good as the one before' : ''}\n`,
    ),
  ].join('');
