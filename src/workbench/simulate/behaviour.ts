/** Misbehaviour on demand: what a carrier does wrong, how often, and whether it did the work before. */
import { Failure } from '../../engine/failure.ts';

const PROBLEMS = ['slow', 'status', 'refuse', 'hang', 'reset', 'truncated', 'malformed', 'html', 'case'] as const;

/** It did what was asked of it, unless said otherwise: only the answer suffers. */
const ACTS = new Set<Behaviour['do']>(['slow', 'truncated', 'malformed']);

export interface Behaviour {
  /** `refuse`: as the closest case that shows a refusal. `case`: as the case of that name. */
  readonly do: (typeof PROBLEMS)[number];
  /** For how many requests, 1 by default; 0: for all. */
  readonly times?: number;
  readonly acted?: boolean;
  /** Before the answer; with `slow` 1,000 by default. */
  readonly ms?: number;
  /** Of `status` (default 500) and `html` (502). */
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly message?: string;
  readonly case?: string;
  /** Only requests of this method, or whose path holds this text. */
  readonly method?: string;
  readonly path?: string;
}

const TEXTS = ['message', 'case', 'method', 'path'];
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  times: [0, 1_000_000],
  ms: [0, 600_000],
  status: [200, 599],
  retryAfterSeconds: [0, 86_400],
};

const refuse = (message: string): never => {
  throw new Failure(message, { code: 'behaviour_invalid' });
};

/** Out of a control request or an option. Throws a `Failure` that names the key and what it may be. */
export const readBehaviour = (given: Readonly<Record<string, unknown>>): Behaviour => {
  if (!PROBLEMS.some((known) => known === given['do'])) refuse(`do must be one of ${PROBLEMS.join(', ')}`);
  for (const [key, value] of Object.entries(given)) {
    const range = RANGES[key];
    const isWithin =
      Number.isInteger(value) && Number(value) >= (range?.[0] ?? 0) && Number(value) <= (range?.[1] ?? 0);
    if (key === 'do') continue;
    else if (range !== undefined && !isWithin) refuse(`${key} must be an integer from ${range[0]} to ${range[1]}`);
    else if (key === 'acted' && typeof value !== 'boolean') refuse('acted must be true or false');
    else if (TEXTS.includes(key) && typeof value !== 'string') refuse(`${key} must be text`);
    else if (range === undefined && key !== 'acted' && !TEXTS.includes(key)) {
      refuse(`${key} is unknown: there are ${['do', 'acted', ...Object.keys(RANGES), ...TEXTS].join(', ')}`);
    }
  }
  if (given['do'] === 'case' && given['case'] === undefined) refuse('case needs the name of one');
  return given as unknown as Behaviour;
};

/** `status,status=429,times=3` as an option: the first word is what to do. */
export const parseBehaviour = (text: string): Behaviour => {
  const [first = '', ...pairs] = text.split(',');
  const entries = pairs.map((pair) => {
    const split = pair.indexOf('=');
    const [key, value] = [pair.slice(0, split), pair.slice(split + 1)];
    const isNumber = RANGES[key] !== undefined && /^\d+$/.test(value);
    return [key, isNumber ? Number(value) : key === 'acted' ? value === 'true' : value];
  });
  return readBehaviour({ do: first, ...(Object.fromEntries(entries) as object) });
};

/** A behaviour as it applies to one request. */
export type Applied = Behaviour & { readonly acts: boolean };

/** First come, first served; a request meets one at most. */
export const createBehaviours = () => {
  const waiting: { behaviour: Behaviour; left: number }[] = [];
  return {
    add: (behaviour: Behaviour): void => {
      waiting.push({ behaviour, left: behaviour.times === 0 ? Number.POSITIVE_INFINITY : (behaviour.times ?? 1) });
    },
    take: (method: string, path: string): Applied | undefined => {
      const found = waiting.find(
        ({ behaviour }) =>
          (behaviour.method === undefined || behaviour.method.toUpperCase() === method) &&
          path.includes(behaviour.path ?? ''),
      );
      if (found === undefined) return undefined;
      found.left -= 1;
      if (found.left <= 0) waiting.splice(waiting.indexOf(found), 1);
      return { ...found.behaviour, acts: found.behaviour.acted ?? ACTS.has(found.behaviour.do) };
    },
    clear: (): void => void waiting.splice(0),
  };
};
