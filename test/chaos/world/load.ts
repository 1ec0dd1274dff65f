/** A client with many consignments in hand: asks until each request has a definite answer, and logs every answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../support/random.ts';
import { CANCELLED, orderTo, PLAIN, PUSHED, REFUSED, UPDATED } from '../order.ts';
import type { ScenarioContext } from '../scenario.ts';
import { type Call, call, type Reply } from './call.ts';
import { type Journal, openJournal } from './journal.ts';
import { CARRIERS } from './profiles.ts';
import { givesUpAfter, type World } from './world.ts';

export interface ClientAnswer {
  readonly atMs: number;
  readonly operation: 'create' | 'update' | 'cancel';
  readonly reference: string;
  readonly shipper: string;
  readonly status: number;
  readonly ms: number;
  readonly text: string;
  readonly retryAfter?: string | undefined;
  /** The request has its answer; else it is made again. */
  readonly definite: boolean;
}

export interface LoadOptions {
  readonly prefix: string;
  readonly count: number;
  /** Consignments in hand at a time. */
  readonly atOnce: number;
  /** Between the begin of one and the next; 0: as fast as it goes. */
  readonly everyMs?: number;
  /** Default: the row's. */
  readonly seed?: number;
  /** Told how many were begun, whenever one is. */
  readonly onBegun?: (count: number) => void;
  /** Nothing more is begun; what is in hand is brought to its end. */
  readonly enough?: AbortSignal;
}

interface Client {
  readonly world: World;
  readonly signal: AbortSignal;
  readonly journal: Journal<ClientAnswer>;
}

/** What becomes of a consignment, as the last letter of its reference. */
const letterFor = (random: Random): string => {
  const draw = random.below(100);
  if (draw < 35) return PUSHED;
  if (draw < 39) return REFUSED;
  if (draw < 44) return CANCELLED;
  return draw < 49 ? UPDATED : PLAIN;
};

/** Brings consignments upon the world; resolves when every one had its answers, or the row's time is up. */
export const load = async (
  world: World,
  context: ScenarioContext,
  { prefix, count, atOnce, everyMs, seed = context.seed, onBegun, enough }: LoadOptions,
): Promise<void> => {
  const random = new Random(seed);
  const { signal } = context;
  const client = { world, signal, journal: openJournal<ClientAnswer>(world.journals.client) };
  const stop = AbortSignal.any(enough === undefined ? [signal] : [signal, enough]);
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < count && !stop.aborted) {
      const number = begun;
      begun += 1;
      onBegun?.(begun);
      const own = new Random(random.next());
      await shepherd(client, `${prefix}-${number}-${letterFor(own)}`, own);
      if (everyMs !== undefined) await sleep(everyMs * atOnce * (0.5 + own.below(100) / 100));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
};

/** Load until it is stopped. */
export const steadyLoad = (
  world: World,
  context: ScenarioContext,
  options: Omit<LoadOptions, 'count' | 'enough'>,
): { stop(): Promise<void> } => {
  const enough = new AbortController();
  const running = load(world, context, { ...options, count: Number.POSITIVE_INFINITY, enough: enough.signal });
  // Whoever stops it hears of it.
  running.catch(() => undefined);
  return {
    stop: async () => {
      enough.abort();
      await running;
    },
  };
};

const shepherd = async (client: Client, reference: string, random: Random): Promise<void> => {
  const carrier = random.pick(CARRIERS).code;
  const { token, code: shipper } = client.world.shippers[random.chance(0.02) ? 1 : 0] ?? { token: '', code: '' };
  const manner: Record<string, string> = random.chance(0.3) ? {} : { prefer: 'respond-async' };
  // Without a key the same change asked for again is another change, and may reach the carrier as one.
  const keyOf = (operation: string) => ({ 'idempotency-key': `${operation}-${reference}` });
  const request = async (
    operation: ClientAnswer['operation'],
    where: string,
    body: unknown,
    headers: Record<string, string>,
  ) =>
    await ask(client, { operation, reference, shipper }, () => {
      const [method = '', path] = where.split(' ');
      return { method, url: `${random.pick(client.world.fleet.urls)}${path}`, token, body, headers };
    });
  const created = await request('create', 'POST /v2/consignments', orderTo(carrier, reference), {
    ...manner,
    ...(random.chance(0.8) ? keyOf('create') : {}),
  });
  if (created?.status !== 200) return;
  if (reference.endsWith(UPDATED)) {
    const consignmentDetails = { referenceNumber: reference, deliveryInstructions: 'Example: ring three times' };
    await request('update', 'PUT /v2/consignments', { consignmentDetails }, { ...manner, ...keyOf('update') });
  }
  if (reference.endsWith(CANCELLED)) {
    const consignments = [{ referenceNumber: reference, remark: 'Example change of mind' }];
    await request('cancel', 'POST /v2/consignments-cancel', { consignments }, keyOf('cancel'));
  }
};

const LONGEST_WAIT_MS = 2_000;
const KEPT_TEXT = 4_000;

/** Nothing came, or "not now": the same again. Anything else is the answer. */
const isDefinite = ({ status, text }: Reply): boolean =>
  status !== 0 && status !== 429 && status !== 503 && !(status === 409 && text.includes('still being worked on'));

const ask = async (
  { world, journal, signal }: Client,
  what: Pick<ClientAnswer, 'operation' | 'reference' | 'shipper'>,
  request: () => Call,
): Promise<Reply | undefined> => {
  for (let tries = 1; !signal.aborted; tries += 1) {
    const reply = await call({ ...request(), timeoutMs: givesUpAfter(world) });
    const definite = isDefinite(reply);
    const { status, ms, text } = reply;
    const retryAfter = reply.headers.get('retry-after') ?? undefined;
    journal({ atMs: Date.now(), ...what, status, ms, text: text.slice(0, KEPT_TEXT), retryAfter, definite });
    if (definite) return reply;
    await sleep(Math.min(LONGEST_WAIT_MS, 100 * tries));
  }
  return undefined;
};
