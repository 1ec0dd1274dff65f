/** Moves shipments on, and tells the platform where the carrier calls it by itself. */
import { setTimeout as wait } from 'node:timers/promises';
import { Failure, messageOf } from '../../engine/failure.ts';
import { signWebhook } from '../../engine/statuses/carrier-webhook.ts';
import { environmentOf } from '../engine-run.ts';
import { withAt, writeDocument } from './document.ts';
import { partFor } from './track.ts';
import type { Host } from './host.ts';
import type { Call } from './scenes.ts';
import { numbersOf, type Shipment } from './shipments.ts';
import { eventListOf, moved, type Sample, samplesOf, type Told } from './tracking.ts';

const ON_THE_WAY = ['Order Picked Up', 'In Transit', 'At Facility', 'Out for Delivery'];
/** Ways of a shipment, as far as the cases show its statuses. */
export const JOURNEYS = {
  delivered: [...ON_THE_WAY, 'Order Delivered'],
  second_try: [...ON_THE_WAY, 'Delivery Failed', 'Out for Delivery', 'Order Delivered'],
  returned: [...ON_THE_WAY, 'Delivery Failed', 'Returned to Origin'],
} as const;
export type Journey = keyof typeof JOURNEYS;

export interface PushTarget {
  /** The platform's, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** By carrier: the token of its pushes by the contract. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface Pushed {
  readonly carrier: string;
  readonly url: string;
  readonly body: string;
  /** The platform's status, or why there was none. */
  readonly result: number | string;
}

export interface Outside {
  readonly target: () => PushTarget | undefined;
  readonly pushed: (push: Pushed) => void;
  readonly signal: AbortSignal;
}

/** Which shipments: all of a reference, or the one of a number, and of it that number alone where it is a package's. */
interface Which {
  readonly number?: string;
  readonly reference?: string;
}

/** `at`: in ms; by default now. */
export interface Step extends Which {
  readonly status: string;
  readonly at?: number;
}

export interface Way extends Which {
  readonly journey?: Journey;
  readonly intervalMs?: number;
}

const packagesOf = ({ book }: Host, { number, reference }: Which): readonly (readonly [Shipment, string])[] => {
  const found = book.list().filter((shipment) => {
    const words = [...shipment.roles, ...shipment.words];
    return words.some(([role, word]) => word === (role.startsWith('order.') ? reference : number));
  });
  const all = found.flatMap((shipment) => numbersOf(shipment).map((own) => [shipment, own] as const));
  const own = all.filter(([, one]) => one === number);
  if (all.length > 0) return own.length > 0 ? own : all;
  throw new Failure(`no shipment of this simulator is named ${number ?? reference ?? '(nothing)'}`, {
    code: 'shipment_unknown',
  });
};

export interface Advanced {
  readonly number: string;
  readonly status: string;
  readonly code: string | undefined;
}

/** `status`: ours, as `In Transit`, or a code of the carrier's own. Throws a `Failure` where no case shows it, or its push is not taken. */
export const advance = async (
  moving: Host,
  { status, at, ...which }: Step,
  outside: Outside,
): Promise<readonly Advanced[]> => {
  const { polled, called } = samplesOf(moving.scenes);
  const [poll, call] = [pick(polled, status), pick(called, status)];
  const known = poll ?? call;
  if (known === undefined) {
    const all = [...new Set([...polled, ...called].map(({ event }) => event.status))].join(', ');
    throw new Failure(`no case of this carrier tells ${status}; they tell ${all}`, { code: 'status_unknown' });
  }
  const advanced: Advanced[] = [];
  for (const [shipment, number] of packagesOf(moving, which)) {
    const before = shipment.events.get(number) ?? [];
    // Two of the same second could not be told apart, nor their order.
    const atMs = Math.max(at ?? moving.nowMs(), (before.at(-1)?.atMs ?? 0) + 1_000);
    // What is not taken, or cannot be sent, has not happened.
    if (call !== undefined) await push(moving, { sample: call, atMs }, shipment, number, outside);
    shipment.events.set(number, [...(shipment.events.get(number) ?? []), { sample: poll ?? known, atMs }]);
    advanced.push({ number, status: known.event.status, code: known.event.carrierStatus.code });
  }
  return advanced;
};

