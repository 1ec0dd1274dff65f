/** HTTP as clients see it, many at a time, and how long it took them. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Reply {
  /** 0: no answer came. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, `undefined` where it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape are looked into
  readonly json: any;
  readonly ms: number;
}

export interface Call {
  readonly method: string;
  readonly url: string;
  /** Empty: none is sent. */
  readonly token: string;
  /** Text and bytes go as they are, all else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Never rejects: where no answer comes, the status is 0 and the text says why. */
export const call = async ({ method, url, token, body, headers, timeoutMs = 60_000 }: Call): Promise<Reply> => {
  const beganMs = performance.now();
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const tookMs = (): number => Math.round(performance.now() - beganMs);
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text), ms: tookMs() };
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } };
    return { status: 0, headers: new Headers(), text: cause?.code ?? name, json: undefined, ms: tookMs() };
  }
};

const NOT_NOW_MS = 1_000;
const NOT_NOW_TRIES = 60;

/** What must succeed, or the run cannot begin. */
export const callFor = async <Body>(request: Call): Promise<Body> => {
  for (let tries = 1; ; tries += 1) {
    const { status, text, json } = await call(request);
    if (status === 200) return json as Body;
    if (status !== 503 || tries === NOT_NOW_TRIES)
      throw new Error(`${request.method} ${request.url} was answered ${status}: ${text.slice(0, 300)}`);
    await sleep(NOT_NOW_MS);
  }
};

/** Does it for each, so many at a time, in order of their start. The first failure ends it. */
export const inTurns = async <Value>(
  atOnce: number,
  values: Iterable<Value>,
  act: (value: Value) => Promise<void>,
): Promise<void> => {
  const left = values[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
};

/** Looks again and again until it sees enough or its time is up; yields what it saw last. */
export const lookUntil = async <Seen>(
  limitMs: number,
  look: () => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
): Promise<Seen> => {
  for (const untilMs = Date.now() + limitMs; ; await sleep(100)) {
    const seen = await look();
    if (isEnough(seen) || Date.now() >= untilMs) return seen;
  }
};

export const countBy = (values: Iterable<string | number>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

/** By the nearest rank; NaN of nothing. */
export const percentile = (values: readonly number[], percent: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil((percent / 100) * values.length) - 1)] ?? Number.NaN;

export const median = (values: readonly number[]): number => percentile(values, 50);
