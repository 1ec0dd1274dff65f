/** One request: sent, repeated as far as that is safe and asked for, and read. */
import { type Answer, ERROR_STATUSES, type Refusal } from './answer.ts';

export interface Settings {
  readonly url: string;
  readonly token: string;
  /** For the whole of a call, its repeats included; longer than the server waits for carriers. */
  readonly timeoutMs?: number | undefined;
  /** Repeats after 429 and 503, each when Retry-After says; 0: none. */
  readonly retries?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Doing it twice is as doing it once. */
  readonly isRepeatable: boolean;
  readonly options: CallOptions | undefined;
}

export interface Bytes {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const TIMEOUT_MS = 60_000;
const RETRIES = 3;
/** Where an answer asks for a repeat and does not say when. */
const RETRY_AFTER_MS = 1_000;
const ANSWER_MAX = 64 * 1024 * 1024;
const TOO_MANY = 429;
const UNAVAILABLE = 503;

export const jsonOf = ({ bytes }: Bytes): unknown => JSON.parse(new TextDecoder().decode(bytes));

/** Sends it, repeats it as far as that is safe, and reads its answer. */
export const send = async <Value, Body400>(
  settings: Settings,
  request: Ask,
  read: (received: Bytes) => Value,
): Promise<Answer<Value, Body400>> => {
  const { timeoutMs = settings.timeoutMs ?? TIMEOUT_MS, signal } = request.options ?? {};
  const deadlineMs = performance.now() + timeoutMs;
  const timeout = AbortSignal.timeout(timeoutMs);
  const ending = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  for (let tries = 0; ; tries += 1) {
    const answer = await sendOnce<Value, Body400>(settings, request, ending, read);
    const waitMs = tries < (settings.retries ?? RETRIES) ? repeatInMs(answer, request) : undefined;
    if (waitMs === undefined || performance.now() + waitMs >= deadlineMs) return answer;
    if (!(await isWaited(waitMs, ending))) return answer;
  }
};

/** What was refused for its number was not begun; what a server had to leave may have been. */
const repeatInMs = (answer: Answer<unknown, unknown>, { isRepeatable }: Ask): number | undefined => {
  if (answer.ok || (answer.status !== TOO_MANY && !(answer.status === UNAVAILABLE && isRepeatable))) return undefined;
  return answer.retryAfterMs ?? RETRY_AFTER_MS;
};

/** False: it was aborted, or there is no more time. */
const isWaited = async (waitMs: number, signal: AbortSignal): Promise<boolean> => {
  if (signal.aborted) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const aborted = (): void => resolve(false);
  const timer = setTimeout(() => resolve(true), waitMs);
  signal.addEventListener('abort', aborted);
  return await promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', aborted);
  });
};

const sendOnce = async <Value, Body400>(
  settings: Settings,
  request: Ask,
  signal: AbortSignal,
  read: (received: Bytes) => Value,
): Promise<Answer<Value, Body400>> => {
  let response: Response;
  let received: Bytes;
  try {
    response = await (settings.fetch ?? fetch)(urlOf(settings, request), {
      method: request.method,
      headers: {
        authorization: `Bearer ${settings.token}`,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      // The token is for this server alone.
      redirect: 'error',
      signal,
    });
    received = { contentType: response.headers.get('content-type') ?? '', bytes: await bytesOf(response) };
  } catch (cause) {
    const says = signal.aborted ? 'no answer in time' : `no answer from ${new URL(settings.url).host}`;
    return { ok: false, status: signal.aborted ? 'timeout' : 'unreachable', messages: [says], cause };
  }
  try {
    const requestId = response.headers.get('x-request-id') ?? undefined;
    if (response.status === 200) {
      const isReplay = response.headers.get('idempotency-replayed') === 'true';
      return { ok: true, status: 200, value: read(received), isReplay, requestId };
    }
    return refusalOf(response, received, requestId);
  } catch (cause) {
    return { ok: false, status: 'unreadable', messages: [`the answer ${response.status} cannot be read`], cause };
  }
};

const urlOf = ({ url }: Settings, { path, query = {} }: Ask): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return `${url.replace(/\/+$/, '')}${path}${search.size === 0 ? '' : `?${search.toString()}`}`;
};

const bytesOf = async (response: Response): Promise<Uint8Array> => {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > ANSWER_MAX) throw new Error(`the answer is larger than ${ANSWER_MAX} bytes`);
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

interface ErrorBody {
  readonly message?: string;
  readonly errors: readonly (string | { readonly details: readonly string[] })[];
}

const refusalOf = <Body400>(response: Response, received: Bytes, requestId: string | undefined): Refusal<Body400> => {
  const { status } = response;
  const body = jsonOf(received) as ErrorBody;
  const named = body.errors.flatMap((error) => (typeof error === 'string' ? [error] : error.details));
  const isKnown = status === 400 || status === 409 || status === 422 || ERROR_STATUSES.has(status);
  if (!isKnown) throw new Error(`no answer of this API has status ${status}`);
  const retryAfterS = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    ok: false,
    status,
    body,
    messages: named.length > 0 ? named : [body.message ?? String(status)],
    requestId,
    retryAfterMs: Number.isFinite(retryAfterS) ? retryAfterS * 1_000 : undefined,
    // The number says which body it is.
  } as unknown as Refusal<Body400>;
};