/** The plainest where several tell it: named by a row of the table, and without a reason. */
const pick = (samples: readonly Sample[], status: string): Sample | undefined => {
  const fitting = samples.filter(({ event }) => event.status === status || event.carrierStatus.code === status);
  const named = fitting.filter(({ event: { row, carrierStatus } }) => {
    const { code, subCode } = carrierStatus;
    return row?.key.toLowerCase() === (subCode === '' ? code : `${code}/${subCode}`).toLowerCase();
  });
  const best = named.length > 0 ? named : fitting;
  return best.find(({ event }) => event.reason === undefined) ?? best[0];
};

/** A whole journey; before each status a wait of `intervalMs`, so that the answer to a create is out before. */
export const play = async (
  moving: Host,
  { journey = 'delivered', intervalMs = 1_000, ...which }: Way,
  outside: Outside,
): Promise<readonly Advanced[]> => {
  const advanced: Advanced[] = [];
  const packages = packagesOf(moving, which);
  const { polled, called } = samplesOf(moving.scenes);
  for (const status of JOURNEYS[journey]) {
    if (pick([...polled, ...called], status) === undefined) continue;
    await wait(intervalMs, undefined, { signal: outside.signal }).catch(() => {});
    if (outside.signal.aborted || packages.every(([{ isCancelled }]) => isCancelled)) break;
    for (const [, number] of packages)
      advanced.push(...(await advanceAtLast(moving, { number, status }, intervalMs, outside)));
  }
  return advanced;
};

const TRIES = 3;

/** A push that is not taken comes again, as carriers do. */
const advanceAtLast = async (
  moving: Host,
  step: Step,
  intervalMs: number,
  outside: Outside,
): Promise<readonly Advanced[]> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await advance(moving, step, outside);
    } catch (thrown) {
      const isPush = thrown instanceof Failure && thrown.code === 'push_failed';
      if (!isPush || tries === TRIES || outside.signal.aborted) throw thrown;
      await wait(intervalMs, undefined, { signal: outside.signal }).catch(() => {});
    }
  }
};

// Telling the platform ------------------------------------------------------------------------------------------------

const PUSH_TIMEOUT_MS = 30_000;

const push = async (
  moving: Host,
  told: Told,
  shipment: Shipment,
  number: string,
  { target, pushed, signal }: Outside,
): Promise<void> => {
  const { code } = moving.scenes.carrier;
  const to = target();
  const from = told.sample.from as Call;
  const secret = to?.secrets[code];
  const own = from.do === 'webhook';
  const base = own
    ? (moving.webhookUrl ?? (to && `${to.url.replace(/\/+$/, '')}/v2/carriers/${code}/webhook`))
    : to?.url;
  if (base === undefined || (!own && secret === undefined)) return;
  const url = own ? base : `${base.replace(/\/+$/, '')}/v2/carriers/${code}/statuses`;
  const list = eventListOf(from.body.tree, from.events);
  const part = partFor(told, shipment, number);
  const tree = list === undefined ? part : withAt(from.body.tree, list.path, [part]);
  const body = writeDocument({ kind: from.body.kind, tree });
  const headers: Record<string, string> = { ...from.headers };
  // A signed time is that of the call.
  for (const [name, value] of Object.entries(headers)) {
    const isSeconds = /^\d{10}$/.test(value);
    const now = moved(isSeconds ? `${value}000` : value, from.nowMs, moving.nowMs());
    headers[name] = isSeconds ? now.slice(0, -3) : now;
  }
  const request = { method: from.incoming.method ?? 'POST', url, headers, body, from: undefined };
  const proof = own ? await signed(moving, request) : { headers: { authorization: `Bearer ${secret}` }, query: {} };
  const full = new URL(url);
  for (const [name, value] of Object.entries({ ...from.incoming.query, ...proof.query }))
    full.searchParams.set(name, value);
  const result = await fetch(full, {
    method: request.method,
    headers: { ...headers, ...proof.headers },
    body,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(PUSH_TIMEOUT_MS)]),
  }).then(async (response) => {
    await response.body?.cancel();
    return response.status;
  }, messageOf);
  pushed({ carrier: code, url, body: body.toString(), result });
  if (typeof result === 'number' && result >= 200 && result < 300) return;
  throw new Failure(`${url} did not take the push (${result}), so that nothing was told`, { code: 'push_failed' });
};

const signed = async ({ scenes, account, nowMs }: Host, request: Parameters<typeof signWebhook>[1]) => {
  const { carrier } = scenes;
  const { webhook } = carrier.statuses;
  if (webhook === undefined) return { headers: {}, query: {} };
  const environment = environmentOf(carrier);
  return await signWebhook(
    { carrier, webhook, account, environment, webhookUrl: request.url, nowMs: nowMs() },
    request,
  );
};
