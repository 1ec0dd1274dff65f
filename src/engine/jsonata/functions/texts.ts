import { ExpressionFailure } from '../failure.ts';
import type { Run } from '../run.ts';
import type { Builtins } from '../signature.ts';
import { toText } from '../text.ts';

// Half of a surrogate pair is no character: lengths and positions count code points. Without any, units are the same.
const hasSurrogates = (text: string): boolean => /[\uD800-\uDFFF]/.test(text);

const characters = (run: Run, text: string): string[] => {
  run.charge(text.length * 2);
  return Array.from(text);
};

const lengthOf = (run: Run, text: string): number => (hasSurrogates(text) ? characters(run, text).length : text.length);

const substring = (run: Run, text: string, start: number | undefined, length: number | undefined): string => {
  const units = hasSurrogates(text) ? characters(run, text) : text;
  const size = units.length;
  // A missing start is NaN in the comparisons and 0 in the slices.
  const from = start ?? Number.NaN;
  const begin = size + from < 0 ? 0 : from;
  if (length !== undefined && length <= 0) return '';
  const end = length === undefined ? undefined : begin >= 0 ? begin + length : size + begin + length;
  const slice = units.slice(begin, end);
  return typeof slice === 'string' ? slice : slice.join('');
};

const pad = (run: Run, text: string, width: number | undefined, fill?: string): string => {
  const wanted = Math.trunc(width ?? Number.NaN);
  const missing = Math.abs(wanted) - lengthOf(run, text);
  if (!(missing > 0)) return text;
  const character = fill === undefined || fill === '' ? ' ' : fill;
  const units = hasSurrogates(character) ? characters(run, character) : character.split('');
  run.chargeText(text.length + missing * Math.ceil(character.length / units.length));
  const whole = character.repeat(Math.floor(missing / units.length));
  const padding = whole + units.slice(0, missing % units.length).join('');
  return wanted > 0 ? text + padding : padding + text;
};

const join = (run: Run, parts: readonly string[], separator = ''): string => {
  let size = separator.length * Math.max(0, parts.length - 1);
  for (const part of parts) size += part.length;
  run.chargeText(size);
  return parts.join(separator);
};

const evaluateIsOff = (): never => {
  throw new ExpressionFailure('W0005');
};

/** The functions on text that neither search nor come from the package. */
export const textFunctions: Builtins = {
  string: ['<x-b?:s>', 1, (run: Run, value: unknown, pretty?: boolean) => toText(run, value, pretty === true)],
  substring: ['<s-nn?:s>', 3, substring],
  length: ['<s-:n>', 1, lengthOf],
  pad: ['<s-ns?:s>', 3, pad],
  join: ['<a<s>s?:s>', 2, join],
  eval: ['<sx?:x>', 2, evaluateIsOff, true],
};
