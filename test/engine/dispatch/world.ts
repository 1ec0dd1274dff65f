import { expect, it } from 'vitest';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import type { Carrier, OperationName } from '../../../src/engine/profile/carrier.ts';
import { createCarrierLimits } from '../../../src/engine/dispatch/limits.ts';
import { createMemoryLog } from '../../../src/engine/dispatch/attempt-log.ts';
import { createMemoryTokens } from '../../../src/engine/dispatch/token-store.ts';
import type { Exchange, Inputs, AttemptLog, Ports, Run, RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { runOperation } from '../../../src/engine/dispatch/operation.ts';
import type { WireOutcome, WireRequest } from '../../../src/engine/transport/wire.ts';
import { fakeClock } from '../../support/clock.ts';

/** A carrier from the text of its profile; throws with its findings when it does not load. */
export const carrierOf = (profile: string, mappings: Readonly<Record<string, string>> = {}): Carrier => {
  const code = /^carrier: (\S+)/m.exec(profile)?.[1] ?? '';
  const files = Object.fromEntries(Object.entries(mappings).map(([name, text]) => [`mappings/${code}/${name}`, text]));
  const loaded = loadCarrier(code, {
    home: memoryFiles({ [`carriers/${code}.yaml`]: profile, ...files }),
    shipped: memoryFiles({}),
  });
  if (loaded.carrier === undefined) throw new Error(JSON.stringify(loaded.findings, undefined, 1));
  return loaded.carrier;
};

/** A profile with what nearly all of these tests need; `operations` without their indentation. */
export const profileOf = (operations: string, more = 'credentials: { key: { secret: true } }'): string =>
  `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
settings: { account: { optional: true } }
memo: [orderId]
operations:
${operations.trimEnd().replaceAll(/^(?=.)/gm, '  ')}
${more}
`;

/** A create of one order, with further lines of its own, and further operations. */
export const single = (lines = '', more = ''): string =>
  profileOf(`create:
  ${lines.replaceAll('\n', '\n  ')}
  post: /orders
  body: { json: { ref: '\${consignment.referenceId}', account: '\${settings.account}' } }
  result: '{ "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }'
${more}`);
export const numbers = { numbers: ['T1', 'T2'] };

/** One order a package, undone when one is refused. */
export const each = (lines = '', more = '', forEach = 'consignment.itemList'): string =>
  profileOf(`create:
  ${lines.replaceAll('\n', '\n  ')}
  forEach: '${forEach}'
  post: '/\${item.itemReferenceNumber}'
  headers: { idempotency-key: '\${idempotencyKey}' }
  undo: { delete: '/\${response.body.id}' }
  result: |
    { "itemsTrackDetails": steps.create.{
        "itemReferenceNumber": item.itemReferenceNumber, "trackingNumber": body.number, "memo": { "orderId": body.id } } }
${more}`);
export const made = (id: string) => ({ id, number: `T-${id}` });

export const lookup = `lookup:
  get: /orders/\${consignment.referenceId}
  outcomes: [ { status: 404, do: succeed } ]
  result: 'response.status = 200 ? { "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }'
`;

export const answer = (
  status: number,
  json?: unknown,
  headers: Readonly<Record<string, string>> = {},
): WireOutcome => ({
  kind: 'answer',
  status,
  headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  body: Buffer.from(json === undefined ? '' : JSON.stringify(json)),
});
export const answerText = (status: number, text: string, contentType = 'text/plain'): WireOutcome =>
  ({ ...answer(status, undefined, { 'content-type': contentType }), body: Buffer.from(text) }) as WireOutcome;

export const refused: WireOutcome = { kind: 'not_sent', code: 'connection_refused', message: 'nobody listens' };
export const reset: WireOutcome = { kind: 'ambiguous', code: 'connection_reset', message: 'the connection was reset' };

/** A status alone, what a 200 holds, or anything else. */
export type Reply =
  | number
  | Readonly<Record<string, unknown>>
  | WireOutcome
  | ((request: WireRequest) => WireOutcome | Promise<WireOutcome>);

const wireOf = async (reply: Reply, request: WireRequest): Promise<WireOutcome> => {
  if (typeof reply === 'number') return answer(reply);
  if (typeof reply === 'function') return await reply(request);
  return 'kind' in reply ? (reply as WireOutcome) : answer(200, reply);
};

const START = Date.parse('2026-05-01T09:00:00Z');

/** A dispatch of this operation, by an account with a key. */
export const runOf = (carrier: Carrier, operation: OperationName, more: Partial<Run> = {}): Run => ({
  seed: 'seed-1',
  carrier,
  operation: carrier.operations[operation] ?? expect.fail(`no operation ${operation}`),
  environment: 'production',
  account: { id: 1, version: 1, credentials: { key: 'key-0123456789' }, settings: { account: '12' } },
  inputs: {},
  nowMs: START,
  ...more,
});

/** A world in which a carrier's replies are scripted in order, and time stands still until it is told to move. */
export const createWorld = (carrier: Carrier, replies: readonly Reply[]) => {
  const clock = fakeClock(START);
  const sent: WireRequest[] = [];
  const exchanges: Exchange[] = [];
  const script = [...replies];
  const noteExchange: Ports['noteExchange'] = (exchange) => {
    exchanges.push(exchange);
    return Promise.resolve();
  };
  const attemptLog: AttemptLog = createMemoryLog(noteExchange);
  const ports: Ports = {
    attemptLog,
    tokens: createMemoryTokens(clock.now),
    carrierLimits: createCarrierLimits(clock.now, () => 0, 0),
    noteExchange,
    send: async (request) => {
      sent.push(request);
      const reply = script.shift();
      if (reply === undefined) throw new Error(`an unexpected request: ${request.method} ${request.url}`);
      return await wireOf(reply, request);
    },
    nowMs: clock.now,
    random: () => 0,
  };
  const consignment = {
    referenceId: 'REF-1',
    orderNumber: 'ORD-1',
    carrierCode: carrier.code,
    itemList: [{ itemReferenceNumber: 'PKG-1' }, { itemReferenceNumber: 'PKG-2' }],
  };
  let awaySinceMs: number | undefined;
  const run = async (
    operation: OperationName,
    inputs: Inputs = { consignment },
    to: Partial<Run> = {},
    within: Ports = ports,
  ): Promise<RunOutcome> => {
    const outcome = await runOperation(runOf(carrier, operation, { inputs, awaySinceMs, ...to }), within);
    awaySinceMs = outcome.kind === 'waiting' ? outcome.awaySinceMs : undefined;
    return outcome;
  };
  /** The same as a dispatch of its own, with nothing in its attempt log. */
  const another: typeof run = async (operation, inputs, to) =>
    await run(operation, inputs, to, { ...ports, attemptLog: createMemoryLog(noteExchange) });
  /** Runs it so often, and says how each run ended, held ones with their reason. */
  const endings = async (times: number, operation: OperationName = 'create', inputs?: Inputs): Promise<string[]> => {
    const ended: string[] = [];
    for (let time = 0; time < times; time += 1) ended.push(endingOf(await run(operation, inputs)));
    return ended;
  };
  /** What was asked of the carrier: `POST /orders`. */
  const requests = (): string[] => sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
  const unused = (): number => script.length;
  return { clock, sent, exchanges, attemptLog, ports, run, another, endings, requests, consignment, unused };
};

export const endingOf = (outcome: RunOutcome): string =>
  outcome.kind === 'held' ? `held: ${outcome.why}` : outcome.kind;

/** The same from the text of a profile. */
export const worldOf = (profile: string, ...replies: readonly Reply[]): ReturnType<typeof createWorld> =>
  createWorld(carrierOf(profile), replies);

/** A create: how each of its runs ends, and what was asked of the carrier, by path where one is named. */
type Story = readonly [
  shows: string,
  profile: string,
  replies: readonly Reply[],
  endings: string,
  requests: string,
  last?: object,
];

/** What is sent again, as after an unknown outcome, is the same to the byte. */
const expectRepeatsAlike = (sent: readonly WireRequest[]): void => {
  const bodies = new Map<string, string | undefined>();
  for (const { method, url, body } of sent) {
    const [request, text] = [`${method} ${url}`, body && Buffer.from(body).toString('latin1')];
    if (bodies.has(request)) expect(text, request).toBe(bodies.get(request));
    bodies.set(request, text);
  }
};

export const tell = async ([, profile, replies, endings, requests, last = {}]: Story, to?: Partial<Run>) => {
  const world = worldOf(profile, ...replies);
  const outcomes: RunOutcome[] = [];
  for (const _ of endings.split(', ')) outcomes.push(await world.run('create', undefined, to));
  expect(outcomes.map(endingOf).join(', ')).toBe(endings);
  const sent = requests.includes('/') ? world.requests() : world.sent.map(({ method }) => method);
  expect(sent.join(', ')).toBe(requests);
  expectRepeatsAlike(world.sent);
  expect(world.unused()).toBe(0);
  expect(outcomes.at(-1)).toMatchObject(last);
  return world;
};

/** A test for each story; `%s` in the title is what it shows. */
export const stories = (title: string, rows: readonly Story[]): void =>
  it.each(rows.map((story) => [story[0], story] as const))(title, async (_, story) => void (await tell(story)));

export const bodyOf = (request: WireRequest | undefined): unknown =>
  request?.body === undefined ? undefined : (JSON.parse(Buffer.from(request.body).toString()) as unknown);
