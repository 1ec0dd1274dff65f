import { randomBytes } from 'node:crypto';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { buildApi } from '../../../src/platform/api/api.ts';
import type { ApiDeps, ReceivedWebhook, Registered } from '../../../src/platform/api/deps.ts';
import { createLimits, type Limits } from '../../../src/platform/api/rate-limit.ts';
import { createFairSemaphore } from '../../../src/engine/fair-semaphore.ts';
import { effectsOf, NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import type { Accepted } from '../../../src/engine/consignment/answer.ts';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { createSealer } from '../../../src/platform/records/sealer.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import type { LabelRecord, ServedLabel } from '../../../src/engine/labels/serve.ts';
import { loadHome } from '../../../src/engine/profile/load.ts';
import type { IncomingRequest } from '../../../src/engine/statuses/carrier-webhook.ts';
import { createDispatches } from '../../../src/platform/records/dispatches.ts';
import { createRecordNotices } from '../../../src/platform/records/notices.ts';
import { keepProfileVersion } from '../../../src/platform/records/profiles.ts';
import { fakeClock } from '../../support/clock.ts';
import { freshDatabase } from '../../support/database.ts';
import { recordingLog } from '../../support/log.ts';

/** A carrier with every operation, one that can only create, and one that takes nothing but what the least order is. */
const PROFILES = {
  'carriers/acme.yaml': `
carrier: acme
name: Acme Parcels
environments: { production: { url: 'https://acme.example.com' }, sandbox: { url: 'https://sandbox.acme.example.com' } }
credentials: { token: { secret: true } }
settings: { depot: { pattern: '^[0-9]{3}$', default: '001' } }
services: { Express: { typeOfService: EXPRESS }, Standard: { typeOfService: STANDARD } }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
  update: { put: /orders, body: { json: consignment } }
  cancel: { post: /cancel, body: { json: consignment } }
statuses:
  webhook: { auth: none, allow: [127.0.0.0/8], events: request.body }
  table: { PICKED_UP: Order Picked Up, DELIVERED: Order Delivered }
`,
  'carriers/solo.yaml': `
carrier: solo
name: Solo Post
capabilities: { orders: [FORWARD], cod: false }
environments: { production: { url: 'https://solo.example.com' } }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
statuses: { table: { DELIVERED: Order Delivered } }
`,
};

export const ADMIN_TOKEN = `admin-${randomBytes(12).toString('hex')}`;
export const OLD_ADMIN_TOKEN = `old-admin-${randomBytes(12).toString('hex')}`;

/** How a faked carrier ends the next dispatches; nothing: they stay pending. */
export type Answering = (operation: string, consignment: Consignment) => RunOutcome | undefined;

export const done = (result?: unknown): RunOutcome => ({ kind: 'done', result, answers: {} });
export const rejected = (...messages: string[]): RunOutcome => ({
  kind: 'rejected',
  problem: { code: 'refused', messages },
});
export const held = (
  why: 'fail' | 'config_error' | 'unknown_outcome' | 'undo_failed',
  message = 'no luck',
): RunOutcome => ({
  kind: 'held',
  why,
  problem: { code: why, messages: [message] },
});

/** As a carrier that takes everything: a number for each package, labels on it when asked for. */
export const accepts =
  (labels = true): Answering =>
  (operation, consignment) =>
    operation === 'create'
      ? done({
          packages: consignment.itemList.map(({ itemReferenceNumber }) => ({
            itemReferenceNumber,
            trackingNumber: `T-${consignment.referenceId}-${itemReferenceNumber}`,
            memo: {},
            label: labels ? { content: Buffer.from('%PDF-1.4\nexample\n%%EOF\n') } : undefined,
          })),
          memo: {},
          warnings: [],
        } satisfies Accepted)
      : done();

const labelRecord = (failure?: string): LabelRecord => ({
  id: 'L',
  consignmentId: 1,
  position: undefined,
  state: 'pending',
  format: 'PDF',
  content: undefined,
  dueAtMs: undefined,
  failure,
});
export const readyLabel = (text: string) =>
  ({
    kind: 'ready',
    bytes: Buffer.from(text),
    contentType: 'application/pdf',
    format: 'PDF',
    record: labelRecord(),
  }) as const satisfies ServedLabel;
export const goneLabel = (why: 'failed' | 'revoked', failure?: string): ServedLabel => ({
  kind: 'gone',
  why,
  record: labelRecord(failure),
});
export const pendingLabel = (dueAtMs: number): ServedLabel => ({ kind: 'not_ready', dueAtMs, record: labelRecord() });

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
export type Called = LightMyRequestResponse & { readonly data: any };

interface State {
  answering: Answering;
  readonly served: Map<string, ServedLabel>;
  /** What became of webhooks of carriers, and what came. */
  receiving: ReceivedWebhook;
  readonly came: { carrierCode: string; account: string | undefined; came: IncomingRequest }[];
  /** What became of announcing our webhook, and for whom it was asked. */
  registered: Registered;
  readonly registering: { id: number; operation: string }[];
  /** What went out to webhooks. */
  readonly sent: unknown[];
  /** What was counted as refused. */
  readonly refused: string[];
}

const nothing = () => Promise.resolve();

/** The API on records of its own, with a carrier that answers as told and a clock that stands still. */
export const apiUnderTest = (
  overrides: Partial<ApiDeps> = {},
  {
    limits,
    profiles = {},
  }: {
    readonly limits?: (nowMs: () => number) => Limits;
    /** Further carriers, by their codes; a new shipper has accounts with them. */
    readonly profiles?: Readonly<Record<string, string>>;
  } = {},
) => {
  const database = freshDatabase();
  const clock = fakeClock('2026-05-01T09:00:00Z');
  const log = recordingLog();
  const extra = Object.fromEntries(Object.entries(profiles).map(([code, text]) => [`carriers/${code}.yaml`, text]));
  const sealer = createSealer(randomBytes(32).toString('base64'));
  const home = loadHome({ home: memoryFiles({ ...PROFILES, ...extra }), shipped: memoryFiles({}) });
  const state: State = {
    answering: accepts(),
    served: new Map(),
    sent: [],
    refused: [],
    receiving: { kind: 'unknown' },
    came: [],
    registered: { kind: 'unknown' },
    registering: [],
  };
  let app: FastifyInstance;

  const recordNotices = () => createRecordNotices({ publicUrl: 'https://waybill.example.com', nowMs: clock.now });

  const underWay = new Map<number, Promise<void>>();
  /** Performs what is due, as a worker would; who comes while it is performed waits for the same end. */
  const perform = async (dispatchId: number): Promise<void> => {
    const performing = underWay.get(dispatchId) ?? performOnce(dispatchId).finally(() => underWay.delete(dispatchId));
    underWay.set(dispatchId, performing);
    await performing;
  };
  const performOnce = async (dispatchId: number): Promise<void> => {
    const settle = { recordNotices: recordNotices(), onProof: nothing, onLabel: nothing };
    const dispatches = createDispatches({ pool: database.pool, sealer, nowMs: clock.now, settle });
    const claimed = await dispatches.claim(dispatchId);
    if (claimed === undefined) return;
    const outcome = state.answering(claimed.operation, claimed.inputs.consignment as Consignment);
    if (outcome === undefined) {
      await database.pool.query(`update dispatches set state = 'pending', lease = null where id = $1`, [dispatchId]);
      return;
    }
    await dispatches.conclude(claimed, effectsOf(claimed.operation, outcome, NO_FACTS));
  };

  beforeAll(async () => {
    if (home.findings.some(({ severity }) => severity === 'error')) throw new Error(JSON.stringify(home.findings));
    for (const { code, hash } of home.carriers.values()) await keepProfileVersion(database.pool, hash, code, '{}');
    app = buildApi({
      pool: database.pool,
      sealer,
      nowMs: clock.now,
      log,
      publicUrl: 'https://waybill.example.com',
      adminTokens: [ADMIN_TOKEN, OLD_ADMIN_TOKEN],
      createWaitMs: 1_000,
      answerWithinMs: 60_000,
      trustProxy: [],
      turns: createFairSemaphore({ atOnce: 40 }),
      turnWaitMs: 2_000,
      limits: limits?.(clock.now) ?? createLimits({ perMinute: 0, nowMs: clock.now }),
      carriers: {
        find: (code) => home.carriers.get(code),
        list: () => [...home.carriers.values()],
        findings: () => home.findings,
        reload: () => Promise.resolve(),
      },
      recordNotices: recordNotices(),
      onProof: nothing,
      onLabel: nothing,
      addressPolicy: { allowPrivateNetworks: false },
      send: (request) => {
        state.sent.push(request);
        return Promise.resolve({
          kind: 'answer',
          status: 200,
          headers: {},
          body: Buffer.alloc(0),
        } as never);
      },
      waitForDispatch: perform,
      nudge: () => undefined,
      serveLabel: (id) => Promise.resolve(state.served.get(id) ?? { kind: 'unknown' }),
      receiveWebhook: (carrierCode, account, came) => {
        state.came.push({ carrierCode, account, came });
        return Promise.resolve(state.receiving);
      },
      registerAccount: (id, operation) => {
        state.registering.push({ id, operation });
        return Promise.resolve(state.registered);
      },
      readiness: () => Promise.resolve({ ready: true, parts: { database: { ready: true } } }),
      metrics: () => Promise.resolve('waybill_up 1\n'),
      refused: (status, area) => state.refused.push(`${status} ${area}`),
      ...overrides,
    });
    await app.ready();
  });
  beforeEach(() => {
    state.answering = accepts();
  });
  afterAll(async () => {
    await app.close();
  });

  const call = async (options: InjectOptions & { readonly url: string }): Promise<Called> => {
    const response = await app.inject(options);
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return Object.assign(response, { data: isJson ? response.json() : undefined });
  };

  /** Calls the API with this token. */
  const as = (token: string) => {
    const send = async (
      method: 'GET' | 'POST' | 'PUT' | 'DELETE',
      url: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ) =>
      await call({
        method,
        url,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      });
    type Headers = Record<string, string>;
    return Object.assign(send, {
      create: async (body?: unknown, headers?: Headers) => await send('POST', '/v2/consignments', body, headers),
      update: async (body?: unknown, headers?: Headers) => await send('PUT', '/v2/consignments', body, headers),
      cancel: async (body?: unknown, headers?: Headers) => await send('POST', '/v2/consignments-cancel', body, headers),
      retry: async (reference: string) => await send('POST', `/v2/consignments/${reference}/dispatch`),
      /** The consignment as GET shows it. */
      read: async (reference: string) =>
        (await send('GET', `/v2/consignments?referenceNumber=${reference}`)).data.data[0],
    });
  };

  const admin = as(ADMIN_TOKEN);

  /** A shipper with accounts at both carriers; calls the API as that shipper. */
  const newShipper = async (code = `shipper-${randomBytes(4).toString('hex')}`) => {
    const { token } = (await admin('POST', '/admin/shippers', { code, name: 'Example Shop' })).data as {
      token: string;
    };
    await admin('PUT', '/admin/accounts', { shipper: code, carrier: 'acme', credentials: { token: 'secret-token' } });
    for (const carrier of ['solo', ...Object.keys(profiles)])
      await admin('PUT', '/admin/accounts', { shipper: code, carrier });
    return Object.assign(as(token), { code, token });
  };

  /** From now on no answer can be kept and no key given up, as when PostgreSQL goes; yields what ends that. */
  const loseAnswers = async (): Promise<() => Promise<void>> => {
    const { pool } = database;
    await pool.query(`create function away() returns trigger language plpgsql as $$ begin raise 'away'; end $$`);
    await pool.query('create trigger away before update on idempotency_keys execute function away()');
    return async () => {
      await pool.query('drop function away cascade');
    };
  };

  return { database, loseAnswers, clock, log, state, home, call, as, admin, newShipper, perform, app: () => app };
};
