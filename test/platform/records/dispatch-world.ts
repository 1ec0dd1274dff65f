import { answer, carrierOf } from '../../engine/dispatch/world.ts';
import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { factsOf } from '../../../src/engine/dispatch/effects.ts';
import { createCarrierLimits, createConcurrencyLimiter } from '../../../src/engine/dispatch/limits.ts';
import { performDispatch, type Performed } from '../../../src/engine/dispatch/perform.ts';
import type { TokenStore } from '../../../src/engine/dispatch/ports.ts';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { createSealer } from '../../../src/platform/records/sealer.ts';
import type { Carrier, OperationName } from '../../../src/engine/profile/carrier.ts';
import { acceptCreate } from '../../../src/platform/records/accept-create.ts';
import { acceptRetry } from '../../../src/platform/records/accept-change.ts';
import { addDispatch, createDispatches, type DispatchStore } from '../../../src/platform/records/dispatches.ts';
import { saveAccount } from '../../../src/platform/records/accounts.ts';
import { createCarrierTokens } from '../../../src/platform/records/carrier-tokens.ts';
import { recordExchange } from '../../../src/platform/records/exchanges.ts';
import { createRecordNotices } from '../../../src/platform/records/notices.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { keepProfileVersion } from '../../../src/platform/records/profiles.ts';
import { confirmCreated } from '../../../src/platform/records/held-dispatches.ts';
import { type Processed, processPush } from '../../../src/platform/records/process-push.ts';
import { recordPush } from '../../../src/platform/records/pushes.ts';
import type { SettleDeps } from '../../../src/platform/records/apply-events.ts';
import type { WireOutcome, WireRequest } from '../../../src/engine/transport/wire.ts';
import { fakeClock } from '../../support/clock.ts';
import { ageLeases } from '../../support/leases.ts';

export const sealer = createSealer(Buffer.alloc(32, 7).toString('base64'));

export const profile = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
credentials: { key: { secret: true } }
auth: { apiKey: { header: x-key, value: '\${credentials.key}' } }
memo: [link]
operations:
  create:
    post: /orders
    result: |
      { "itemsTrackDetails": { "trackingNumber": response.body.number, "memo": $prune({ "link": response.body.link }) } }
  cancel: { delete: '/orders/\${shipment.trackingNumber}', idempotency: none }
