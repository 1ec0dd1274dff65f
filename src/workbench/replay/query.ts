/** Queries for traffic that a server recorded: `pushes:carrier=acme since=7d`. */
import { parseDuration } from '../../engine/duration.ts';
import { Failure } from '../../engine/failure.ts';
import { OPERATIONS } from '../../engine/profile/carrier.ts';
import { didYouMean } from '../../engine/mapping/closest.ts';

const RECORDED = ['dispatches', 'exchanges', 'pushes', 'orders'] as const;

/**
 * `dispatches`: each with its inputs and all answers, run anew. `exchanges`: each answer classified by itself.
 * `pushes`: what carriers sent, and what polls brought. `orders`: what shippers created, as it is now.
 */
export interface TrafficQuery {
  readonly what: (typeof RECORDED)[number];
  readonly carrier?: string | undefined;
  readonly environment?: 'sandbox' | 'production' | undefined;
  readonly operation?: string | undefined;
  readonly dispatchId?: number | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly limit?: number | undefined;
}

const KEYS = ['carrier', 'environment', 'operation', 'dispatch', 'since', 'until', 'limit'] as const;

/** undefined: the text is no query. Throws a `Failure` for one that is wrong. */
export const parseQuery = (text: string, nowMs: number): TrafficQuery | undefined => {
  const what = RECORDED.find((name) => text.startsWith(`${name}:`));
  if (what === undefined) return undefined;
  const terms = text
    .slice(what.length + 1)
    .split(/[\s,]+/)
    .filter((term) => term !== '');
  const values = new Map<string, string>();
  for (const term of terms) {
    const at = term.indexOf('=');
    const key = term.slice(0, Math.max(at, 0));
    if (!(KEYS as readonly string[]).includes(key)) {
      throw wrong(`"${term.slice(0, 60)}" is no term of a query`, didYouMean(key === '' ? term : key, KEYS));
    }
    values.set(key, term.slice(at + 1));
  }
  const time = (key: 'since' | 'until'): number | undefined => timeOf(key, values.get(key), nowMs);
  return {
    what,
    carrier: values.get('carrier'),
    environment: oneOf('environment', values.get('environment'), ['sandbox', 'production']),
    operation: oneOf('operation', values.get('operation'), [...OPERATIONS, 'login']),
    dispatchId: numberOf('dispatch', values.get('dispatch')),
    sinceMs: time('since'),
    untilMs: time('until'),
    limit: numberOf('limit', values.get('limit')),
  };
};

const wrong = (message: string, help?: string): Failure => new Failure(message, { code: 'query_invalid', help });

const numberOf = (key: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw wrong(`${key} must be a number, not "${text.slice(0, 60)}"`);
};

const oneOf = <T extends string>(key: string, text: string | undefined, words: readonly T[]): T | undefined => {
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw wrong(`${key} cannot be "${text.slice(0, 60)}"`, didYouMean(text, words));
};

/** `7d` ago, or a date: `2026-05-01`, `2026-05-01T09:00:00Z`. */
const timeOf = (key: string, text: string | undefined, nowMs: number): number | undefined => {
  if (text === undefined) return undefined;
  const ago = parseDuration(text);
  if (ago !== undefined) return nowMs - ago;
  const ms = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw wrong(`${key} must be a time ago, as 7d, or a date, not "${text.slice(0, 60)}"`);
};
