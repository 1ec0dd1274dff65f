/** The carriers' side in a process of its own: `carriers.ts <options>` sends its URL. Logs each request before it answers. */
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { tellUrl } from './listen.ts';
import { Random } from '../../support/random.ts';
import { call } from '../world/call.ts';
import { openJournal } from '../world/journal.ts';
import { CARRIERS, type Kind } from '../world/profiles.ts';
import { answerTo, type ContractOrder, PUSHED, REFUSED, trackingNumberOf } from '../order.ts';

export interface CarriersOptions {
  readonly journal: string;
  readonly seed: number;
  /** Of requests, how many get an answer that says nothing, or none. */
  readonly faults: number;
  /** How long the carriers wait for an answer to a status: longer than anybody may keep them waiting. */
  readonly giveUpMs: number;
}

/** What a request was, and what the carrier made of it. */
export interface CarrierRequest {
  readonly what: 'request';
  readonly atMs: number;
  readonly carrier: string;
  readonly action: string;
  readonly reference: string;
  readonly bodyHash: string;
  readonly authorization: string;
  /** Of the URL. */
  readonly key?: string | undefined;
  /** The carrier did something that it had not done before. */
  readonly effect: boolean;
  /** Whoever asked cannot know what became of it. */
  readonly ambiguous: boolean;
}

/** A status update that the carrier sent; it is repeated until it is answered. */
export interface CarrierPush {
  readonly what: 'push';
  readonly atMs: number;
  readonly id: string;
  readonly reference: string;
  /** 0: no answer came. */
  readonly status: number;
  readonly ms: number;
}
export type CarrierEntry = CarrierRequest | CarrierPush;

/** Sent to the process once there is somebody to push to. */
export interface PushTo {
  readonly urls: readonly string[];
  readonly tokens: Readonly<Record<string, string>>;
}

type Fault = 'busy' | 'lost' | 'broken' | 'reset' | 'gibberish' | undefined;
const FAULTS: readonly Fault[] = ['busy', 'lost', 'broken', 'reset', 'gibberish'];
const SLOW_MS = 1_500;
const STATUSES = ['IN_TRANSIT', 'OUT_FOR_DELIVERY', 'DELIVERED'];

const options = JSON.parse(process.argv[2] ?? '{}') as CarriersOptions;
const journal = openJournal<CarrierEntry>(options.journal);
const kinds = new Map<string, Kind>(CARRIERS.map(({ code, kind }) => [code, kind]));
/** By carrier, reference and action: what was asked. */
const done = new Map<string, Set<string>>();
const asked = new Map<string, number>();
let pushTo: PushTo | undefined;
process.on('message', (message: PushTo) => {
  pushTo = message;
});

const randomFor = (text: string): Random =>
  new Random(createHash('sha256').update(`${options.seed}/${text}`).digest().readInt32LE());

const answer = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
};

/** Does what is asked, unless it was done and the carrier knows it again. Yields whether it was done now. */
const act = (kind: Kind, key: string, bodyHash: string, action: string): boolean => {
  const before = done.get(key) ?? new Set();
  const forgets = kind === 'none' || (kind === 'lookup' && action === 'CREATE');
  const isKnown = action === 'UPDATE' ? before.has(bodyHash) : before.size > 0 && !forgets;
  done.set(key, before.add(bodyHash));
  return !isKnown;
};

