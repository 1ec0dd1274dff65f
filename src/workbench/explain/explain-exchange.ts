/** Puts what was evaluated beside what was sent and answered. */
import { isTrue } from '../../engine/dispatch/classify.ts';
import type { Exchange } from '../../engine/dispatch/ports.ts';
import { formatPlace, type Place } from '../../engine/failure.ts';
import type { Mapping } from '../../engine/mapping/mapping.ts';
import type { Evaluation } from '../../engine/mapping/tracing-engine.ts';
import type { Carrier, OutcomeRule, Step } from '../../engine/profile/carrier.ts';
import { TRANSLATION } from '../../engine/consignment/translation.ts';
import type { CaseFile } from '../cases/read.ts';
import { playCase } from '../cases/run.ts';
import { oneByOne } from '../engine-run.ts';

/** One value: the expression that yields it, the fields that it is made of, and what the shipper wrote for those. */
export interface ExplainedValue extends Place {
  /** As `body.receiver.name`, `url`, `headers.X-Key`. */
  readonly path: string;
  readonly value: unknown;
  readonly reads: readonly string[];
  readonly shipper: readonly string[];
}

export interface Explanation {
  readonly carrier: string;
  /** The case that is explained, or the recorded dispatch. */
  readonly case?: string;
  readonly dispatch?: { readonly id: number; readonly operation: string; readonly profileHash: string };
  /** What keeps the explanation of a dispatch from being the whole truth. */
  readonly notes?: readonly string[];
  readonly exchanges: readonly ExplainedExchange[];
  /** What the profile made of the answers: results and events. */
  readonly results: readonly ExplainedValue[];
}

/** Which of the requests that left is meant (-1: none); `sentAt`: how many evaluations there had been when each left. */
export interface Watched {
  readonly evaluations: readonly Evaluation[];
  readonly sentAt: readonly number[];
  readonly at: number;
}

export const explainExchange = (carrier: Carrier, exchange: Exchange, { evaluations, sentAt, at }: Watched) => {
  const step = stepOf(carrier, exchange);
  const before = at === -1 ? [] : evaluations.slice(sentAt[at - 1] ?? 0, sentAt[at]);
  const after = at === -1 ? [] : evaluations.slice(sentAt[at], sentAt[at + 1]);
  const { operation, step: name, method, url, status, outcome, message } = exchange;
  return {
    operation,
    step: name,
    method,
    url,
    status,
    outcome,
    message,
    values: step === undefined ? [] : valuesOf(mappingsOf(step), before),
    /** Down to the one that matched; where none did, a built-in one decided. */
    rules: step === undefined ? [] : rulesOf(step.outcomes, status, after),
  };
};
export type ExplainedExchange = ReturnType<typeof explainExchange>;

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
      if (under !== undefined) found.set(formatPlace(place), leavesOf(evaluation, [label, ...under]));
    }
    return [...found.values()].flat();
  });

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
    ...source.placeAt(origin.at),
    reads: origin.reads,
    shipper: [...new Set(origin.reads.map(shipperField).filter((field) => field !== undefined))],
  }));

/** The field of the shipper's form behind the path of a root, as `consignment.originCity`; undefined where there is none. */
export const shipperField = (path: string): string | undefined => {
  const field = path.replace(/^consignment\./, '').replace(/^(itemList|items?|skuList|vas)(?:\[\d+\])?\./, '$1[].');
  return TRANSLATION.find(({ to }) => to === field.replace(/^items?\[\]/, 'itemList[]'))?.from;
};

// What was made of the answer ---------------------------------------------------------------------------------------

const rulesOf = (rules: readonly OutcomeRule[], status: number | undefined, evaluations: readonly Evaluation[]) => {
  if (status === undefined) return [];
  const explained = rules.map((rule) => ruleOf(rule, status, evaluations));
  const matched = explained.findIndex((rule) => rule.matched);
  return matched === -1 ? explained : explained.slice(0, matched + 1);
};

/** A rule of `outcomes`, and why it matched or did not. */
const ruleOf = (rule: OutcomeRule, status: number, evaluations: readonly Evaluation[]) => {
  const { place, when } = rule;
  const say = (matched: boolean, why: string) => ({ ...place, do: rule.do, matched, why });
  const named = rule.status?.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
  if (rule.status?.some(({ from, to }) => status >= from && status <= to) === false) {
    return say(false, `the status is ${status}, not ${named}`);
  }
  if (when === undefined) return say(true, `the status is ${status}`);
  const evaluation = evaluations.find(({ source }) => formatPlace(source.placeAt(0)) === formatPlace(when.place));
  if (evaluation === undefined) return say(false, `of ${status} only rules that name it are asked`);
  return isTrue(evaluation.value)
    ? say(true, `${when.text.trim()} holds`)
    : say(false, `${when.text.trim()} does not hold: it is ${show(evaluation.value)}`);
};

const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100));

/** `carrier` was compiled with an engine that adds to `evaluations`. */
export const explainCase = async (
  caseFile: CaseFile,
  carrier: Carrier,
  evaluations: readonly Evaluation[],
): Promise<Explanation> => {
  /** How many evaluations there had been when each request left. */
  const sentAt: number[] = [];
  const onSend = (): void => void sentAt.push(evaluations.length);
  const { story } = await playCase(caseFile, oneByOne(carrier), () => {}, { onSend });
  return {
    carrier: carrier.code,
    case: caseFile.content.case,
    exchanges: (story?.exchanges ?? []).map((exchange, at) =>
      explainExchange(carrier, exchange, { evaluations, sentAt, at }),
    ),
    results: explainResults(carrier, evaluations),
  };
};
