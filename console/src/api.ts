/** Requests to the admin routes of this server, and what pages show of their answers. */
import { useCallback, useEffect, useRef, useState } from 'react';

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
let signedOut = (): void => undefined;
export const useCsrfToken = (token: string): void => void (csrfToken = token);
export const onSignedOut = (act: () => void): void => void (signedOut = act);

/** JSON there and back; throws `Refused`. */
export const call = async <Reply>(
  method: Method,
  path: string,
  body?: unknown,
  { token, signal }: { readonly token?: string; readonly signal?: AbortSignal } = {},
): Promise<Reply> => {
  const headers: Record<string, string> = { 'X-CSRF-Token': csrfToken };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (token !== undefined) headers['Authorization'] = `Bearer ${token}`;
  const sent = {
    method,
    headers,
    ...(signal && { signal }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const response = await fetch(path, sent).catch((error: unknown) => {
    throw signal?.aborted === true ? error : new Refused(0, 'The server cannot be reached');
  });
  const text = await response.text();
  const reply = parsed(text);
  if (response.ok) return reply as Reply;
  if (response.status === 401 && token === undefined) signedOut();
  const { message = `The server answered ${response.status}`, errors } = (reply ?? {}) as Partial<ErrorReply>;
  throw new Refused(response.status, message, errors);
};
interface ErrorReply {
  readonly message: string;
  readonly errors: readonly string[];
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
}

/** What a GET answers, and again every so often while the page is looked at; the last good answer stays meanwhile. */
export const useRead = <Reply>(path: string, everyMs?: number): Read<Reply> => {
  const [state, setState] = useState<{ path: string; reply?: Reply; error?: Refused }>({ path });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    call<Reply>('GET', path, undefined, { signal: stop.signal }).then(
      (reply) => setState({ path, reply }),
      (error: unknown) => {
        if (!stop.signal.aborted)
          setState((before) => ({ ...(before.path === path ? before : { path }), error: asRefused(error) }));
      },
    );
    const timer =
      everyMs === undefined
        ? undefined
        : setInterval(() => document.visibilityState === 'visible' && setTurn((count) => count + 1), everyMs);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [path, everyMs, turn]);
  const reload = useCallback(() => setTurn((count) => count + 1), []);
  const isOfPath = state.path === path;
  return { reply: isOfPath ? state.reply : undefined, error: isOfPath ? state.error : undefined, reload };
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
