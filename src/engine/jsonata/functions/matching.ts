import { ExpressionFailure } from '../failure.ts';
import { callFunction, isFunction } from '../function-value.ts';
import type { Run } from '../run.ts';
import type { Builtins } from '../signature.ts';
import { Sequence } from '../value.ts';

type Text = string | undefined;

interface Found {
  readonly match: string;
  readonly start: number;
  readonly end: number;
  readonly groups: readonly Text[];
  readonly next: unknown;
}

/** Asks a regular expression, or a function that plays its part, for a match. */
const ask = (run: Run, matcher: unknown, args: readonly unknown[]): Found | undefined => {
  const found = callFunction(run, matcher, args, null) as Partial<Found> | undefined | null;
  if (found === undefined) return undefined;
  if (
    typeof found !== 'object' ||
    found === null ||
    !(typeof found.start === 'number' || Array.isArray(found.groups) || isFunction(found.next))
  ) {
    throw new ExpressionFailure('T1010');
  }
  return found as Found;
};

const contains = (run: Run, text: string, token: unknown): boolean | undefined => {
  if (token === undefined) return undefined;
  run.work(text.length);
  if (typeof token === 'string') return text.includes(token);
  return ask(run, token, [text]) !== undefined;
};

/** All matches, up to a limit, each with what follows asked for only when needed. */
function* matches(run: Run, matcher: unknown, text: string, limit: number | undefined): Generator<Found> {
  const most = limit ?? Infinity;
  let found = ask(run, matcher, [text]);
  for (let count = 0; found !== undefined && count < most; count += 1) {
    run.tick();
    yield found;
    found = ask(run, found.next, []);
  }
}

const match = (run: Run, text: string, matcher: unknown, limit: number | undefined): Sequence => {
  if (limit !== undefined && limit < 0) throw new ExpressionFailure('D3040', { value: limit });
  const result = new Sequence();
  if (limit !== undefined && !(limit > 0)) return result;
  for (const found of matches(run, matcher, text, limit)) {
    run.charge(32);
    const entry: Record<string, unknown> = {};
    if (found.match !== undefined) entry['match'] = found.match;
    if (found.start !== undefined) entry['index'] = found.start;
    if (found.groups !== undefined) entry['groups'] = found.groups;
    result[result.length] = entry;
  }
  return result;
};

/** Puts the groups of a match into a replacement: `$1`, `$0` for all of it, `$$` for a dollar. */
const fill = (replacement: string, found: Found): string => {
  let result = '';
  let position = 0;
  for (let dollar = replacement.indexOf('$'); dollar !== -1; dollar = replacement.indexOf('$', position)) {
    result += replacement.slice(position, dollar);
    position = dollar + 1;
    const next = replacement[position];
    if (next === '$') {
      result += '$';
      position += 1;
    } else if (next === '0') {
      result += found.match;
      position += 1;
    } else {
      const group = groupNumber(replacement.slice(position), found.groups.length);
      if (Number.isNaN(group)) {
        result += '$';
      } else {
        result += found.groups[group - 1] ?? '';
        position += String(group).length;
      }
    }
  }
  return result + replacement.slice(position);
};

/** Reads as many digits as the number of groups has, one less if that names none. */
const groupNumber = (text: string, groups: number): number => {
  const digits = groups === 0 ? 1 : String(groups).length;
  const number = Number.parseInt(text.slice(0, digits), 10);
  return digits > 1 && number > groups ? Number.parseInt(text.slice(0, digits - 1), 10) : number;
};

const replaceText = (run: Run, text: string, token: string, replacement: string, limit: number | undefined): string => {
  let result = '';
  let position = 0;
  let index = text.indexOf(token);
  const most = limit ?? Infinity;
  for (let count = 0; index !== -1 && count < most; count += 1) {
    run.tick();
    result += text.slice(position, index) + replacement;
    run.charge(index - position + replacement.length);
    if (result.length > run.limits.text) throw new ExpressionFailure('W0002');
    position = index + token.length;
    index = text.indexOf(token, position);
  }
  return result + text.slice(position);
};

const replace = (run: Run, text: string, token: unknown, replacement: unknown, limit: number | undefined): string => {
  if (token === '') throw new ExpressionFailure('D3010');
  if (limit !== undefined && limit < 0) throw new ExpressionFailure('D3011', { value: limit });
  if (limit !== undefined && !(limit > 0)) return text;
  if (typeof token === 'string') {
    if (typeof replacement !== 'string') throw new ExpressionFailure('D3012');
    return replaceText(run, text, token, replacement, limit);
  }
  let result = '';
  let position = 0;
  for (const found of matches(run, token, text, limit)) {
    const put =
      typeof replacement === 'string' ? fill(replacement, found) : callFunction(run, replacement, [found], null);
    if (typeof put !== 'string') throw new ExpressionFailure('D3012', { value: put });
    result += text.slice(position, found.start) + put;
    run.charge(Math.max(0, found.start - position) + put.length);
    if (result.length > run.limits.text) throw new ExpressionFailure('W0002');
    position = found.start + found.match.length;
  }
  return result + text.slice(position);
};

const split = (run: Run, text: string, separator: unknown, limit: number | undefined): string[] => {
  if (limit !== undefined && limit < 0) throw new ExpressionFailure('D3020', { value: limit });
  if (limit !== undefined && !(limit > 0)) return [];
  if (typeof separator === 'string') {
    run.chargeText(text.length);
    const parts = text.split(separator, limit);
    run.chargeSequence(parts.length);
    return parts;
  }
  const result: string[] = [];
  let start = 0;
  for (const found of matches(run, separator, text, limit)) {
    result.push(text.slice(start, found.start));
    run.charge(8);
    start = found.end;
  }
  if (limit === undefined || result.length < limit) result.push(text.slice(start));
  return result;
};

export const matchingFunctions: Builtins = {
  contains: ['<s-(sf):b>', 2, contains],
  match: ['<s-f<s:o>n?:a<o>>', 3, match],
  replace: ['<s-(sf)(sf)n?:s>', 4, replace],
  split: ['<s-(sf)n?:a<s>>', 3, split],
};
