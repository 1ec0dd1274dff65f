import type { Pool } from 'pg';
import type { NoticeDraft } from '../../../src/engine/webhooks/event.ts';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import type { Carrier, EnvironmentName } from '../../../src/engine/profile/carrier.ts';
import { writeIdentifiers } from '../../../src/platform/records/identifiers.ts';
import { type ConsignmentRecord, findConsignmentById } from '../../../src/platform/records/consignments.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { type ProcessDeps, type Processed, processPush } from '../../../src/platform/records/process-push.ts';
import { type NewPush, recordPush } from '../../../src/platform/records/pushes.ts';
import { rematch } from '../../../src/platform/records/reread-events.ts';
import { exampleCarrier } from '../../engine/statuses/carrier.ts';
import { accept, type NewOrder, newOwner, pushOf } from './world.ts';

export const NOW = Date.UTC(2026, 4, 10, 12);

interface NewExample extends NewOrder {
  readonly reference?: string;
  /** Of each package; none: the carrier has not answered yet. */
  readonly trackingNumbers?: readonly string[];
}

type EventRow = Readonly<Record<'carrier_code' | 'match' | 'status' | 'warnings' | 'body', string>>;

/** A database with consignments in it, and what status intake told others. */
export const statusWorld = (pool: () => Pool) => {
  const told: (NoticeDraft & { readonly consignmentId: number })[] = [];
  const proved: number[] = [];
  const labels: { consignmentId: number; position: number | undefined; label: unknown }[] = [];
  const carriers = new Map<string, Carrier>([['example', exampleCarrier()]]);

  const deps: ProcessDeps = {
    carrierOf: (code) => carriers.get(code),
    eventsOf: () => Promise.resolve([]),
    nowMs: () => NOW,
    recordNotices: async (_, consignmentId, drafts) =>
      void told.push(...drafts.map((draft) => ({ ...draft, consignmentId }))),
    onProof: async (_, consignmentId) => void proved.push(consignmentId),
    onLabel: async (_, consignmentId, position, label) => void labels.push({ consignmentId, position, label }),
  };

  /** As the end of a create does it: the numbers, then what came before them. */
  const giveNumbers = (
    id: number,
    carrierCode: string,
    numbers: readonly string[],
    beforeCommit = () => Promise.resolve(),
  ): Promise<number> =>
    transaction(pool(), async (client) => {
      await client.query(`select id from consignments where id = $1 for update`, [id]);
      await client.query(
        `update packages set tracking_number = number from unnest($2::text[]) with ordinality as given (number, place)
         where consignment_id = $1 and position = place - 1`,
        [id, numbers],
      );
      await client.query(`update consignments set acceptance = 'accepted' where id = $1`, [id]);
      const identifiers = numbers.map((value, position) => ({ kind: 'Tracking', value, position }));
      await writeIdentifiers(client, carrierCode, id, identifiers);
      const found = await rematch(client, { carrierCode, consignmentId: id, identifiers }, deps);
      await beforeCommit();
      return found;
    });

  const consignmentWith = async ({
    reference = 'R1',
    trackingNumbers = [],
    ...wish
  }: NewExample = {}): Promise<number> => {
    const { carrierCode = 'example', packages = 1 } = wish;
    const count = Math.max(packages, trackingNumbers.length);
    const order = { ...wish, carrierCode, referenceNumber: reference, packages: count };
    const { consignmentId } = await accept(pool(), order);
    if (trackingNumbers.length > 0) await giveNumbers(consignmentId, carrierCode, trackingNumbers);
    return consignmentId;
  };

  const push = (body: unknown, more: Partial<NewPush> = {}): Promise<number> =>
    recordPush(pool(), { ...pushOf('example', body, NOW), ...more });

  const process = (id: number): Promise<Processed> => processPush(pool(), id, deps);

  return {
    told,
    proved,
    labels,
    carriers,
    deps,
    consignmentWith,
    giveNumbers,
    push,
    process,
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
    /** Between tests: no pushes, events or consignments. */
    empty: async (): Promise<void> => {
      await pool().query('truncate events, pushes, consignments, outbox, accounts restart identity cascade');
      for (const list of [told, proved, labels]) list.length = 0;
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
