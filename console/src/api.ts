/** Requests to the admin routes of this server, and what pages show of their answers. */
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';

/** An answer that is not good: the server's own words. */
export class Refused extends Error {
  readonly status: number;
  readonly findings: readonly string[];

  constructor(status: number, message: string, findings: readonly string[] = []) {
    super(message);
    this.status = status;
    this.findings = findings.filter((one) => one !== message);
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

let csrfToken = '';
let session = { ended: (): void => undefined, changed: (): void => undefined };
export const useCsrfToken = (token: string): void => void (csrfToken = token);
/** What to do when the session has ended, or another one has begun. */
export const onSession = (acts: typeof session): void => void (session = acts);

// What takes longer than a second is shown to be under way.
const SLOW_MS = 1_000;
let slow = 0;
const watchers = new Set<() => void>();
const countSlow = (by: 1 | -1): void => {
  slow += by;
  for (const watcher of watchers) watcher();
};
const watchSlow = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};
/** Whether a request of the user takes long. */
export const useSlow = (): boolean => useSyncExternalStore(watchSlow, () => slow > 0);

const noteSlow = async <Reply>(request: Promise<Reply>): Promise<Reply> => {
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    countSlow(1);
  }, SLOW_MS);
  try {
    return await request;
  } finally {
    clearTimeout(timer);
    if (isSlow) countSlow(-1);
  }
};

