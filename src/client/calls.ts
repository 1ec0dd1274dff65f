/** What the parts of the client have in common: asking, and lists page by page. */
import { type Answer, valueOf } from './answer.ts';
import { type Ask, type Bytes, type CallOptions, jsonOf, send, type Settings } from './request.ts';

export interface ActOptions extends CallOptions {
  /** Repeats under one key are done once; without one each call has its own, for its repeats alone. */
  readonly idempotencyKey?: string | undefined;
  /** Do not wait for the carrier: what follows comes by webhook, and `get` shows it. */
  readonly respondAsync?: boolean | undefined;
}

/** `nextCursor` is `cursor` of the next page; missing on the last. */
export interface Page<Entry> {
  readonly data: readonly Entry[];
  readonly nextCursor?: string;
}
export interface PageQuery {
  readonly cursor?: string;
  readonly limit?: number;
}

export const callsOf = (settings: Settings) => {
  const ask = async <Value, Body400 = never>(request: Ask): Promise<Answer<Value, Body400>> =>
    await send(settings, request, (received) => jsonOf(received) as Value);
  return {
    ask,
    /** Only the id of a link: the token goes to no other server than ours. */
    bytesAt: async (path: string, linkOrId: string, options: CallOptions | undefined) => {
      const id = encodeURIComponent(linkOrId.slice(linkOrId.lastIndexOf('/') + 1));
      const request = { method: 'GET', path: `${path}/${id}`, isRepeatable: true, options } as const;
      return await send<Bytes, never>(settings, request, (bytes) => bytes);
    },
    get: async <Value>(path: string, options: CallOptions | undefined, query?: Ask['query']): Promise<Answer<Value>> =>
      await ask<Value>({ method: 'GET', path, query, isRepeatable: true, options }),
    /** Under a key, so that any repeat of it is done once. */
    act: async <Value, Body400 = never>(
      method: 'POST' | 'PUT',
      path: string,
      body: unknown,
      { idempotencyKey = crypto.randomUUID(), respondAsync = false, ...options }: ActOptions = {},
    ): Promise<Answer<Value, Body400>> => {
      const headers = { 'idempotency-key': idempotencyKey, ...(respondAsync ? { prefer: 'respond-async' } : {}) };
      return await ask({ method, path, body, headers, isRepeatable: true, options });
    },
  };
};

export const cursorOf = ({ nextCursor }: Page<unknown>) =>
  nextCursor === undefined ? undefined : { cursor: nextCursor };

/** Every entry of every page; a page is asked for when the one before is used up. */
export async function* entriesOf<Entry, Found extends { readonly data: readonly Entry[] }, Next extends object>(
  pageAt: (next: Next | undefined) => Promise<Answer<Found & { readonly data: readonly Entry[] }>>,
  nextOf: (page: Found) => Next | undefined,
): AsyncGenerator<Entry, void, undefined> {
  for (let next: Next | undefined; ;) {
    const page = valueOf(await pageAt(next));
    yield* page.data;
    next = nextOf(page);
    if (next === undefined) return;
  }
}

export const dataOf = <Data>(answer: Answer<{ readonly data: Data }>): Answer<Data> =>
  answer.ok ? { ...answer, value: answer.value.data } : answer;

/** Replies about one consignment hold it in a list. */
export const firstOf = <Value>(answer: Answer<{ readonly data: readonly Value[] }>): Answer<Value> => {
  if (!answer.ok) return answer;
  const [value] = answer.value.data;
  if (value !== undefined) return { ...answer, value };
  return { ok: false, status: 'unreadable', messages: ['the answer names none'], cause: undefined };
};
