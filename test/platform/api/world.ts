import { randomBytes } from 'node:crypto';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { createFairSemaphore } from '../../../src/engine/fair-semaphore.ts';
import { effectsOf, factsOf, NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import { createConcurrencyLimiter, UNLIMITED } from '../../../src/engine/dispatch/limits.ts';
import { performDispatch, type Performing } from '../../../src/engine/dispatch/perform.ts';
import { createMemoryTokens } from '../../../src/engine/dispatch/token-store.ts';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';
import { createFonts } from '../../../src/engine/labels/fonts.ts';
import type { ServedLabel } from '../../../src/engine/labels/serve.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadHome } from '../../../src/engine/profile/load.ts';
import type { IncomingRequest } from '../../../src/engine/statuses/carrier-webhook.ts';
import { buildApi } from '../../../src/platform/api/api.ts';
import type { ApiDeps, CheckedAccount, ReceivedWebhook, Registered } from '../../../src/platform/api/deps.ts';
import { createLimits } from '../../../src/platform/api/rate-limit.ts';
import { type BreakerState, setBreaker } from '../../../src/platform/limits/division.ts';
import { createDispatches } from '../../../src/platform/records/dispatches.ts';
import { createAlert } from '../../../src/platform/records/alert.ts';
import { createIntake, type PushIntake } from '../../../src/platform/records/process-push.ts';
import { keepProfileVersion } from '../../../src/platform/records/profiles.ts';
import { createSealer } from '../../../src/platform/records/sealer.ts';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { fakeClock } from '../../support/clock.ts';
import { freshDatabase } from '../../support/database.ts';
import { recordingLog } from '../../support/log.ts';
import { fakeCarrier, PROFILES } from './carrier.ts';

export const ADMIN_TOKEN = `admin-${randomBytes(12).toString('hex')}`;
export const OLD_ADMIN_TOKEN = `old-admin-${randomBytes(12).toString('hex')}`;
const PUBLIC_URL = 'https://waybill.example.com';
export const JSON_TYPE = { 'content-type': 'application/json' };
export const STAMP = expect.stringMatching(/^\w{3} \w{3} \d{2} \d{4} \d{2}:\d{2}:\d{2} GMT\+0000$/);

/** What a reply names of the one package of `order`, once the carrier has accepted it. */
export const TRACKED = {
  packageId: 'P1',
  trackingNumber: 'T-REF-1-P1',
  label: expect.stringMatching(/^https:\/\/waybill\.example\.com\/v2\/labels\/[\w-]{32}$/),
  carrierDetails: { name: 'Acme Parcels', code: 'acme', info: {} },
};
/** And of the whole. */
export const TRACKED_ENTRY = {
  referenceNumber: 'REF-1',
  orderNumber: 'ORD-1',
  consignmentNumber: 'CON-1',
  masterTrackingNumber: 'T-REF-1-P1',
  trackingDetails: [TRACKED],
  acceptance: 'accepted',
};

type Changes = Readonly<Record<string, unknown>>;
/** The least order with some of its paths changed. */
export const order = (changes: Changes = {}, referenceNumber = 'REF-1') =>
  changed(leastOrder(), {
    'consignmentDetails.referenceNumber': referenceNumber,
    'consignmentDetails.consignmentNumber': referenceNumber.replace('REF', 'CON'),
    ...changes,
  });

export const readyLabel = (text: string) =>
  ({ kind: 'ready', bytes: Buffer.from(text), contentType: 'application/pdf', format: 'PDF' }) as ServedLabel;

export type Headers = Readonly<Record<string, string>>;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export interface Reply {
  readonly status: number;
  readonly headers: LightMyRequestResponse['headers'];
  /** Read as JSON, where it is that. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
  readonly text: string;
  readonly bytes: Buffer;
}

// oxlint-disable-next-line typescript/no-explicit-any -- rows of every shape
type Row = any;
const nothing = () => Promise.resolve();
const noteDefect = (_claim: unknown, thrown: unknown) => expect.fail(String(thrown));

interface Options {
  /** By default there are none. */
  readonly limits?: Partial<Parameters<typeof createLimits>[0]>;
  /** Further carriers, by their codes; a new shipper has accounts with them. */
  readonly profiles?: Readonly<Record<string, string>>;
  /** By their names. */
  readonly policies?: Readonly<Record<string, string>>;
}

const cancelling = (references: readonly string[]) => ({
  consignments: references.map((referenceNumber) => ({ referenceNumber, remark: 'Example' })),
});

/** The API on records of its own, with a carrier that answers as told and a clock that stands still. */
export const apiWorld = (overrides: Partial<ApiDeps> = {}, { limits, profiles = {}, policies = {} }: Options = {}) => {
  const database = freshDatabase();
  const clock = fakeClock('2026-05-01T09:00:00Z');
  const log = recordingLog();
  const sealer = createSealer(randomBytes(32).toString('base64'));
  const files = Object.entries({ ...PROFILES, ...profiles }).map(([code, text]) => [`carriers/${code}.yaml`, text]);
  const chosenBy = Object.entries(policies).map(([name, text]) => [`carriers/policies/${name}.yaml`, text]);
  const home = loadHome({ home: memoryFiles(Object.fromEntries([...files, ...chosenBy])), shipped: memoryFiles({}) });
  const factsOfCode = (code: string) => {
    const { packagesPerCall, memo } = factsOf(home.carriers.get(code));
    return { ...NO_FACTS, packagesPerCall, ...(memo && { memo }) };
  };
  const changing = { publicUrl: PUBLIC_URL, nowMs: clock.now, factsOf: factsOfCode };
  const carriers: ApiDeps['carriers'] = {
    find: (code) => home.carriers.get(code),
    list: () => [...home.carriers.values()],
    policy: (name) => home.policies.get(name),
    findings: () => home.findings,
    reload: nothing,
  };
  let app: FastifyInstance;
  let intake: PushIntake;

  const state = {
    labels: new Map<string, ServedLabel>(),
    /** What becomes of carriers' webhooks, and which came. */
    receives: { kind: 'unknown' } as ReceivedWebhook,
    received: [] as { carrierCode: string; account: string | undefined; incoming: IncomingRequest }[],
    /** What becomes of announcing our webhook, and for whom it was asked. */
    registers: { kind: 'unknown' } as Registered,
    registered: [] as { id: number; operation: string }[],
    /** As all processes share them. */
    breakers: new Map<string, BreakerState>(),
    /** What comes of asking a carrier whether it takes credentials. */
    checks: undefined as CheckedAccount | undefined,
    /** Dispatches that were handed to whoever has room. */
    handedOn: [] as number[],
    /** What went out to shippers' webhooks. */
    sent: [] as { url: string; headers: Record<string, string>; body: Buffer }[],
    /** Where it is set, dispatches are performed by the engine, and this is their carriers. */
    wire: undefined as Performing['send'] | undefined,
    /** What was counted as refused. */
    refused: [] as string[],
  };

  const sql = async (text: string, values: unknown[] = []): Promise<Row[]> =>
    (await database.pool.query(text, values)).rows;
  /** The consignment that was accepted last, with its order and its canonical form read. */
  const stored = async (): Promise<Row> => {
    const [row] = await sql('select * from consignments order by id desc limit 1');
    return { ...row, order: JSON.parse(row.order_text), canonical: JSON.parse(row.canonical) };
  };

  /** As if a push had said so of its packages. */
  const reached = (status: string) =>
    sql('update packages set status = $1 where consignment_id = (select max(id) from consignments)', [status]);
  const carrier = fakeCarrier();
  const performOnce = async (dispatchId: number): Promise<void> => {
    const dispatches = createDispatches({ ...changing, pool: database.pool, sealer, alert: createAlert(log) });
    const [claimed] = await dispatches.claim([dispatchId]);
    if (claimed === undefined) return;
    if (state.wire !== undefined) {
      const carrierVersion = (code: string) => Promise.resolve(home.carriers.get(code) as Carrier);
      const ports = { dispatches, carrierVersion, send: state.wire, noteExchange: () => nothing };
      const free = { tokens: createMemoryTokens(clock.now), carrierLimits: UNLIMITED, random: () => 0 };
      const limiter = createConcurrencyLimiter(32, clock.now, () => 0);
      await performDispatch(claimed, {
        ...ports,
        ...free,
        limiter,
        nowMs: clock.now,
        noteLeft: noteDefect,
        noteDefect,
      });
      return;
    }
    const outcome = await carrier.perform(claimed.operation, claimed.inputs);
    if (outcome === undefined) {
      await sql(`update dispatches set state = 'pending', lease = null where id = $1`, [dispatchId]);
      return;
    }
    await dispatches.conclude(claimed, effectsOf(claimed.operation, outcome, NO_FACTS));
  };
  const underWay = new Map<number, Promise<void>>();
  /** As a worker would; who comes while it is performed waits for the same end. */
  const perform = async (dispatchId: number): Promise<void> => {
    const performing = underWay.get(dispatchId) ?? performOnce(dispatchId).finally(() => underWay.delete(dispatchId));
    underWay.set(dispatchId, performing);
    await performing;
  };
  /** Performs all that is due. */
  const work = async (): Promise<void> => {
    const due = `state = 'pending' or (state = 'waiting' and due_at <= $1) or (state = 'sending' and lease_until < now())`;
    const rows = await sql(`select id from dispatches where ${due} order by id`, [new Date(clock.now())]);
    for (const { id } of rows) await perform(id);
  };

  beforeAll(async () => {
    if (home.findings.some(({ severity }) => severity === 'error')) throw new Error(JSON.stringify(home.findings));
    for (const { code, hash } of home.carriers.values()) await keepProfileVersion(database.pool, hash, code, '{}');
    intake = createIntake({
      ...changing,
      pool: database.pool,
      log,
      alert: createAlert(log),
      carrierOf: (code) => home.carriers.get(code),
      eventsOf: () => Promise.resolve([]),
    });
    app = buildApi({
      pool: database.pool,
      ...changing,
      sealer,
      log,
      settings: [],
      intake,
      adminTokens: [ADMIN_TOKEN, OLD_ADMIN_TOKEN],
      createWaitMs: 1_000,
      answerWithinMs: 60_000,
      trustProxy: [],
      slotsHeld: 200,
      turns: createFairSemaphore({ atOnce: 40 }),
      turnWaitMs: 2_000,
      limits: createLimits({ perMinute: limits === undefined ? 0 : 60_000, nowMs: clock.now, ...limits }),
      carriers,
      addressPolicy: { allowPrivateNetworks: false },
      send: (request) => {
        state.sent.push(request as never);
        return Promise.resolve({ kind: 'answer', status: 200, headers: {}, body: Buffer.alloc(0) } as never);
      },
      waitForDispatch: async (dispatchId) => {
        await perform(dispatchId);
        return true;
      },
      handOn: (ids) => void state.handedOn.push(...ids),
      fonts: () => Promise.resolve(createFonts()),
      download: () => Promise.resolve({ kind: 'failed', code: 'label_refused', message: 'the label URL answered 404' }),
      serveLabel: (id) => Promise.resolve(state.labels.get(id) ?? { kind: 'unknown' }),
      receiveWebhook: (carrierCode, account, incoming) => {
        state.received.push({ carrierCode, account, incoming });
        return Promise.resolve(state.receives);
      },
      breakers: {
        breakers: () => Promise.resolve({ nowMs: clock.now(), states: state.breakers }),
        setBreaker: (party, openForMs) => {
          state.breakers.set(party, setBreaker(state.breakers.get(party), openForMs, clock.now()));
          return Promise.resolve();
        },
      },
      quote: () => Promise.resolve({ quoted: { offers: [] }, askedAtMs: clock.now() }),
      ask: () => Promise.resolve({ ok: false, why: 'fail', problem: { code: 'fail', messages: ['nobody is asked'] } }),
      checkAccount: () => Promise.resolve(state.checks),
      registerAccount: (id, operation) => {
        state.registered.push({ id, operation });
        return Promise.resolve(state.registers);
      },
      readiness: () => Promise.resolve({ ready: true, parts: { database: { ready: true } } }),
      metrics: (wholly) => Promise.resolve(`waybill_up 1\n${wholly === true ? 'waybill_shipper_dispatches 1\n' : ''}`),
      refused: (status, area) => state.refused.push(`${status} ${area}`),
      ...overrides,
    });
    await app.ready();
  });
  afterAll(async () => {
    await app.close();
  });

  const call = async (options: InjectOptions & { readonly url: string }): Promise<Reply> => {
    const { statusCode: status, headers, body: text, rawPayload: bytes } = await app.inject(options);
    const isJson = String(headers['content-type']).startsWith('application/json');
    return { status, headers, text, bytes, body: isJson ? JSON.parse(text) : undefined };
  };

  /** Calls the API with this token. */
  const as = (token: string | (() => Promise<string>)) => {
    const request = async (method: Method, url: string, body?: unknown, headers: Headers = {}): Promise<Reply> => {
      const authorization = `Bearer ${typeof token === 'string' ? token : await token()}`;
      const payload = body === undefined ? {} : { payload: body as object };
      return await call({ method, url, headers: { authorization, ...headers }, ...payload });
    };
    const by = (method: Method) => (url: string, body?: unknown, headers?: Headers) =>
      request(method, url, body, headers);
    const [get, post, put] = [by('GET'), by('POST'), by('PUT')];
    const update = (body: unknown, headers?: Headers) => put('/v2/consignments', body, headers);
    return {
      request,
      get,
      post,
      put,
      patch: by('PATCH'),
      delete: by('DELETE'),
      create: (body: unknown = order(), headers?: Headers) => post('/v2/consignments', body, headers),
      update,
      /** Updates fields of `consignmentDetails` of REF-1, and what else. */
      change: (fields: object = {}, rest: object = {}) =>
        update({ consignmentDetails: { referenceNumber: 'REF-1', ...fields }, ...rest }),
      cancel: (...references: string[]) =>
        post('/v2/consignments-cancel', cancelling(references.length === 0 ? ['REF-1'] : references)),
      retry: (reference = 'REF-1') => post(`/v2/consignments/${reference}/dispatch`),
      /** The consignment as GET shows it. */
      read: async (reference = 'REF-1') => (await get(`/v2/consignments?referenceNumber=${reference}`)).body.data[0],
    };
  };

  const admin = as(ADMIN_TOKEN);
  /** Issues a token: `shippers/x`, `carriers/acme`. */
  const issue = async (whose: string, body: object = {}): Promise<{ id: string; token: string }> =>
    (await admin.post(`/admin/${whose}/tokens`, body)).body;
  /** A shipper with accounts at all carriers; calls the API as that shipper. */
  const newShipper = async (code = `shipper-${randomBytes(4).toString('hex')}`) => {
    const { token } = (await admin.post('/admin/shippers', { code, name: 'Example Shop' })).body as { token: string };
    await admin.put('/admin/accounts', { shipper: code, carrier: 'acme', credentials: { token: 'secret-token' } });
    for (const carrier of ['solo', ...Object.keys(profiles)])
      await admin.put('/admin/accounts', { shipper: code, carrier });
    return { ...as(token), code, token };
  };
  let opened: ReturnType<typeof newShipper> | undefined;
  const opening = () => (opened ??= newShipper());
  /** A shipper of the test's own. */
  const shop = { ...as(async () => (await opening()).token), opened: opening };
  const renewShop = () => {
    opened = undefined;
  };

  beforeEach(() => {
    carrier.reset();
    state.sent = [];
    state.wire = undefined;
    renewShop();
  });

  /**
   * While this lasts no answer can be kept, as when PostgreSQL goes, nor noted, where wanted, that a request was cut
   * short; yields what ends it.
   */
  const loseAnswers = async ({ andNotes = false } = {}): Promise<() => Promise<unknown>> => {
    await sql(`create function away() returns trigger language plpgsql as $$ begin raise 'away'; end $$`);
    const lost = 'for each row when (new.status is not null)';
    await sql(`create trigger away before update on idempotency_keys ${lost} execute function away()`);
    if (andNotes) await sql(`create trigger away before insert on cut_short execute function away()`);
    return () => sql('drop function away cascade');
  };

  return {
    database,
    clock,
    log,
    state,
    carrier,
    sql,
    stored,
    reached,
    work,
    loseAnswers,
    call,
    as,
    admin,
    issue,
    newShipper,
    shop,
    renewShop,
    app: () => app,
    intake: () => intake,
    /** Of another process on the same records. */
    deps: () => ({ pool: database.pool, sealer, carriers, nowMs: clock.now, log, alert: createAlert(log) }),
  };
};
