import { ExpressionFailure } from '../failure.ts';
import type { Run } from '../run.ts';
import { toText } from '../text.ts';
import { builtin, type Builtin } from './builtin.ts';

type Text = string | undefined;

// Half of a surrogate pair is no character: lengths and positions count code points. Without any, units are the same.
const hasSurrogates = (text: string): boolean => /[\uD800-\uDFFF]/.test(text);

const characters = (run: Run, text: string): string[] => {
  run.charge(text.length * 2);
  return Array.from(text);
};

const lengthOf = (run: Run, text: Text): number | undefined => {
  if (text === undefined) return undefined;
  return hasSurrogates(text) ? characters(run, text).length : text.length;
};

const substring = (run: Run, text: Text, start: number | undefined, length: number | undefined): Text => {
  if (text === undefined) return undefined;
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

const before = (_run: Run, text: Text, mark: Text): Text => {
  if (text === undefined) return undefined;
  const position = text.indexOf(String(mark));
  return position === -1 ? text : text.slice(0, position);
};

const after = (_run: Run, text: Text, mark: Text): Text => {
  if (text === undefined) return undefined;
  const found = String(mark);
  const position = text.indexOf(found);
  return position === -1 ? text : text.slice(position + found.length);
};

const trim = (run: Run, text: Text): Text => {
  if (text === undefined) return undefined;
  run.charge(text.length);
  const single = text.replace(/[ \t\n\r]+/g, ' ');
  const start = single.startsWith(' ') ? 1 : 0;
  const end = single.length > start && single.endsWith(' ') ? single.length - 1 : single.length;
  return single.slice(start, end);
};

const padText = (run: Run, text: Text, width: number | undefined, fill?: Text): Text => {
  if (text === undefined) return undefined;
  const wanted = Math.trunc(width ?? Number.NaN);
  const missing = Math.abs(wanted) - (lengthOf(run, text) ?? 0);
  if (!(missing > 0)) return text;
  const character = fill === undefined || fill === '' ? ' ' : fill;
  const units = hasSurrogates(character) ? characters(run, character) : character.split('');
  run.chargeText(text.length + missing * Math.ceil(character.length / units.length));
  const whole = character.repeat(Math.floor(missing / units.length));
  const padding = whole + units.slice(0, missing % units.length).join('');
  return wanted > 0 ? text + padding : padding + text;
};

const join = (run: Run, parts: readonly string[] | undefined, separator: Text): Text => {
  if (parts === undefined) return undefined;
  const between = separator ?? '';
  let size = between.length * Math.max(0, parts.length - 1);
  for (const part of parts) size += part.length;
  run.chargeText(size);
  return parts.join(between);
};

const converted = (change: (text: string) => string) => (run: Run, text: Text) => {
  if (text === undefined) return undefined;
  run.chargeText(text.length);
  return change(text);
};

const url = (name: string, change: (text: string) => string) => (run: Run, text: Text) => {
  if (text === undefined) return undefined;
  run.chargeText(text.length);
  try {
    return change(text);
  } catch (cause) {
    throw new ExpressionFailure('D3140', { value: text, token: name, cause });
  }
};

const evaluateIsOff = (): never => {
  throw new ExpressionFailure('W0005');
};

/** The functions on text, without those that search. */
export const textFunctions: readonly Builtin[] = [
  builtin('string', '<x-b?:s>', 1, (run: Run, value: unknown, pretty?: boolean) => toText(run, value, pretty === true)),
  builtin('substring', '<s-nn?:s>', 3, substring),
  builtin('substringBefore', '<s-s:s>', 2, before),
  builtin('substringAfter', '<s-s:s>', 2, after),
  builtin(
    'lowercase',
    '<s-:s>',
    1,
    converted((text) => text.toLowerCase()),
  ),
  builtin(
    'uppercase',
    '<s-:s>',
    1,
    converted((text) => text.toUpperCase()),
  ),
  builtin('length', '<s-:n>', 1, lengthOf),
  builtin('trim', '<s-:s>', 1, trim),
  builtin('pad', '<s-ns?:s>', 3, padText),
  builtin('join', '<a<s>s?:s>', 2, join),
  builtin(
    'base64encode',
    '<s-:s>',
    1,
    converted((text) => Buffer.from(text, 'latin1').toString('base64')),
  ),
  builtin(
    'base64decode',
    '<s-:s>',
    1,
    converted((text) => Buffer.from(text, 'base64').toString('latin1')),
  ),
  builtin('encodeUrlComponent', '<s-:s>', 1, url('encodeUrlComponent', encodeURIComponent)),
  builtin('encodeUrl', '<s-:s>', 1, url('encodeUrl', encodeURI)),
  builtin('decodeUrlComponent', '<s-:s>', 1, url('decodeUrlComponent', decodeURIComponent)),
  builtin('decodeUrl', '<s-:s>', 1, url('decodeUrl', decodeURI)),
  builtin('eval', '<sx?:x>', 2, evaluateIsOff),
];
