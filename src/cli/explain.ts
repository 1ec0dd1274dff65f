import { formatPlace, type Place } from '../engine/failure.ts';
import type { ExplainedPrices } from '../workbench/explain/explain-prices.ts';
import { explainCase } from '../workbench/explain/explain-case.ts';
import type { ExplainedEvent } from '../workbench/explain/explain-answer.ts';
import type { ExplainedEnd, ExplainedExchange, Explanation } from '../workbench/explain/explain-run.ts';
import { type ExplainedStatus, explainStatus } from '../workbench/explain/explain-status.ts';
import type { ExplainedValue } from '../workbench/explain/explain-values.ts';
import { watchMappings } from '../workbench/explain/watch.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print, type Terminal } from './command.ts';
import { carrierOf, readNamedCase } from './home.ts';

type PricedOffer = ExplainedPrices['offers'][number];

interface Options extends JsonOption {
  readonly status?: string;
  readonly dispatch?: string;
  readonly field?: string;
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'For a case: each value that is sent, its expression and the fields it reads; each that is absent, and why; ' +
        'which rule classified each response, and why the rules before it did not match; the results, and why an ' +
        'operation ended. For a status: its row, and other rows that match. ' +
        'For a recorded dispatch, from DATABASE_URL or the embedded database: the same as for a case.',
    )
    .argument('[carrier]', 'carrier code')
    .argument('[case]', 'file in fixtures/<carrier>/, without .yaml')
    .option('--status <code>', 'code, code/subCode or code/subCode/description, as the carrier writes them')
    .option('--field <path>', 'only this field of requests and results, as body.receiver.name, and what lies below it')
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
  const watch = watchMappings();
  const carrier = carrierOf(code, terminal, watch.engine);
  const caseFile = carrier && readNamedCase(code, name, terminal);
  return caseFile && (await explainCase(caseFile, carrier, watch));
};

const printExplanation = (found: Explanation | undefined, options: Options, terminal: Terminal): number => {
  if (found === undefined) return EXIT.findings;
  const explained = options.field === undefined ? found : onlyField(found, options.field);
  print(terminal, options, explained, () => showExplanation(explained));
  return EXIT.good;
};

/** What lies there or below; and where that is absent as a whole, what it would be in. */
const onlyField = (explanation: Explanation, field: string): Explanation => {
  const only = (values: readonly ExplainedValue[]): readonly ExplainedValue[] =>
    values.filter(({ path, absent }) => isBelow(path, field) || (absent !== undefined && isBelow(field, path)));
  const exchanges = explanation.exchanges.map((one) => ({ ...one, values: only(one.values) }));
  return { ...explanation, exchanges, results: only(explanation.results) };
};

const isBelow = (path: string, field: string): boolean => path === field || path.startsWith(`${field}.`);

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
    ...(explanation.events.length === 0 ? [] : ['\nevents\n']),
    ...explanation.events.map(showEvent),
    ...(explanation.prices === undefined ? [] : [showPrices(explanation.prices)]),
    ...explanation.ended.map(showEnd),
  ].join('');

const titleOf = ({ case: name, dispatch }: Explanation): string =>
  name ?? `dispatch ${dispatch?.id}, ${dispatch?.operation}, ${dispatch?.state}, with version ${dispatch?.profileHash}`;

const showExchange = (exchange: ExplainedExchange): string => {
  const { method, url, status, outcome, message, values, rules, operation, step } = exchange;
  const isSent = method !== undefined;
  const why = message === undefined ? '' : `: ${message}`;
  return [
    `\n${operation}/${step}: ${isSent ? `${method} ${url}` : outcome.replace('_', ' ') + why}\n`,
    ...values.map(showValue),
    ...(isSent ? [`  answered ${status ?? 'nothing'}: ${outcome}\n`] : []),
    ...rules.map((rule) => `    ${rule.matched ? '✓' : '·'} ${formatPlace(rule)} ${rule.do}: ${rule.why}\n`),
    ...(rules.some(({ matched }) => matched) || status === undefined ? [] : ['    ✓ built in\n']),
  ].join('');
};

const showValue = (one: ExplainedValue): string => {
  const { path, value, absent } = one;
  const said = absent === undefined ? ` = ${JSON.stringify(value)}` : ` is absent: ${absent}`;
  return `  ${path}${said}\n    ${formatPlace(one)}${showOrigin(one)}\n`;
};

const showOrigin = ({ reads = [], shipper = [] }: Partial<ExplainedValue>): string =>
  [reads, shipper].flatMap((names) => (names.length === 0 ? [] : [` ← ${names.join(', ')}`])).join('');

const showEvent = ({ value, status, reason, occurredAt, carrierStatus, row, warnings, ...place }: ExplainedEvent) =>
  [
    `  ${value ?? 'no number'}: ${status}${reason === undefined ? '' : ` (${reason})`} at ${occurredAt} ← ${carrierStatus}\n`,
    row === undefined ? '    no row of the status table\n' : `    ${formatPlace(place as Place)} ${row}\n`,
    ...warnings.map((warning) => `    ${warning}\n`),
  ].join('');

const showPrices = ({ tariff, zone, offers, ...place }: ExplainedPrices): string =>
  [`\nprices of tariff ${tariff} for zone ${zone}  ${formatPlace(place)}\n`, ...offers.map(showPrice)].join('');

const showPrice = ({ service, price, surcharges = [], tax, total, currency, deliveryTo, cutOff }: PricedOffer) => {
  const parts = [
    ...(price === undefined ? [] : [String(price)]),
    ...surcharges.map(({ code, amount }) => `${code} ${amount}`),
    ...(tax === undefined ? [] : [`tax ${tax}`]),
  ];
  const days = deliveryTo === undefined ? '' : `, there by ${deliveryTo} if handed over by ${cutOff}`;
  return `  ${service}: ${parts.join(' + ')} = ${total} ${currency}${days}\n`;
};

const showEnd = ({ operation, outcome, code, messages, path, file, line = 0, column = 0, ...origin }: ExplainedEnd) =>
  [
    `\n${operation} ended: ${outcome.replace('_', ' ')} (${code}): ${messages.join('; ')}\n`,
    ...(file === undefined
      ? []
      : [`  ${path === undefined ? '' : `${path}, `}${formatPlace({ file, line, column })}${showOrigin(origin)}\n`]),
  ].join('');

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
