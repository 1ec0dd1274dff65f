import type { Pool } from 'pg';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import type { NoticeDraft } from '../../../src/engine/webhooks/event.ts';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import type { Carrier, EnvironmentName } from '../../../src/engine/profile/carrier.ts';
import { acceptCreate } from '../../../src/platform/records/accept-create.ts';
import { type Identifier, writeIdentifiers } from '../../../src/platform/records/identifiers.ts';
import { type ConsignmentRecord, findConsignmentById } from '../../../src/platform/records/consignments.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { keepProfileVersion } from '../../../src/platform/records/profiles.ts';
import { type ProcessDeps, type Processed, processPush } from '../../../src/platform/records/process-push.ts';
import { type NewPush, recordPush } from '../../../src/platform/records/pushes.ts';
import { rematch } from '../../../src/platform/records/reread-events.ts';
import { exampleCarrier } from '../../engine/statuses/carrier.ts';

export const NOW = Date.UTC(2026, 4, 10, 12);

interface NewExample {
  readonly reference: string;
  readonly carrierCode?: string;
  readonly environment?: EnvironmentName;
  readonly accountId?: number;
  readonly orderNumber?: string;
  readonly packages?: number;
  /** Of each package; none: the carrier has not answered yet. */
  readonly trackingNumbers?: readonly string[];
}

/** A database with consignments in it, and what status intake told others. */
export const statusWorld = (pool: () => Pool) => {
  const told: (NoticeDraft & { readonly consignmentId: number })[] = [];
  const proved: number[] = [];
  const labels: { consignmentId: number; position: number | undefined; label: unknown }[] = [];
  const carriers = new Map<string, Carrier>([['example', exampleCarrier()]]);
  let shipperId: number | undefined;

  const deps: ProcessDeps = {
    carrierOf: (code) => carriers.get(code),
    eventsOf: () => Promise.resolve([]),
    nowMs: () => NOW,
    recordNotices: (_, consignmentId, drafts) => {
      told.push(...drafts.map((draft) => ({ ...draft, consignmentId })));
      return Promise.resolve();
    },
    onProof: (_, consignmentId) => {
      proved.push(consignmentId);
      return Promise.resolve();
    },
    onLabel: (_, consignmentId, position, label) => {
      labels.push({ consignmentId, position, label });
      return Promise.resolve();
    },
  };

  const shipper = async (): Promise<number> => {
    const { rows } = await pool().query<{ id: number }>(
      `insert into shippers (code, name) values ('example', 'Example') on conflict (code) do update set name = 'Example'
       returning id`,
    );
    shipperId ??= rows[0]!.id;
    return shipperId;
  };

  /** As the end of a create does it: the numbers, then what came before them. */
  const giveNumbers = async (
    id: number,
    carrierCode: string,
    numbers: readonly string[],
    beforeCommit: () => Promise<void> = () => Promise.resolve(),
  ): Promise<number> =>
    await transaction(pool(), async (client) => {
      await client.query(`select id from consignments where id = $1 for update`, [id]);
      await client.query(
        `update packages set tracking_number = number from unnest($2::text[]) with ordinality as given (number, place)
         where consignment_id = $1 and position = place - 1`,
        [id, numbers],
      );
      await client.query(`update consignments set acceptance = 'accepted' where id = $1`, [id]);
      const identifiers: (Identifier & { kind: string })[] = numbers.map((value, position) => ({
        kind: 'Tracking',
        value,
        position,
      }));
      await writeIdentifiers(client, carrierCode, id, identifiers);
      const found = await rematch(client, { carrierCode, consignmentId: id, identifiers }, deps);
      await beforeCommit();
      return found;
    });

  const consignmentWith = async (example: NewExample): Promise<number> => {
    const { reference, carrierCode = 'example', environment = 'production', trackingNumbers = [] } = example;
    await keepProfileVersion(pool(), 'hash', carrierCode, '{}');
    const count = Math.max(example.packages ?? 1, trackingNumbers.length);
    const accepted = await acceptCreate(pool(), {
      shipperId: await shipper(),
      environment,
      orderTypes: ['FORWARD'],
      carrierCode,
      accountId: example.accountId,
      profileHash: 'hash',
      orderText: '{}',
      referenceNumber: reference,
      consignment: {
        referenceId: reference,
        orderNumber: example.orderNumber ?? `O-${reference}`,
        consignmentNumber: `C-${reference}`,
        typeOfOrder: 'FORWARD',
        itemList: Array.from({ length: count }, (_, at) => ({ itemReferenceNumber: `P${at}` })),
      } as unknown as Consignment,
      service: undefined,
    });
    if (accepted.kind !== 'accepted') throw new Error(`${reference} is taken`);
    if (trackingNumbers.length > 0) await giveNumbers(accepted.consignmentId, carrierCode, trackingNumbers);
    return accepted.consignmentId;
  };

  const push = async (body: unknown, more: Partial<NewPush> = {}): Promise<number> =>
    await recordPush(pool(), {
      carrierCode: 'example',
      source: 'contract',
      request: { method: 'POST', url: '/v2/carriers/example/statuses', headers: {} },
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      receivedAtMs: NOW,
      ...more,
    });

  const process = async (id: number): Promise<Processed> => await processPush(pool(), id, deps);

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
      const { rows } = await pool().query<{ id: number }>(
        `insert into accounts (shipper_id, carrier_code, environment, credentials, settings)
         values ($1, $2, $3, '', '{}') returning id`,
        [await shipper(), carrierCode, environment],
      );
      return rows[0]!.id;
    },
    events: async () =>
      (
        await pool().query<{
          carrier_code: string;
          match: string;
          status: string;
          consignment_id: number | null;
          position: number | null;
          warnings: string;
          body: string;
        }>('select carrier_code, match, status, consignment_id, position, warnings, body from events order by id')
      ).rows,
    /** Between tests: no pushes, events or consignments. */
    empty: async (): Promise<void> => {
      await pool().query('truncate events, pushes, consignments, outbox, accounts restart identity cascade');
      told.length = 0;
      proved.length = 0;
      labels.length = 0;
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
