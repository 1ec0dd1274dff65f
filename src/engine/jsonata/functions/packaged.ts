import jsonata from 'jsonata';
import { ExpressionFailure, locate } from '../failure.ts';
import type { Run } from '../run.ts';
import type { Builtin, Builtins } from '../signature.ts';

/** A function of the jsonata package, as an expression sees it. */
interface Packaged {
  readonly signature: { readonly definition: string };
  readonly implementation: (this: unknown, ...args: readonly unknown[]) => unknown;
}

/** What the package has of the functions named. Its own evaluation answers by a promise, these do not. */
const packaged = async <N extends string>(...names: readonly N[]): Promise<Readonly<Record<N, Packaged>>> => {
  const pairs = names.map((name) => `"${name}": $${name}`);
  return (await jsonata(`{${pairs.join(', ')}}`).evaluate({})) as Record<N, Packaged>;
};

type Guard = (run: Run, ...args: never[]) => void;

/** A function of the package, after what keeps it from running away. None takes more than three arguments. */
const guarded = ({ signature, implementation }: Packaged, guard: Guard): Builtin => [
  signature.definition,
  implementation.length,
  (run: Run, one?: unknown, two?: unknown, three?: unknown) => {
    (guard as (run: Run, ...args: unknown[]) => void)(run, one, two, three);
    // Only what reads a picture looks at the time.
    const self = two === undefined ? undefined : { environment: { timestamp: new Date(run.timestamp) } };
    try {
      return implementation.call(self, one, two, three);
    } catch (thrown) {
      throw asFailure(thrown);
    }
  },
];

const asFailure = (thrown: unknown): unknown => {
  const { code, value } = thrown as { readonly code?: unknown; readonly value?: unknown };
  if (typeof code === 'string') return new ExpressionFailure(code, { value });
  const failure = locate(thrown, undefined);
  // A picture that asks for more than JavaScript can write, or that is no pattern.
  return failure instanceof ExpressionFailure ? failure : new ExpressionFailure('D3130', { cause: thrown });
};

/** What is built is at most a few times as long as the texts given. */
const chargeTexts: Guard = (run: Run, one: unknown, two: unknown) => {
  if (typeof one === 'string') run.chargeText(one.length);
  if (typeof two === 'string') run.chargeText(two.length);
};

const PICTURE_MAX = 1_000;

const chargePicture = (run: Run, picture: string | undefined): void => {
  if (picture === undefined) return;
  if (picture.length > PICTURE_MAX) throw new ExpressionFailure('W0002', { value: PICTURE_MAX });
  run.work(picture.length * 20);
};

/** With an exponent infinity would be divided for ever. */
const guardFormatNumber: Guard = (run: Run, value: number, picture: string | undefined, options: unknown) => {
  chargePicture(run, picture);
  const { 'exponent-separator': mark = 'e' } = (options ?? {}) as Readonly<Record<string, unknown>>;
  if (!Number.isFinite(value) && picture?.includes(String(mark)) === true)
    throw new ExpressionFailure('D1001', { value });
};

/** In letters infinity would be counted down for ever. */
const guardFormatInteger: Guard = (run: Run, value: number, picture: string | undefined) => {
  chargePicture(run, picture);
  if (!Number.isFinite(value)) throw new ExpressionFailure('D1001', { value });
};

const guardParseInteger: Guard = (run: Run, text: string, picture: string | undefined) => {
  chargePicture(run, picture);
  run.chargeText(text.length);
};

/** Widths are written out in zeros. */
const guardFromMillis: Guard = (run: Run, _millis: number, picture: string | undefined) => {
  chargePicture(run, picture);
  for (const [, widths = ''] of picture?.matchAll(/\[[^\]]*,([^\]]*)\]/g) ?? []) {
    for (const [width] of widths.matchAll(/\d+/g)) run.chargeText(Number(width));
  }
};

/** One part of a date picture: a marker, or what stands between two. */
const PICTURE_PART = /\[([A-Za-z])([^\]]*)\]|[^[]+|\[\[/g;
const NUMERIC = /[0-9+-]/;
const NAME = /[A-Za-z]/;
const WORDS = /[A-Za-z, -]/;

/** The characters that a marker's repetition takes. */
const takenBy = (component: string, presentation: string): RegExp => {
  if (/^[Ww]/.test(presentation)) return WORDS;
  return /^[NnAaIi]/.test(presentation) || (presentation === '' && 'FP'.includes(component)) ? NAME : NUMERIC;
};

/**
 * The package reads a date by one backtracking pattern, a repetition for each marker. It can go wrong only where two
 * repetitions could share characters: what stands between them must hold one that neither of them takes.
 */
const guardToMillis: Guard = (run: Run, text: string, picture: string | undefined) => {
  chargePicture(run, picture);
  run.work(text.length);
  if (picture === undefined) return;
  let degree = 1;
  let before: RegExp | undefined;
  let between = '';
  for (const [part, component = '', presentation = ''] of picture.matchAll(PICTURE_PART)) {
    if (component === '') {
      between += part;
      continue;
    }
    const taken = takenBy(component, presentation);
    const separated = between
      .split('')
      .some((character) => !(before ?? taken).test(character) && !taken.test(character));
    // Of two numbers side by side the first has a fixed width.
    const fixed = between === '' && before === NUMERIC && taken === NUMERIC;
    if (before !== undefined && !separated && !fixed) degree += 1;
    before = taken;
    between = '';
  }
  if (picture.length * text.length ** degree > run.limits.regex)
    throw new ExpressionFailure('W0004', { value: picture });
};

const { formatNumber, formatInteger, parseInteger, fromMillis, toMillis, ...plain } = await packaged(
  ...(['formatNumber', 'formatInteger', 'parseInteger', 'fromMillis', 'toMillis'] as const),
  ...(['number', 'floor', 'ceil', 'abs', 'sqrt', 'power', 'formatBase'] as const),
  ...(['lowercase', 'uppercase', 'trim', 'substringBefore', 'substringAfter', 'base64encode', 'base64decode'] as const),
  ...(['encodeUrlComponent', 'encodeUrl', 'decodeUrlComponent', 'decodeUrl'] as const),
);

const writeTime = guarded(fromMillis, guardFromMillis);
const now: Builtin[2] = (run, picture: string | undefined, zone: string | undefined) =>
  writeTime[2](run, ...([run.timestamp, picture, zone] as never[]));

export const packagedFunctions: Builtins = {
  ...Object.fromEntries(Object.entries(plain).map(([name, each]) => [name, guarded(each, chargeTexts)])),
  formatNumber: guarded(formatNumber, guardFormatNumber),
  formatInteger: guarded(formatInteger, guardFormatInteger),
  parseInteger: guarded(parseInteger, guardParseInteger),
  fromMillis: writeTime,
  toMillis: guarded(toMillis, guardToMillis),
  now: ['<s?s?:s>', 2, now, true],
  millis: ['<:n>', 0, (run: Run) => run.timestamp, true],
};
