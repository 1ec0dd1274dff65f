/** What the device has goes to the server: proofs first, then the events that name them, oldest first. */
import type { Route } from '../src/fleet/shapes.ts';
import type { Known, Queued, Store } from './store.ts';

/** `ended`: the server knows the token no more. */
export type Reached = 'reached' | 'unreachable' | 'ended';

interface Result {
  readonly id: string;
  readonly result: 'recorded' | 'repeated' | 'refused';
  readonly findings?: readonly { readonly message: string }[];
}
interface Heard {
  readonly results: readonly Result[];
  readonly route?: Route;
}
interface Told {
  readonly driver: { readonly code: string; readonly name: string };
  readonly now: string;
  readonly reasons: NonNullable<Known['reasons']>;
  readonly route?: Route;
}

const BATCH = 50;
const ANSWER_WITHIN_MS = 30_000;
/** Answers that another try may turn into a better one. */
const PASSING = new Set([408, 425, 429]);

class Ended extends Error {}
class Unreachable extends Error {}

/** Throws where nothing more can be sent for now. */
const ask = async (token: string, method: string, path: string, body?: BodyInit, type?: string): Promise<Response> => {
  const response = await fetch(`/fleet/v1/driver/${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(type === undefined ? {} : { 'Content-Type': type }) },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }).catch(() => {
    throw new Unreachable();
  });
  if (response.status === 401) throw new Ended();
  if (response.status >= 500 || PASSING.has(response.status)) throw new Unreachable();
  return response;
};

const whyOf = async (response: Response): Promise<string> => {
  const reply = (await response.json().catch(() => undefined)) as { message?: string } | undefined;
  return reply?.message ?? `The server answered ${response.status}`;
};

/** Sends what is this driver's, then asks for the route; each step is kept before the next, and each may come twice. */
export const sync = async (store: Store): Promise<Reached> => {
  const { token, driver } = (await store.read()).known;
  if (token === undefined) return 'ended';
  try {
    if (driver === undefined) await readRoute(store, token);
    const { code = '' } = (await store.read()).known.driver ?? {};
    const lost = await sendProofs(store, token, code);
    await sendEvents(store, token, code, lost);
    await readRoute(store, token);
    return 'reached';
  } catch (thrown) {
    if (thrown instanceof Ended) return 'ended';
    if (thrown instanceof Unreachable) return 'unreachable';
    throw thrown;
  }
};

/** Why the server took some for none: the events go without these. */
const sendProofs = async (store: Store, token: string, code: string): Promise<ReadonlyMap<string, string>> => {
  const refused = new Map<string, string>();
  for (const { id, stopId, kind, content, driver } of await store.proofs()) {
    if (driver !== code) continue;
    const path = `proofs/${id}?${new URLSearchParams({ stopId, kind })}`;
    const response = await ask(token, 'PUT', path, content, content.type);
    if (response.ok) await store.settle(new Map(), (known) => known, [id]);
    else refused.set(id, await whyOf(response));
  }
  return refused;
};

const sendEvents = async (
  store: Store,
  token: string,
  code: string,
  lost: ReadonlyMap<string, string>,
): Promise<void> => {
  const waiting = [...(await store.read()).queue].filter(([, { driver, refused }]) => driver === code && !refused);
  for (let at = 0; at < waiting.length; at += BATCH) await sendBatch(store, token, waiting.slice(at, at + BATCH), lost);
};

const sendBatch = async (
  store: Store,
  token: string,
  batch: readonly (readonly [number, Queued])[],
  lost: ReadonlyMap<string, string>,
): Promise<void> => {
  const lostOf = ({ event }: Queued): readonly string[] => (event.proofs ?? []).filter((id) => lost.has(id));
  const events = batch.map(([, { event }]) =>
    event.proofs === undefined ? event : { ...event, proofs: event.proofs.filter((id) => !lost.has(id)) },
  );
  const response = await ask(token, 'POST', 'events', JSON.stringify(events), 'application/json');
  // One that the server cannot read must not hold up the others.
  if (!response.ok && batch.length > 1) {
    for (const one of batch) await sendBatch(store, token, [one], lost);
    return;
  }
  const why = response.ok ? 'The server did not say what became of it' : await whyOf(response);
  const { results, route } = (response.ok ? await response.json() : { results: [] }) as Heard;
  const settled = batch.map(([key, queued]) => {
    const found = results.find(({ id }) => id === queued.event.id);
    const refused =
      found === undefined
        ? [why]
        : found.result === 'refused'
          ? (found.findings ?? []).map(({ message }) => message)
          : lostOf(queued).map((id) => `It was recorded without a picture: ${lost.get(id) ?? ''}`);
    const isDone = found !== undefined && found.result !== 'refused' && refused.length === 0;
    return [key, isDone ? undefined : { ...queued, refused }] as const;
  });
  const dropped = batch.flatMap(([, queued]) => lostOf(queued));
  const isOurs = (known: Known): boolean => route !== undefined && known.token === token;
  await store.settle(new Map(settled), (known) => (isOurs(known) ? { ...known, route } : known), dropped);
};

const readRoute = async (store: Store, token: string): Promise<void> => {
  const response = await ask(token, 'GET', 'route');
  if (!response.ok) throw new Unreachable();
  const { driver, now, reasons, route } = (await response.json()) as Told;
  const readAt = Date.now();
  const told = { driver, reasons, route, readAt };
  const aheadMs = Date.parse(now) - readAt;
  // Unless another driver's link was opened meanwhile.
  await store.change((known) =>
    known.token === token ? { ...known, ...told, aheadMs: corrected(known.aheadMs, aheadMs) } : known,
  );
};

/** Small changes are delays of the network: corrections that vary would turn the order of events around. */
const corrected = (before: number | undefined, aheadMs: number): number =>
  Math.abs(aheadMs - (before ?? 0)) < 60_000 ? (before ?? 0) : aheadMs;
