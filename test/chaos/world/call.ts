import { setTimeout as sleep } from 'node:timers/promises';

/** HTTP as clients see it: an answer, or none. */
export interface Reply {
  /** 0: no answer came. */
  readonly status: number;
  readonly text: string;
  /** As the header has it. */
  readonly retryAfter?: string | undefined;
  readonly ms: number;
}

export interface Call {
  readonly method: string;
  readonly url: string;
  readonly token: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Never rejects. */
export const call = async ({ method, url, token, body, headers = {}, timeoutMs = 60_000 }: Call): Promise<Reply> => {
  const beganMs = performance.now();
  const took = (): number => Math.round(performance.now() - beganMs);
  try {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const retryAfter = response.headers.get('retry-after') ?? undefined;
    return { status: response.status, text, retryAfter, ms: took() };
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } };
    return { status: 0, text: cause?.code ?? name, ms: took() };
  }
};

const NOT_NOW_MS = 1_000;
const NOT_NOW_TRIES = 60;

/** What must succeed, or the run cannot begin. */
export const callFor = async <Body>(request: Call): Promise<Body> => {
  for (let tries = 1; ; tries += 1) {
    const { status, text } = await call(request);
    if (status === 200) return JSON.parse(text) as Body;
    if (status !== 503 || tries === NOT_NOW_TRIES)
      throw new Error(`${request.method} ${request.url} was answered ${status}: ${text.slice(0, 300)}`);
    await sleep(NOT_NOW_MS);
  }
};
