/** Where payloads come from: files, folders, and queries of what a server recorded. */
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { readJson } from '../engine/codecs/json.ts';
import { messageOf, type Place } from '../engine/failure.ts';
import type { Found, Payload } from '../workbench/replay/payload.ts';
import { parseQuery, type TrafficQuery } from '../workbench/replay/query.ts';
import { readSource, sizeOfSource } from '../workbench/replay/read-source.ts';
import { parseAs } from '../workbench/replay/recognise.ts';
import { storyOf } from '../workbench/replay/recorded-story.ts';
import type { TrafficExchange, TrafficPush } from '../platform/records/recorded-traffic.ts';
import { isOperation } from '../engine/profile/carrier.ts';
import { Misuse, type Terminal } from './command.ts';
import { startProgressBar } from './progress.ts';

/** Throws `Misuse` for what is not there, and a `Failure` for a query that is wrong. */
export const openTraffic = (
  sources: readonly string[],
  { as: kind }: { readonly as?: string | undefined },
  terminal: Terminal,
) => {
  const as = kind === undefined ? undefined : parseAs(kind);
  if (kind !== undefined && as === undefined) {
    throw new Misuse(`--as takes webhook or <operation>[/<step>], not "${kind}"`);
  }
  let done = 0;
  let total: number | undefined = 0;
  const opened = sources.map((source): string | TrafficQuery => {
    const query = parseQuery(source, Date.now());
    const path = resolve(terminal.cwd, source);
    const size = query === undefined ? sizeOfSource(path) : undefined;
    if (query === undefined && size === undefined) throw new Misuse(`there is no file or folder "${source}"`);
    total = total === undefined || size === undefined ? undefined : total + size;
    return query ?? path;
  });
  const onRead = (bytes: number): void => {
    done += bytes;
  };
  return {
    found: allOf(opened, { as, cwd: terminal.cwd, onRead }, terminal),
    /** How far it has been read, of `total`. */
    done: () => done,
    /** undefined: nobody knows before it is read. */
    total,
  };
};
type Traffic = ReturnType<typeof openTraffic>;

async function* allOf(
  sources: readonly (string | TrafficQuery)[],
  reading: Parameters<typeof readSource>[1],
  terminal: Terminal,
): AsyncGenerator<Found> {
  for (const source of sources) {
    if (typeof source === 'string') yield* readSource(source, reading);
    else yield* recordedTraffic(source, terminal);
  }
}

/** What the records of this home hold. */
async function* recordedTraffic(query: TrafficQuery, terminal: Terminal): AsyncGenerator<Found> {
  const { openRecordsOf } = await import('./records.ts');
  const { readDispatches, readExchanges, readOrders, readPushes } =
    await import('../platform/records/recorded-traffic.ts');
  const { pool, close } = await openRecordsOf(terminal);
  try {
    if (query.what === 'pushes') {
      for await (const push of readPushes(pool, query)) yield found(`push ${push.id}`, (place) => pushOf(push, place));
    } else if (query.what === 'orders') {
      for await (const { id, carrierCode: carrier, createdAtMs, order: body } of readOrders(pool, query))
        yield {
          payload: { kind: 'order', body, createdAtMs, place: { file: `order ${id}`, line: 0, column: 0 }, carrier },
        };
    } else if (query.what === 'exchanges') {
      for await (const exchange of readExchanges(pool, query)) {
        const payload = answerOf(exchange, { file: `exchange ${exchange.id}`, line: 0, column: 0 });
        if (payload !== undefined) yield { payload };
      }
    } else {
      for await (const dispatch of readDispatches(pool, query)) {
        const { id, carrierCode: carrier } = dispatch;
        const payloadAt = (place: Place) => ({
          kind: 'case' as const,
          caseFile: storyOf(dispatch, place),
          place,
          carrier,
        });
        yield found(`dispatch ${id}`, payloadAt);
      }
    }
  } finally {
    await close();
  }
}

const found = (name: string, payload: (place: Place) => Payload): Found => {
  const place = { file: name, line: 0, column: 0 };
  try {
    return { payload: payload(place) };
  } catch (thrown) {
    return { broken: { place, why: messageOf(thrown) } };
  }
};

const DEPTH_MAX = 100;

const pushOf = ({ carrierCode, source, request, body, receivedAtMs }: TrafficPush, place: Place): Payload => {
  const base = { place, carrier: carrierCode };
  if (source !== 'webhook') return { ...base, kind: 'push', body: readJson(body.toString(), DEPTH_MAX) };
  const url = URL.canParse(request.url) ? request.url : `https://waybill.example${request.url}`;
  return { ...base, kind: 'webhook', came: { ...request, url, body }, receivedAtMs };
};

/** undefined: there is no answer, or it is none that is kept (of logins), or one to an undo. */
const answerOf = (exchange: TrafficExchange, place: Place): Payload | undefined => {
  const { status, operation, step, responseHeaders, responseBody, carrierCode } = exchange;
  if (status === undefined || !isOperation(operation) || step.includes('~')) return undefined;
  const answer = { status, headers: responseHeaders, body: responseBody ?? Buffer.alloc(0) };
  return { kind: 'answer', target: { operation, step }, answer, place, carrier: carrierCode };
};

const TURN_MS = 50;

/** Takes payloads one after another until there are no more, `take` says that it is enough, or Ctrl-C; true: it was Ctrl-C. */
export const takeTraffic = async (
  traffic: Traffic,
  terminal: Terminal,
  take: (found: Found, count: number) => Promise<'go on' | 'enough'>,
): Promise<boolean> => {
  const progress = startProgressBar(terminal, Date.now);
  let isInterrupted = false;
  let count = 0;
  let turnMs = Date.now();
  terminal.onInterrupt(() => {
    isInterrupted = true;
  });
  try {
    for await (const found of traffic.found) {
      count += 1;
      const next = await take(found, count);
      // Mapping gives nobody else a turn, Ctrl-C neither.
      if (Date.now() - turnMs >= TURN_MS) {
        await setImmediate();
        turnMs = Date.now();
        progress.show(traffic.done(), traffic.total, count);
      }
      if (isInterrupted || next === 'enough') break;
    }
  } finally {
    progress.clear();
  }
  return isInterrupted;
};
