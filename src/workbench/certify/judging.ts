/** A statement of the contract, and the ways in which what was seen is judged by one. */
import { FORMATS } from '../../engine/validate.ts';
import { isMap } from '../../engine/value.ts';
import type { Fields } from './consignments.ts';
import { cameOf, entriesOf, type Evidence, isAccepted, isAnswered, numbersOf, type Push } from './evidence.ts';
import type { Tried } from './perform.ts';

/** What is judged: an answer or a push, or a part of one. */
interface About {
  readonly tried?: Tried;
  readonly push?: Push;
}
export interface Offence extends About {
  readonly what: string;
}

/** Offences, none where it holds; a text: why it cannot be judged; or why it is not to be. */
export type Judge = (evidence: Evidence) => readonly Offence[] | string | { readonly leftOut: string };

export interface Statement {
  /** In our own words. */
  readonly says: string;
  readonly judge: Judge;
  /** The contract recommends it, or leaves room. */
  readonly isAdvice?: true;
  /** Judged only where these hold, so that one fault is told once; they stand before it. */
  readonly needs?: readonly string[];
}

type Fault = string | undefined;
type Choose<T> = (evidence: Evidence) => readonly T[];

export const ofEach =
  <T extends About>(choose: Choose<T>, fault: (about: T, evidence: Evidence) => Fault): Judge =>
  (evidence) => {
    const chosen = choose(evidence);
    if (chosen.length === 0) return 'nothing came that it is about';
    return chosen.flatMap((about) => {
      const what = fault(about, evidence);
      const title = about.tried === undefined ? '' : `${about.tried.trial.title}: `;
      return what === undefined ? [] : [{ ...about, what: `${title}${what}` }];
    });
  };

/** Of a field of each. `wanted` completes "…, not". */
export const has = <T extends About & { readonly held: Fields }>(
  choose: Choose<T>,
  field: string,
  isFit: (value: unknown, about: T) => boolean,
  wanted: string,
): Judge => ofEach(choose, (about) => unfit(field, about.held[field], isFit(about.held[field], about), wanted));

const said = (value: unknown): string => (value === undefined ? 'missing' : JSON.stringify(value).slice(0, 200));
export const unfit = (field: string, value: unknown, isFit: boolean, wanted: string): Fault =>
  isFit ? undefined : `${field} is ${said(value)}, not ${wanted}`;
export const unlike = (field: string, value: unknown, wanted: unknown): Fault =>
  unfit(field, value, value === wanted, said(wanted));

export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
export const fits = (format: string) => (value: unknown) => isText(value) && FORMATS[format]?.test(value) === true;

/** Answers by trial; requests without one are told by `answers`. */
export const named =
  (...names: readonly string[]): Choose<{ readonly tried: Tried }> =>
  (evidence) =>
    names.flatMap((name) => {
      const tried = evidence.tried.get(name);
      return tried !== undefined && isAnswered(tried) ? [{ tried }] : [];
    });

const expecting =
  (expected: Tried['trial']['expects'], isTaken: boolean) =>
  ({ tried }: Evidence) =>
    [...tried.values()]
      .filter((one) => one.trial.expects === expected && isAnswered(one) && isAccepted(one) === isTaken)
      .map((one) => ({ tried: one, held: (isMap(one.body) ? one.body : {}) as Fields }));
export const successes = expecting('success', true);
export const refusals = expecting('refusal', false);
/** Answers that tell of a shipment. */
export const shipments: typeof successes = (evidence) =>
  successes(evidence).filter(({ tried }) => tried.trial.action !== 'cancel');
export const entries = (evidence: Evidence) => shipments(evidence).flatMap(({ tried }) => entriesOf(tried));

export const takes = (...names: readonly string[]): Judge =>
  ofEach(named(...names), ({ tried }) => (isAccepted(tried) ? undefined : cameOf(tried)));
export const refuses = (...names: readonly string[]): Judge =>
  ofEach(named(...names), ({ tried }) => (isAccepted(tried) ? cameOf(tried) : undefined));
/** The field of that name is the request's. */
export const echoes = (choose: typeof successes, field: string): Judge =>
  ofEach(choose, ({ held, tried }) => unlike(field, held[field], tried.consignment[field]));
/** Each package of an answer has another. */
export const ownOf = (field: string): Judge =>
  ofEach(shipments, ({ tried }) => {
    const values = entriesOf(tried).map(({ held }) => held[field]);
    return unfit(field, values[0], new Set(values).size === values.length, 'one for each package');
  });
/** The tracking numbers of this trial are those of the first. */
export const sameNumbers = (name: string): Judge =>
  ofEach(named(name), ({ tried }, evidence) => {
    const before = evidence.tried.get('basic');
    if (!isAccepted(tried) || before === undefined) return cameOf(tried);
    return unlike('the list of tracking numbers', numbersOf(tried).join(), numbersOf(before).join());
  });

type Statements = Readonly<Record<string, Statement>>;
/** With what all of them need, beside what each needs of its own. */
export const needing = (needs: readonly string[], statements: Statements): Statements =>
  Object.fromEntries(
    Object.entries(statements).map(([id, one]) => [id, { ...one, needs: [...needs, ...(one.needs ?? [])] }]),
  );
