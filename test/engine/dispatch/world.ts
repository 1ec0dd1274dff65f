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

export const refused: WireOutcome = { kind: 'not_sent', code: 'connection_refused', message: 'nobody listens' };
export const reset: WireOutcome = { kind: 'ambiguous', code: 'connection_reset', message: 'the connection was reset' };

type Reply = WireOutcome | ((request: WireRequest) => WireOutcome | Promise<WireOutcome>);

/** A world in which a carrier's replies are scripted in order, and time stands still until it is told to move. */
export const createWorld = (carrier: Carrier, replies: readonly Reply[]) => {
  const clock = fakeClock(Date.parse('2026-05-01T09:00:00Z'));
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
    carrierLimits: createCarrierLimits(clock.now, () => 0),
    noteExchange,
    send: async (request) => {
      sent.push(request);
      const reply = script.shift();
      if (reply === undefined) throw new Error(`an unexpected request: ${request.method} ${request.url}`);
      return typeof reply === 'function' ? await reply(request) : reply;
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
  const start = clock.now();
  const run = async (
    operation: OperationName,
    inputs: Inputs = { consignment },
    to: Partial<Run> = {},
    within: Ports = ports,
  ): Promise<RunOutcome> => {
    const found = carrier.operations[operation];
    if (found === undefined) throw new Error(`no operation ${operation}`);
    return await runOperation(
      {
        seed: 'seed-1',
        carrier,
        operation: found,
        environment: 'production',
        account: { id: 1, version: 1, credentials: { key: 'secret-key-1' }, settings: { account: '12' } },
        inputs,
        nowMs: start,
        ...to,
      },
      within,
    );
  };
  /** The same as a dispatch of its own, with nothing in its attemptLog. */
  const another: typeof run = async (operation, inputs, to) =>
    await run(operation, inputs, to, { ...ports, attemptLog: createMemoryLog(noteExchange) });
  /** Runs it so often, and says how each run ended, held ones with their reason. */
  const endings = async (times: number, operation: OperationName = 'create', inputs?: Inputs): Promise<string[]> => {
    const ended: string[] = [];
    for (let time = 0; time < times; time += 1) {
      const outcome = await run(operation, inputs);
      ended.push(outcome.kind === 'held' ? `held: ${outcome.why}` : outcome.kind);
    }
    return ended;
  };
  /** What was asked of the carrier: `POST /orders`. */
  const requests = (): string[] => sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
  const unused = (): number => script.length;
  return { clock, sent, exchanges, attemptLog, ports, run, another, endings, requests, consignment, unused };
};

/** The same from the text of a profile. */
export const worldOf = (profile: string, ...replies: readonly Reply[]): ReturnType<typeof createWorld> =>
  createWorld(carrierOf(profile), replies);

export const bodyOf = (request: WireRequest | undefined): unknown =>
  request?.body === undefined ? undefined : (JSON.parse(Buffer.from(request.body).toString()) as unknown);