/** JSON there and back, or text as CSV; throws `Refused`. */
export const call = async <Reply>(
  method: Method,
  path: string,
  body?: unknown,
  {
    token,
    signal,
    isPoll = false,
  }: { readonly token?: string; readonly signal?: AbortSignal; readonly isPoll?: boolean } = {},
): Promise<Reply> => {
  const headers: Record<string, string> = { 'X-CSRF-Token': csrfToken };
  if (body !== undefined) headers['Content-Type'] = typeof body === 'string' ? 'text/csv' : 'application/json';
  // It happens without the user, so it does not prolong the session.
  if (isPoll) headers['X-Waybill-Poll'] = '1';
  if (token !== undefined) headers['Authorization'] = `Bearer ${token}`;
  const sent = {
    method,
    headers,
    ...(signal && { signal }),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
  const request = fetch(path, sent).then(async (response) => [response, await response.text()] as const);
  const [response, text] = await (isPoll ? request : noteSlow(request)).catch((error: unknown) => {
    throw signal?.aborted === true ? error : new Refused(0, 'The server cannot be reached');
  });
  const reply = parsed(text);
  if (response.ok) return reply as Reply;
  if (response.status === 401 && token === undefined) session.ended();
  const {
    message = `The server answered ${response.status}`,
    errors,
    findings,
    code,
  } = (reply ?? {}) as Partial<ErrorReply>;
  if (code === 'csrf_token') {
    session.changed();
    throw new Refused(
      response.status,
      'Someone signed in again in another tab. Check who is signed in, then try again.',
    );
  }
  throw new Refused(response.status, message, errors?.flatMap(textsOf) ?? findings?.map(({ message }) => message));
};
interface Told {
  readonly details?: readonly string[];
}
const textsOf = (one: string | Told): readonly string[] => (typeof one === 'string' ? [one] : (one.details ?? []));

interface ErrorReply {
  readonly code: string;
  readonly message: string;
  /** Of a 400, by reference. */
  readonly errors: readonly (string | Told)[];
  readonly findings: readonly { readonly message: string }[];
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A path with those of the filters that are set. */
export const withQuery = (path: string, filters: Readonly<Record<string, string | undefined>>): string => {
  const set = Object.entries(filters).filter((one): one is [string, string] => one[1] !== undefined && one[1] !== '');
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
};

export interface Read<Reply> {
  readonly reply: Reply | undefined;
  readonly error: Refused | undefined;
  reload(): void;
  /** The same; resolves once the answer is here. */
  reloaded(): Promise<void>;
}

/** What a GET answers, and again every so often while the page is looked at; the last good answer stays meanwhile. */
export const useRead = <Reply>(path: string, everyMs?: number): Read<Reply> => {
  const [state, setState] = useState<{ path: string; reply?: Reply; error?: Refused }>({ path });
  const [turn, setTurn] = useState<{ readonly polls?: string }>({});
  const waiting = useRef<(() => void)[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    // Whoever begins to wait from now on waits for the next answer.
    const told = waiting.current.splice(0);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const goOn = (): void => {
      if (everyMs === undefined || stop.signal.aborted) return;
      timer = setTimeout(() => (document.visibilityState === 'visible' ? setTurn({ polls: path }) : goOn()), everyMs);
    };
    call<Reply>('GET', path, undefined, { signal: stop.signal, isPoll: turn.polls === path })
      .then(
        (reply) => setState({ path, reply }),
        (error: unknown) => {
          if (!stop.signal.aborted)
            setState((before) => ({ ...(before.path === path ? before : { path }), error: asRefused(error) }));
        },
      )
      .finally(() => {
        if (!stop.signal.aborted) for (const tell of told.splice(0)) tell();
        goOn();
      });
    return () => {
      stop.abort();
      clearTimeout(timer);
      waiting.current.push(...told);
    };
  }, [path, everyMs, turn]);
  const reloaded = useCallback(
    async () =>
      await new Promise<void>((resolve) => {
        waiting.current.push(resolve);
        setTurn({});
      }),
    [],
  );
  const reload = useCallback(() => void reloaded(), [reloaded]);
  const isOfPath = state.path === path;
  return { reply: isOfPath ? state.reply : undefined, error: isOfPath ? state.error : undefined, reload, reloaded };
};

export const asRefused = (error: unknown): Refused =>
  error instanceof Refused ? error : new Refused(0, String(error));

interface Page<Entry> {
  readonly data: readonly Entry[];
  readonly nextCursor?: string;
}
export interface List<Entry> {
  readonly entries: readonly Entry[] | undefined;
  readonly error: Refused | undefined;
  /** Undefined: all are here. */
  readonly more: (() => void) | undefined;
  reload(): void;
}

/** A list, page by page. */
export const useList = <Entry>(path: string): List<Entry> => {
  const first = useRead<Page<Entry>>(path);
  const [rest, setRest] = useState<{ of: Page<Entry> | undefined; pages: readonly Page<Entry>[]; error?: Refused }>({
    of: undefined,
    pages: [],
  });
  const loading = useRef(false);
  const pages = first.reply === undefined ? [] : [first.reply, ...(rest.of === first.reply ? rest.pages : [])];
  const next = pages.at(-1)?.nextCursor;
  const more = (): void => {
    if (loading.current || next === undefined) return;
    loading.current = true;
    call<Page<Entry>>('GET', `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(next)}`)
      .then(
        (page) => setRest({ of: first.reply, pages: [...pages.slice(1), page] }),
        (error: unknown) => setRest({ of: first.reply, pages: pages.slice(1), error: asRefused(error) }),
      )
      .finally(() => (loading.current = false));
  };
  return {
    entries: first.reply === undefined ? undefined : pages.flatMap(({ data }) => data),
    error: first.error ?? (rest.of === first.reply ? rest.error : undefined),
    more: next === undefined ? undefined : more,
    reload: first.reload,
  };
};

/** An action of the user: whether it is under way, and what kept it from being done. */
export const useAction = <Given extends readonly unknown[]>(act: (...given: Given) => Promise<void>) => {
  const [state, setState] = useState<{ busy: boolean; error?: Refused }>({ busy: false });
  const run = (...given: Given): void => {
    setState({ busy: true });
    act(...given).then(
      () => setState({ busy: false }),
      (error: unknown) => setState({ busy: false, error: asRefused(error) }),
    );
  };
  return { ...state, run };
};
