import type { Pool } from 'pg';
import { answer, carrierOf } from '../../engine/dispatch/world.ts';
import { effectsOf, factsOf, NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { createCarrierLimits, createConcurrencyLimiter } from '../../../src/engine/dispatch/limits.ts';
import { performDispatch, type Performed, type Performing } from '../../../src/engine/dispatch/perform.ts';
import type { Carrier, OperationName } from '../../../src/engine/profile/carrier.ts';
import { acceptRetry } from '../../../src/platform/records/accept-change.ts';
import type { DispatchStore } from '../../../src/platform/records/conclude.ts';
import { addDispatch, createDispatches } from '../../../src/platform/records/dispatches.ts';
import { saveAccount } from '../../../src/platform/records/accounts.ts';
import { createCarrierTokens } from '../../../src/platform/records/carrier-tokens.ts';
import { recordExchange } from '../../../src/platform/records/exchanges.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { createIntake } from '../../../src/platform/records/process-push.ts';
import type { Processed } from '../../../src/platform/records/write-pushes.ts';
import { claimDuePushes } from '../../../src/platform/records/pushes.ts';
import type { ChangeContext } from '../../../src/platform/records/change.ts';
import type { WireOutcome, WireRequest } from '../../../src/engine/transport/wire.ts';
import { fakeClock } from '../../support/clock.ts';
import { recordingLog } from '../../support/log.ts';
import { ageLeases } from '../../support/leases.ts';
import { accept, newOwner, pushOf, sealer } from './world.ts';

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
/** Makes a call for each package. */
export const each = carrierOf(
  profile
    .replace('post: /orders', 'forEach: consignment.itemList\n    post: /orders')
    .replace(/result: \|\n.*\n/, `result: '{ "itemsTrackDetails": steps.create.{ "trackingNumber": body.number } }'\n`),
);
export const done = answer(201, { number: 'T1' });

export const heldFor = (why: 'fail' | 'unknown_outcome'): RunOutcome => ({
  kind: 'held',
  why,
  problem: { code: why, messages: ['no luck'] },
});
export const made = (trackingNumber: string): RunOutcome => ({
  kind: 'done',
  result: { packages: [{ itemReferenceNumber: 'P1', trackingNumber, memo: {} }], memo: {}, warnings: [] },
  answers: {},
});

type Dispatches = ReturnType<typeof createDispatches>;

export const claimOf = async (dispatches: Dispatches, dispatchId: number) => {
  const [claim] = await dispatches.claim([dispatchId]);
  if (claim === undefined) throw new Error('not claimed');
  return claim;
};
/** Ends a dispatch as a worker does whose calls came to this. */
export const conclude = async (dispatches: Dispatches, dispatchId: number, outcome: RunOutcome): Promise<void> => {
  const claim = await claimOf(dispatches, dispatchId);
  await dispatches.conclude(claim, effectsOf(claim.operation, outcome, NO_FACTS));
};

type Reply = WireOutcome | ((request: WireRequest) => WireOutcome | Promise<WireOutcome>);

interface DispatchRow {
  readonly state: string;
  readonly attempt: number;
  readonly failure: string | null;
  readonly result: string | null;
  readonly lease: string | null;
  readonly due_at: Date;
  readonly away_since: Date | null;
}

interface CallRow {
  readonly step: string;
  readonly element: number;
  readonly attempt: number;
  readonly state: string;
  readonly answer: Buffer | null;
}

/** Real records and the engine that works on them, against a carrier whose replies are scripted. */
export const dispatchWorld = (pool: () => Pool) => {
  const clock = fakeClock('2026-05-01T09:00:00Z');
  const sent: WireRequest[] = [];
  const script: Reply[] = [];
  const defects: unknown[] = [];
  const accounts = new Map<string, number>();
  const carriers = new Map<string, Carrier>();

  const context: ChangeContext = {
    publicUrl: 'https://waybill.example.com',
    nowMs: clock.now,
    factsOf: (code) => factsOf(carriers.get(code)),
  };
  const intake = () =>
    createIntake({
      ...context,
      pool: pool(),
      log: recordingLog(),
      carrierOf: (code) => carriers.get(code),
      eventsOf: () => Promise.resolve([]),
    });
  /** As the pump does it. */
  const resume = async (): Promise<void> => {
    for (const push of await claimDuePushes(pool(), 1_000)) await intake().resume(push);
  };
  const storeOn = (on: Pool): DispatchStore => ({ ...context, pool: on, sealer });

  const account = async (carrierCode: string, credentials: Readonly<Record<string, unknown>>): Promise<number> => {
    const key = { ...(await newOwner(pool(), 'example')), carrierCode };
    const id = await saveAccount(pool(), sealer, key, { credentials, settings: {} });
    accounts.set(carrierCode, id);
    return id;
  };

  /** A worker of its own, as another process would have it. */
  const worker = (carrier: Carrier, on: Pool = pool(), sealedBy = sealer) => {
    const dispatches = createDispatches({ ...storeOn(on), sealer: sealedBy });
    const performing: Performing & { carrierVersion: Performing['carrierVersion'] } = {
      dispatches,
      tokens: createCarrierTokens(on, sealedBy, clock.now),
      carrierLimits: createCarrierLimits(clock.now, () => 0),
      limiter: createConcurrencyLimiter(32, clock.now, () => 0),
      send: async (request) => {
        sent.push(request);
        const reply = script.shift();
        if (reply === undefined) throw new Error(`an unexpected request: ${request.method} ${request.url}`);
        return typeof reply === 'function' ? await reply(request) : reply;
      },
      nowMs: clock.now,
      random: () => 0,
      carrierVersion: () => Promise.resolve(carrier),
      noteLeft: ({ accountId }) => dispatches.leaveToOthers(accountId ?? 0),
      noteDefect: (_claim, thrown) => void defects.push(thrown),
      noteExchange: (claim) => (exchange) => recordExchange(on, claim, exchange),
    };
    const perform = async (id: number): Promise<Performed | 'not_ours'> => {
      const [claim] = await dispatches.claim([id]);
      return claim === undefined ? 'not_ours' : await performDispatch(claim, performing);
    };
    return { dispatches, performing, perform };
  };

  return {
    clock,
    sent,
    script,
    defects,
    context,
    storeOn,
    worker,

    /** What a carrier pushes, taken in, and what came before it looked at again. */
    say: async (carrierCode: string, body: unknown): Promise<Processed> => {
      const processed = await intake().take(pushOf(carrierCode, body, clock.now()));
      if (processed.kind === 'recorded') throw new Error('it was only recorded');
      await resume();
      return processed;
    },
    resume,

    account,

    /** A consignment of `packages` packages whose create is to be dispatched. */
    accept: async (carrier: Carrier, packages = 1) => {
      const { code, hash } = carrier;
      carriers.set(code, carrier);
      return await accept(pool(), { carrierCode: code, profileHash: hash, accountId: accounts.get(code), packages });
    },

    add: async ({ code, hash }: Carrier, consignmentId: number, operation: OperationName): Promise<number> => {
      const inputs = { consignment: {}, shipment: { trackingNumber: 'T1', memo: {}, packages: [] } };
      const consignment = { id: consignmentId, accountId: accounts.get(code) };
      const dispatch = { operation, profileHash: hash, inputs };
      return await transaction(pool(), (client) => addDispatch(client, consignment, dispatch));
    },

    row: async (id: number): Promise<DispatchRow> => {
      const { rows } = await pool().query<DispatchRow>('select * from dispatches where id = $1', [id]);
      return rows[0]!;
    },

    calls: async (id: number): Promise<readonly CallRow[]> => {
      const query = 'select * from calls where dispatch_id = $1 order by step, element';
      return (await pool().query<CallRow>(query, [id])).rows;
    },

    /** What a shipper asks for after a look; yields the dispatch that goes on. */
    retryByHand: async (consignmentId: number, profileHash = carrier.hash): Promise<number> => {
      const retry = { consignmentId, profileHash, actor: 'shipper:example', claim: undefined };
      const again = await acceptRetry({ ...context, pool: pool() }, retry);
      if (again.kind !== 'accepted' || again.dispatchId === undefined) throw new Error(`refused: ${again.kind}`);
      return again.dispatchId;
    },

    leaseOver: () => ageLeases(pool(), 'dispatches', 600_000),

    /** Between tests: nothing is under way, nothing was sent, nothing is scripted, and acme has its account. */
    begin: async (): Promise<void> => {
      for (const list of [sent, script, defects]) list.length = 0;
      // Carriers here give the same numbers in each test.
      await pool().query(`update consignments set status = 'Order Delivered'`);
      await account('acme', { key: 'key-0123456789' });
    },
  };
};
