/** Puts what was evaluated beside what was sent and answered. */
import { isTrue } from '../../engine/dispatch/classify.ts';
import type { Exchange } from '../../engine/dispatch/ports.ts';
import type { Place } from '../../engine/failure.ts';
import type { Mapping } from '../../engine/mapping/mapping.ts';
import type { Evaluation } from '../../engine/mapping/tracing-engine.ts';
import type { Carrier, OutcomeRule, Step } from '../../engine/profile/carrier.ts';
import type { ExplainedExchange, ExplainedRule, ExplainedValue } from './explanation.ts';
import { shipperField } from './shipper-field.ts';

/** An exchange, and the evaluations between the request before and it, and between it and the next one. */
export interface Watched {
  readonly exchange: Exchange;
  readonly before: readonly Evaluation[];
  readonly after: readonly Evaluation[];
}

export const explainExchange = (carrier: Carrier, { exchange, before, after }: Watched): ExplainedExchange =>
  explained(exchange, stepOf(carrier, exchange), before, after);

/** What the profile made of the answers. */
export const explainResults = (carrier: Carrier, evaluations: readonly Evaluation[]): readonly ExplainedValue[] =>
  Object.values(carrier.operations).flatMap(({ name, result }) =>
    result === undefined ? [] : valuesOf([[`${name}.result`, result]], evaluations),
  );

const stepOf = (carrier: Carrier, { operation, step }: Exchange): Step | undefined => {
  const steps = Object.values(carrier.operations).find(({ name }) => name === operation)?.steps ?? [];
  const [id, undo] = step.split('~');
  const found = steps.find((one) => one.id === id);
  return undo === undefined ? found : found?.undo;
};

const explained = (
  exchange: Exchange,
  step: Step | undefined,
  before: readonly Evaluation[],
  after: readonly Evaluation[],
): ExplainedExchange => ({
  operation: exchange.operation,
  step: exchange.step,
  method: exchange.method,
  url: exchange.url,
  status: exchange.status,
  outcome: exchange.outcome,
  message: exchange.message,
  values: step === undefined ? [] : valuesOf(mappingsOf(step), before),
  rules: step === undefined ? [] : rulesOf(step.outcomes, exchange.status, after),
});

// What was sent -----------------------------------------------------------------------------------------------------

type Named = readonly [label: string, mapping: Mapping];

const mappingsOf = ({ url, headers, query, body }: Step): readonly Named[] => [
  ['url', url],
  ...Object.entries(query).map(([name, mapping]): Named => [`query.${name}`, mapping]),
  ...Object.entries(headers).map(([name, mapping]): Named => [`headers.${name}`, mapping]),
  ...(body?.codec === 'soap' && body.header !== undefined ? ([['header', body.header]] as const) : []),
  ...(body === undefined ? [] : ([['body', body.content]] as const)),
];

const valuesOf = (mappings: readonly Named[], evaluations: readonly Evaluation[]): readonly ExplainedValue[] =>
  mappings.flatMap(([label, mapping]) => {
    const found = new Map<string, readonly ExplainedValue[]>();
    for (const evaluation of evaluations) {
      const place = evaluation.source.placeAt(0);
      const under = pathIn(mapping, place);
      // What is evaluated again, for a value that had to be drawn, counts as it was at last.
      if (under !== undefined) found.set(placeKey(place), leavesOf(evaluation, [label, ...under]));
    }
    return [...found.values()].flat();
  });

const placeKey = ({ file, line, column }: Place): string => `${file}:${line}:${column}`;

/** Where in a mapping's value an expression's goes; undefined: it is none of the mapping's. */
const pathIn = (mapping: Mapping, place: Place): readonly (string | number)[] | undefined => {
  if (mapping.parts !== undefined) return mapping.parts.find((part) => holds(part, place))?.path;
  return holds(mapping, place) ? [] : undefined;
};

const holds = ({ place: start, text }: { readonly place: Place; readonly text: string }, place: Place): boolean => {
  if (start.file !== place.file) return false;
  const lines = text.split('\n');
  const line = place.line - start.line;
  if (line < 0 || line >= lines.length) return false;
  return line > 0 || (place.column >= start.column && place.column <= start.column + (lines[0]?.length ?? 0) + 1);
};

const leavesOf = ({ source, trace }: Evaluation, under: readonly (string | number)[]): readonly ExplainedValue[] =>
  trace.leaves.map(({ path, value, origin }) => ({
    path: [...under, ...path].join('.'),
    value: origin.reads.some((read) => /^(?:credentials|auths)\b/.test(read)) ? '***' : value,
    place: source.placeAt(origin.at),
    reads: origin.reads,
    shipper: [...new Set(origin.reads.map(shipperField).filter((field) => field !== undefined))],
  }));

// What was made of the answer ---------------------------------------------------------------------------------------

const rulesOf = (
  rules: readonly OutcomeRule[],
  status: number | undefined,
  evaluations: readonly Evaluation[],
): readonly ExplainedRule[] => {
  const asked: ExplainedRule[] = [];
  if (status === undefined) return asked;
  for (const rule of rules) {
    const explained = ruleOf(rule, status, evaluations);
    asked.push(explained);
    if (explained.matched) break;
  }
  return asked;
};

const ruleOf = (rule: OutcomeRule, status: number, evaluations: readonly Evaluation[]): ExplainedRule => {
  const { place, when } = rule;
  const say = (matched: boolean, why: string): ExplainedRule => ({ place, do: rule.do, matched, why });
  const named = rule.status?.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
  if (rule.status?.some(({ from, to }) => status >= from && status <= to) === false) {
    return say(false, `the status is ${status}, not ${named}`);
  }
  if (when === undefined) return say(true, `the status is ${status}`);
  const evaluation = evaluations.find(({ source }) => placeKey(source.placeAt(0)) === placeKey(when.place));
  if (evaluation === undefined) return say(false, `of ${status} only rules that name it are asked`);
  return isTrue(evaluation.value)
    ? say(true, `${when.text.trim()} holds`)
    : say(false, `${when.text.trim()} does not hold: it is ${show(evaluation.value)}`);
};

const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100));
