import type { Issue } from '../validate.ts';

/** What a request may be at most, its unknown fields included. */
const DEPTH_MAX = 24;
const NODES_MAX = 50_000;
const KEY_MAX = 200;
const TEXT_MAX = 20_000;
const ISSUES_MAX = 20;

/**
 * The faults that no schema of known fields sees: too deep, too many values, too long, and text that the records
 * cannot hold (NUL, half a surrogate pair).
 */
export const boundsOf = (body: unknown): readonly Issue[] => {
  const issues: Issue[] = [];
  const open: { value: unknown; path: string; depth: number }[] = [{ value: body, path: '', depth: 0 }];
  const found = (path: string, message: string): void => {
    const name = path === '' ? 'the request' : path;
    issues.push({ path, message: `${name} ${message}`, rule: 'bounded' });
  };
  for (let seen = 0; open.length > 0 && issues.length < ISSUES_MAX; seen += 1) {
    const { value, path, depth } = open.pop() as { value: unknown; path: string; depth: number };
    if (typeof value === 'string') {
      if (value.length > TEXT_MAX) found(path, `must not be longer than ${TEXT_MAX} characters`);
      if (!storable(value)) found(path, 'must not contain NUL or half a surrogate pair');
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= DEPTH_MAX) {
      found(path, `must not be nested deeper than ${DEPTH_MAX} levels`);
      continue;
    }
    const entries = Object.entries(value);
    if (seen + open.length + entries.length > NODES_MAX) {
      found('', `must not hold more than ${NODES_MAX} values`);
      break;
    }
    for (const [key, held] of entries.toReversed()) {
      const at = Array.isArray(value) ? `${path}[${key}]` : path === '' ? shown(key) : `${path}.${shown(key)}`;
      if (key.length > KEY_MAX) found(at, `must not have a name longer than ${KEY_MAX} characters`);
      if (!storable(key)) found(at, 'must not have NUL or half a surrogate pair in its name');
      open.push({ value: held, path: at, depth: depth + 1 });
    }
  }
  return issues;
};

const storable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const shown = (key: string): string => key.slice(0, 60).toWellFormed().replaceAll('\0', '');
