// Misbehaviour on request: what a carrier shall do wrong, how often, and whether it did the work before.
import type { Mischief } from './carrier.ts';

type Problem = 'slow' | 'status' | 'hang' | 'reset' | 'malformed' | 'html' | 'truncated' | Mischief;

const problems: readonly Problem[] = [
  'slow',
  'status',
  'hang',
  'reset',
  'malformed',
  'html',
  'truncated',
  'wrong_echo',
  'wrong_count',
  'label_later',
];

/** A problem that the work precedes unless said otherwise: the answer suffers, not the deed. */
const worksFirst: ReadonlySet<Problem> = new Set<Problem>([
  'slow',
  'malformed',
  'truncated',
  'wrong_echo',
  'wrong_count',
  'label_later',
]);

export interface Behaviour {
  readonly do: Problem;
  /** For how many requests; 1 unless said. */
  readonly times?: number;
  /** Whether the carrier does what was asked of it before it answers so badly. */
  readonly acted?: boolean;
  /** A wait before the answer, in milliseconds. */
  readonly ms?: number;
  /** With `status` (500 unless said), `html` (502) and `label_later` (404, or 202). */
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly message?: string;
  /** With `label_later`: how often a label is asked for in vain; 1 unless said. */
  readonly asks?: number;
  /** Only requests of this method, or whose path holds this text. */
  readonly method?: string;
  readonly path?: string;
}

/** A behaviour as it applies to one request, nothing left open. */
export interface Applied {
  readonly do: Problem;
  readonly acted: boolean;
  readonly ms: number;
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  readonly message: string;
  readonly asks: number;
}

/** The behaviours asked for, first come first served; one request uses at most one. */
export class BehaviourQueue {
  #waiting: { behaviour: Behaviour; left: number }[] = [];

  add(behaviour: Behaviour): void {
    this.#waiting.push({ behaviour, left: behaviour.times ?? 1 });
  }

  take(method: string, path: string): Applied | null {
    const entry = this.#waiting.find(
      ({ behaviour }) =>
        (behaviour.method === undefined || behaviour.method.toUpperCase() === method) &&
        (behaviour.path === undefined || path.includes(behaviour.path)),
    );
    if (!entry) return null;
    entry.left -= 1;
    if (entry.left <= 0) this.#waiting = this.#waiting.filter((other) => other !== entry);
    return apply(entry.behaviour);
  }

  list(): readonly (Behaviour & { left: number })[] {
    return this.#waiting.map(({ behaviour, left }) => ({ ...behaviour, left }));
  }

  clear(): void {
    this.#waiting = [];
  }
}

function apply(behaviour: Behaviour): Applied {
  const usual = behaviour.do === 'html' ? 502 : behaviour.do === 'label_later' ? 404 : 500;
  return {
    do: behaviour.do,
    acted: behaviour.acted ?? worksFirst.has(behaviour.do),
    ms: behaviour.ms ?? (behaviour.do === 'slow' ? 1000 : 0),
    status: behaviour.status ?? usual,
    retryAfterSeconds: behaviour.retryAfterSeconds ?? null,
    message: behaviour.message ?? 'simulated problem',
    asks: behaviour.asks ?? 1,
  };
}

const numbers: Readonly<Record<string, readonly [number, number]>> = {
  times: [1, 1_000_000],
  ms: [0, 600_000],
  status: [200, 599],
  retryAfterSeconds: [0, 86_400],
  asks: [1, 1_000_000],
};

/** A behaviour out of a control request, or what is wrong with it. */
export function parseBehaviour(value: Readonly<Record<string, unknown>>): Behaviour | { readonly error: string } {
  const problem = problems.find((known) => known === value['do']);
  if (!problem) return { error: `"do" must be one of ${problems.join(', ')}` };
  for (const [key, given] of Object.entries(value)) {
    if (key === 'do' || key === 'carrier') continue;
    const range = numbers[key];
    if (range) {
      if (typeof given !== 'number' || !Number.isInteger(given) || given < range[0] || given > range[1])
        return { error: `"${key}" must be an integer from ${range[0]} to ${range[1]}` };
    } else if (key === 'acted') {
      if (typeof given !== 'boolean') return { error: '"acted" must be true or false' };
    } else if (key === 'message' || key === 'method' || key === 'path') {
      if (typeof given !== 'string') return { error: `"${key}" must be text` };
    } else return { error: `unknown key "${key}"` };
  }
  const { carrier: _, ...rest } = value;
  return { ...rest, do: problem };
}
