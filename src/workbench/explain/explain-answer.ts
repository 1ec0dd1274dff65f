/** What was made of answers: by which rule, in which results, as which events. */
import { isTrue } from '../../engine/dispatch/classify.ts';
import type { Place } from '../../engine/failure.ts';
import type { OutcomeRule } from '../../engine/profile/carrier.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import type { ValuePath } from '../../engine/value.ts';
import type { ExplainedValue, Explainer } from './explain-values.ts';
import { isSame, type Note } from './watch.ts';

export interface ExplainedRule extends Place {
  readonly do: string;
  readonly matched: boolean;
  readonly why: string;
}

export interface ExplainedEvent extends Partial<Place> {
  readonly value: string | undefined;
  readonly status: string;
  readonly reason: string | undefined;
  readonly occurredAt: string;
  readonly carrierStatus: string;
  /** The row of the status table that decided. */
  readonly row: string | undefined;
  readonly warnings: readonly string[];
}

const labelOf = ({ where }: Note): string | undefined => {
  if (where[0] === 'statuses' && where.at(-1) === 'events') return 'webhook.events';
  return where.at(-1) === 'result' ? `${where.includes('lookup') ? 'lookup' : String(where[1])}.result` : undefined;
};

/** Each time that a result was made; where one was made several times, they are counted. */
export const resultsOf = (notes: readonly Note[], explainer: Explainer): readonly ExplainedValue[] => {
  const made = notes.flatMap((note) => {
    const label = labelOf(note);
    return label === undefined ? [] : [{ note, label }];
  });
  return made.flatMap(({ note, label }) => {
    const all = made.filter((one) => one.label === label);
    const number = all.findIndex((one) => one.note === note) + 1;
    return explainer.explain(note, { label: all.length > 1 ? [`${label}#${number}`] : [label], nulls: 'sent' });
  });
};

export const explainEvent = (event: NormalisedEvent): ExplainedEvent => {
  const { status, reason, occurredAtMs, carrierStatus, row, warnings, update } = event;
  const { code, subCode, description } = carrierStatus;
  return {
    value: update.value,
    status,
    reason,
    occurredAt: new Date(occurredAtMs).toISOString(),
    carrierStatus: [code, subCode, description].filter((part) => part !== '').join('/'),
    row: row?.key,
    ...row?.place,
    warnings,
  };
};

export const rulesOf = (
  rules: readonly OutcomeRule[],
  status: number | undefined,
  notes: readonly Note[],
  step: ValuePath,
): readonly ExplainedRule[] => {
  if (status === undefined) return [];
  const explained = rules.map((rule, index) => {
    const asked = notes.find(({ where }) => isSame(where, [...step, 'outcomes', index, 'when']));
    return ruleOf(rule, status, asked);
  });
  const matched = explained.findIndex((rule) => rule.matched);
  return matched === -1 ? explained : explained.slice(0, matched + 1);
};

/** A rule of `outcomes`, and why it matched or did not. */
const ruleOf = (rule: OutcomeRule, status: number, asked: Note | undefined): ExplainedRule => {
  const { place, when } = rule;
  const say = (matched: boolean, why: string) => ({ ...place, do: rule.do, matched, why });
  const named = rule.status?.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
  if (rule.status?.some(({ from, to }) => status >= from && status <= to) === false) {
    return say(false, `the status is ${status}, not ${named}`);
  }
  if (when === undefined) return say(true, `the status is ${status}`);
  if (asked === undefined) return say(false, `of ${status} only rules that name it are asked`);
  return isTrue(asked.value)
    ? say(true, `${when.text.trim()} holds`)
    : say(false, `${when.text.trim()} does not hold: it is ${show(asked.value)}`);
};

const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100));