`;
export const carrier = carrierOf(profile);
export const each = carrierOf(
  profile
    .replace('post: /orders', 'forEach: consignment.itemList\n    post: /orders')
    .replace(/result: \|\n.*\n/, `result: '{ "itemsTrackDetails": steps.create.{ "trackingNumber": body.number } }'\n`),
);
export const done = answer(201, { number: 'T1' });

type Reply = WireOutcome | ((request: WireRequest) => WireOutcome | Promise<WireOutcome>);

/** Real records and the engine that works on them, against a carrier whose replies are scripted. */
export const dispatchWorld = (pool: () => Pool) => {
  const clock = fakeClock('2026-05-01T09:00:00Z');
  const sent: WireRequest[] = [];
  const script: Reply[] = [];
  const defects: unknown[] = [];
  const accounts = new Map<string, number>();

  const carriers = new Map<string, Carrier>();
  const settle: SettleDeps = {
    recordNotices: createRecordNotices({ publicUrl: 'https://waybill.example.com', nowMs: clock.now }),
    onProof: async (client, consignmentId, update) =>
      await confirmCreated(client, consignmentId, update, {
        settle,
        factsOf: (code) => factsOf(carriers.get(code)),
        nowMs: clock.now(),
      }),
    onLabel: () => Promise.resolve(),
  };

  const storeOn = (on: Pool): DispatchStore => ({ pool: on, sealer, nowMs: clock.now, settle });

  /** What a carrier pushes, taken in. */
  const say = async (carrierCode: string, body: unknown): Promise<Processed> => {
    const id = await recordPush(pool(), {
      carrierCode,
      source: 'contract',
      request: { method: 'POST', url: `/v2/carriers/${carrierCode}/statuses`, headers: {} },
      body: Buffer.from(JSON.stringify(body)),
      receivedAtMs: clock.now(),
    });
    return await processPush(pool(), id, {
      ...settle,
      carrierOf: (code) => carriers.get(code),
      eventsOf: () => Promise.resolve([]),
      nowMs: clock.now,
    });
  };

  const send = async (request: WireRequest): Promise<WireOutcome> => {
    sent.push(request);
    const reply = script.shift();
    if (reply === undefined) throw new Error(`an unexpected request: ${request.method} ${request.url}`);
    return typeof reply === 'function' ? await reply(request) : reply;
  };

  /** A worker of its own, as another process would have it. */
  const worker = (
    carrier: Carrier,
    on: Pool = pool(),
    tokens: TokenStore = createCarrierTokens(on, sealer, clock.now),
  ) => {
    const dispatches = createDispatches(storeOn(on));
    const performing = {
      dispatches,
      tokens,
      carrierLimits: createCarrierLimits(clock.now, () => 0),
      limiter: createConcurrencyLimiter(32, clock.now, () => 0),
      send,
      nowMs: clock.now,
      random: () => 0,
      carrierVersion: () => Promise.resolve(carrier),
      noteDefect: (_claim: unknown, thrown: unknown) => defects.push(thrown),
      noteExchange:
        (claim: Parameters<typeof recordExchange>[1]) => async (exchange: Parameters<typeof recordExchange>[2]) =>
          await recordExchange(on, claim, exchange),
    };
    return {
      dispatches,
      performing,
      perform: async (id: number): Promise<Performed> => await performDispatch(id, performing),
    };
  };

  const shipper = async (): Promise<number> => {
    const { rows } = await pool().query<{ id: number }>(
      `insert into shippers (code, name) values ('example', 'Example') on conflict (code) do update set name = 'Example' returning id`,
    );
    return rows[0]!.id;
  };

  const account = async (carrierCode: string, credentials: Readonly<Record<string, unknown>>): Promise<number> => {
    const key = { shipperId: await shipper(), carrierCode, environment: 'production' } as const;
    const id = await saveAccount(pool(), sealer, key, { credentials, settings: {} });
    accounts.set(carrierCode, id);
    return id;
  };

  /** A consignment of `packages` packages whose create is to be dispatched. */
  const accept = async (carrier: Carrier, packages = 1, reference: string = randomUUID()) => {
    await keepProfileVersion(pool(), carrier.hash, carrier.code, '{}');
    carriers.set(carrier.code, carrier);
    const accepted = await acceptCreate(pool(), {
      shipperId: await shipper(),
      environment: 'production',
      orderTypes: ['FORWARD'],
      carrierCode: carrier.code,
      accountId: accounts.get(carrier.code),
      profileHash: carrier.hash,
      orderText: '{}',
      referenceNumber: reference,
      consignment: {
        referenceId: reference,
        orderNumber: 'O-1',
        consignmentNumber: `C-${reference}`,
        typeOfOrder: 'FORWARD',
        typeOfAction: 'CREATE',
        itemList: Array.from({ length: packages }, (_, at) => ({ itemReferenceNumber: `P${at + 1}` })),
      } as unknown as Consignment,
      service: undefined,
    });
    if (accepted.kind !== 'accepted') throw new Error(`${reference} is taken`);
    return { ...accepted, reference };
  };

  const add = async (carrier: Carrier, consignmentId: number, operation: OperationName): Promise<number> =>
    await transaction(
      pool(),
      async (client) =>
        await addDispatch(
          client,
          { id: consignmentId, accountId: accounts.get(carrier.code) },
          {
            operation,
            profileHash: carrier.hash,
            inputs: { consignment: {}, shipment: { trackingNumber: 'T1', memo: {}, packages: [] } },
          },
        ),
    );

  const row = async (id: number) => {
    const { rows } = await pool().query<{
      state: string;
      attempt: number;
      failure: string | null;
      result: string | null;
      lease: string | null;
      due_at: Date;
    }>('select state, attempt, failure, result, lease, due_at from dispatches where id = $1', [id]);
    return rows[0]!;
  };

  const calls = async (id: number) => {
    const { rows } = await pool().query<{
      step: string;
      element: number;
      attempt: number;
      state: string;
      answer: Buffer | null;
    }>('select step, element, attempt, state, answer from calls where dispatch_id = $1 order by step, element', [id]);
    return rows;
  };

  /** What a shipper asks for after a look; yields the dispatch that goes on. */
  const retryByHand = async (consignmentId: number): Promise<number> => {
    const retry = { consignmentId, profileHash: carrier.hash, actor: 'shipper:example', claim: undefined };
    const { settle, ...store } = storeOn(pool());
    const again = await acceptRetry({ ...store, ...settle }, retry);
    if (again.kind !== 'accepted' || again.dispatchId === undefined) throw new Error(`refused: ${again.kind}`);
    return again.dispatchId;
  };

  const leaseOver = async (): Promise<void> => await ageLeases(pool(), 'dispatches', 600_000);

  return {
    clock,
    sent,
    script,
    defects,
    carriers,
    settle,
    storeOn,
    say,
    worker,
    account,
    accept,
    add,
    row,
    calls,
    leaseOver,
    retryByHand,
  };
};