const handle = async (
  carrier: string,
  bytes: Buffer,
  shown: Pick<CarrierRequest, 'authorization' | 'key'>,
  response: ServerResponse,
): Promise<void> => {
  const kind = kinds.get(carrier) ?? 'reference';
  const order = JSON.parse(bytes.toString()) as ContractOrder;
  const { referenceId: reference, typeOfAction: action } = order;
  const key = `${carrier}/${reference}/${action}`;
  const nth = (asked.get(key) ?? 0) + 1;
  asked.set(key, nth);
  const random = randomFor(`${key}/${nth}`);
  const fault = random.chance(options.faults) ? random.pick(FAULTS) : undefined;
  const bodyHash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const isRefused = action === 'CREATE' && reference.endsWith(REFUSED);
  const isDone = !isRefused && fault !== 'busy' && fault !== 'lost';
  const effect = isDone && act(kind, key, bodyHash, action);
  const ambiguous = fault !== undefined && fault !== 'busy';
  const atMs = Date.now();
  journal({ what: 'request', atMs, carrier, action, reference, bodyHash, ...shown, effect, ambiguous });
  if (effect && action === 'CREATE' && reference.endsWith(PUSHED)) void push(carrier, order, random);
  if (kind === 'slow') await sleep(SLOW_MS);
  switch (fault) {
    case 'busy':
      return answer(response, 429, '{"errors":["too many requests"]}');
    case 'lost':
    case 'reset':
      response.destroy();
      return;
    case 'broken':
      return answer(response, 502, '<html>bad gateway</html>');
    case 'gibberish':
      return answer(response, 200, '{"status": 200, "itemsTrack');
    case undefined:
      break;
  }
  if (isRefused)
    return answer(response, 400, JSON.stringify({ status: 400, referenceId: reference, errors: ['no such place'] }));
  answer(response, 200, JSON.stringify(answerTo(order)));
};

/** Was it created? */
const lookUp = (carrier: string, reference: string, authorization: string, response: ServerResponse): void => {
  const entry = { carrier, action: 'LOOKUP', reference, bodyHash: '', authorization, effect: false, ambiguous: false };
  journal({ what: 'request', atMs: Date.now(), ...entry });
  if (!done.has(`${carrier}/${reference}/CREATE`)) return answer(response, 404, '{}');
  const itemsTrackDetails = [{ itemReferenceNumber: 'PKG-1', trackingNumber: trackingNumberOf(reference) }];
  answer(response, 200, JSON.stringify({ itemsTrackDetails }));
};

/** One to three events, some of them sent twice, each until it is answered. */
const push = async (carrier: string, { referenceId, orderNumber }: ContractOrder, random: Random): Promise<void> => {
  const events = STATUSES.slice(0, 1 + random.below(STATUSES.length));
  const sends = events.flatMap((status, index) => {
    const id = `${referenceId}/${status}`;
    const time = `2026-05-0${index + 1} 10:00:00`;
    return Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => ({ id, status, time }));
  });
  await sleep(random.below(1_500));
  for (const { id, status, time } of sends) {
    const body = {
      orderNo: orderNumber,
      type: 'Tracking',
      value: trackingNumberOf(referenceId),
      carrierStatus: status,
      carrierStatusCode: status,
      carrierStatusDescription: status,
      statusReceivedAt: time,
      eventTimezone: 'UTC',
      extraInfo: { comments: id },
    };
    for (let tries = 0; ; tries += 1) {
      const beganMs = performance.now();
      const answered = await pushOnce(carrier, body, random);
      const ms = Math.round(performance.now() - beganMs);
      journal({ what: 'push', atMs: Date.now(), id, reference: referenceId, status: answered, ms });
      if (answered === 200 || (answered >= 400 && answered < 500 && answered !== 429)) break;
      await sleep(Math.min(2_000, 200 * (tries + 1)));
    }
  }
};

const pushOnce = async (carrier: string, body: unknown, random: Random): Promise<number> => {
  if (pushTo === undefined) return 0;
  const url = `${random.pick(pushTo.urls)}/v2/carriers/${carrier}/statuses`;
  const token = pushTo.tokens[carrier] ?? '';
  return (await call({ method: 'POST', url, token, body, timeoutMs: options.giveUpMs })).status;
};

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://carrier.example');
  const carrier = url.pathname.slice(1);
  const authorization = request.headers.authorization ?? '';
  const take = (bytes: Buffer): void => {
    if (request.method === 'GET')
      return lookUp(carrier, url.searchParams.get('reference') ?? '', authorization, response);
    const shown = { authorization, key: url.searchParams.get('key') ?? undefined };
    void handle(carrier, bytes, shown, response);
  };
  buffer(request).then(take, () => undefined);
});
await tellUrl(server);
