import type { Pool } from 'pg';
import { factsOf } from '../../../src/engine/dispatch/effects.ts';
import type { WebhookEvent } from '../../../src/engine/webhooks/event.ts';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import type { Carrier, EnvironmentName } from '../../../src/engine/profile/carrier.ts';
import { changeOfEffects } from '../../../src/platform/records/apply-effects.ts';
import { beginChange } from '../../../src/platform/records/change.ts';
import {
  type ConsignmentRecord,
  findConsignmentById,
  lockConsignment,
} from '../../../src/platform/records/consignments.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { createIntake, type IntakeDeps } from '../../../src/platform/records/process-push.ts';
import type { Processed } from '../../../src/platform/records/write-pushes.ts';
import { claimDuePushes, type NewPush, recordPush } from '../../../src/platform/records/pushes.ts';
import { recordChange } from '../../../src/platform/records/settle.ts';
import { exampleCarrier } from '../../engine/statuses/carrier.ts';
import { recordingLog } from '../../support/log.ts';
import { accept, type NewOrder, newOwner, pushOf } from './world.ts';

export const NOW = Date.UTC(2026, 4, 10, 12);

interface NewExample extends NewOrder {
  readonly reference?: string;
  /** Of each package; none: the carrier has not answered yet. */
  readonly trackingNumbers?: readonly string[];
}

type EventRow = Readonly<Record<'carrier_code' | 'match' | 'status' | 'warnings' | 'body', string>>;

/** A notice as its shipper gets it, and of which consignment and package it is. */
interface Told extends WebhookEvent {
  readonly consignmentId: number;
  readonly position: number | undefined;
}

/** A database with consignments in it, and what status intake told their shippers. */
export const statusWorld = (pool: () => Pool) => {
  const carriers = new Map<string, Carrier>([['example', exampleCarrier()]]);

  const log = recordingLog();
  const deps: Omit<IntakeDeps, 'pool'> = {
    log,
    carrierOf: (code) => carriers.get(code),
    eventsOf: () => Promise.resolve([]),
    nowMs: () => NOW,
    publicUrl: 'https://waybill.example.com',
    factsOf: (code) => factsOf(carriers.get(code)),
  };

  /** What was told of consignments, of each in order. */
  const told = async (): Promise<readonly Told[]> => {
    const { rows } = await pool().query<{ consignment_id: number; position: number | null; body: string }>(
      `select n.consignment_id, p.position, n.body from notices n
         left join packages p on p.consignment_id = n.consignment_id and p.reference = n.body::json ->> 'packageId'
       order by n.consignment_id, n.sequence`,
    );
    return rows.map(({ consignment_id: consignmentId, position, body }) => ({
      ...(JSON.parse(body) as WebhookEvent),
      consignmentId,
      position: position ?? undefined,
    }));
  };

  /** As the end of a create does it: the numbers, then what came before them. */
  const giveNumbers = (id: number, numbers: readonly string[], beforeCommit = () => Promise.resolve()): Promise<void> =>
    transaction(pool(), async (client) => {
      const consignment = await lockConsignment(client, id);
      const packages = numbers.map((trackingNumber, position) => ({ position, trackingNumber, memo: {} }));
      const effects = { dispatch: { state: 'done' }, acceptance: 'accepted', packages, notices: [] } as const;
      const change = changeOfEffects(beginChange(consignment!), { effects }, deps);
      await recordChange(client, change);
      await beforeCommit();
    });

  /** What the pump does when it is woken; later, as if so many seconds had gone by. */
  const resume = async ({ laterS = 0 } = {}): Promise<void> => {
    await pool().query(`update pushes set due_at = due_at - $1 * interval '1 second'`, [laterS]);
    await pool().query(`update events set received_at = received_at - $1 * interval '1 second'`, [laterS]);
    for (const push of await claimDuePushes(pool(), 1_000)) await intake().resume(push);
  };

  const consignmentWith = async ({
    reference = 'R1',
    trackingNumbers = [],
    ...wish
  }: NewExample = {}): Promise<number> => {
    const { carrierCode = 'example', packages = 1 } = wish;
    const count = Math.max(packages, trackingNumbers.length);
    const order = { ...wish, carrierCode, referenceNumber: reference, packages: count };
    const { consignmentId } = await accept(pool(), order);
    if (trackingNumbers.length > 0) {
      await giveNumbers(consignmentId, trackingNumbers);
      await resume();
    }
    return consignmentId;
  };

  const push = (body: unknown, more: Partial<NewPush> = {}): Promise<number> =>
    recordPush(pool(), { ...pushOf('example', body, NOW), ...more });

  /** As another process has it. */
  const intake = (more: Partial<IntakeDeps> = {}) => createIntake({ ...deps, pool: pool(), ...more });
  const process = (id: number): Promise<Processed> => intake().process(id);

  return {
    told,
    carriers,
    deps,
    consignmentWith,
    giveNumbers,
    push,
    intake,
    process,
    resume,
    log,
    say: async (body: unknown, more: Partial<NewPush> = {}): Promise<Processed> =>
      await process(await push(body, more)),
    get: async (id: number): Promise<ConsignmentRecord> => (await findConsignmentById(pool(), id))!,
    account: async (carrierCode = 'example', environment: EnvironmentName = 'production'): Promise<number> => {
      const { shipperId } = await newOwner(pool(), 'example');
      const { rows } = await pool().query<{ id: number }>(
        `insert into accounts (shipper_id, carrier_code, environment, credentials, settings)
         values ($1, $2, $3, '', '{}') returning id`,
        [shipperId, carrierCode, environment],
      );
      return rows[0]!.id;
    },
    events: async () => (await pool().query<EventRow>('select * from events order by id')).rows,
    count: async (table: string): Promise<number> =>
      (await pool().query<{ n: number }>(`select count(*) as n from ${table}`)).rows[0]!.n,
    /** What was told so far is of no interest. */
    forgetTold: async (): Promise<void> => void (await pool().query('delete from notices')),
    /** As when nobody knows what became of the create. */
    holdCreate: async (id: number): Promise<void> => {
      const failure = JSON.stringify({ why: 'unknown_outcome', problem: { code: 'timeout', messages: [] } });
      const held = `update dispatches set state = 'held', failure = $2 where consignment_id = $1`;
      await pool().query(held, [id, failure]);
    },
    /** Between tests: no pushes, events or consignments. */
    empty: async (): Promise<void> => {
      await pool().query('truncate events, pushes, consignments, accounts restart identity cascade');
      carriers.clear();
      carriers.set('example', exampleCarrier());
    },
  };
};

/** An event of the contract, `at` a time of May 1, 2026. */
export const saying = (value: string, code: string, at: string, more: StatusUpdate = {}): StatusUpdate => ({
  value,
  carrierStatusCode: code,
  statusReceivedAt: `2026-05-01 ${at}`,
  ...more,
});
