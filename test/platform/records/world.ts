/** Shippers, consignments and what is queued for them, as the records hold them. */
import { type KeyObject, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { beforeEach } from 'vitest';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import type { NoticeDraft } from '../../../src/engine/webhooks/event.ts';
import { acceptCreate, type NewConsignment } from '../../../src/platform/records/accept-create.ts';
import { beginChange, withNotices } from '../../../src/platform/records/change.ts';
import { readConsignments } from '../../../src/platform/records/consignments.ts';
import { writeChanges } from '../../../src/platform/records/write-changes.ts';
import { keepProfileVersion } from '../../../src/platform/records/profiles.ts';
import type { NewPush } from '../../../src/platform/records/pushes.ts';
import { createSealer } from '../../../src/platform/records/sealer.ts';
import { saveShipper, type Owner } from '../../../src/platform/records/shippers.ts';
import type { TestDatabase } from '../../support/database.ts';

/** As shippers are shown them. */
export const secretsOf = (keys: readonly KeyObject[]): readonly string[] =>
  keys.map((key) => `whsec_${key.export().toString('base64')}`);

export const sealer = createSealer(Buffer.alloc(32, 7).toString('base64'));

/** The shipper `code`, in production; by default one of this test's own. */
export const newOwner = async (pool: Pool, code: string = `shop-${randomUUID()}`): Promise<Owner> => {
  const shipper = await saveShipper(pool, { code, name: 'Example Shop', details: undefined });
  return { shipperId: shipper.id, environment: 'production' };
};

/** A shipper of each test's own, filled in before it. */
export const ownerOfEachTest = (database: TestDatabase): Owner => {
  const owner = {} as Owner;
  beforeEach(async () => void Object.assign(owner, await newOwner(database.pool)));
  return owner;
};

/** What carriers push by the contract. */
export const pushOf = (carrierCode: string, body: unknown, receivedAtMs: number): NewPush => ({
  carrierCode,
  source: 'contract',
  request: { method: 'POST', url: `/v2/carriers/${carrierCode}/statuses`, headers: {} },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  receivedAtMs,
});

export interface NewOrder extends Partial<NewConsignment> {
  readonly packages?: number;
  readonly orderNumber?: string;
}

/** What the API would accept: an order of `packages` packages, P1 and so on. Its profile is kept. */
export const newOrder = async (
  pool: Pool,
  { packages = 1, orderNumber, ...wish }: NewOrder = {},
): Promise<NewConsignment> => {
  const reference = wish.referenceNumber ?? randomUUID();
  const { carrierCode = 'acme', profileHash = 'v1' } = wish;
  await keepProfileVersion(pool, profileHash, carrierCode, '{}');
  return {
    ...(await newOwner(pool, 'example')),
    orderTypes: ['FORWARD'],
    carrierCode,
    accountId: undefined,
    profileHash,
    orderText: '{}',
    referenceNumber: reference,
    consignment: {
      referenceId: reference,
      orderNumber: orderNumber ?? `O-${reference}`,
      consignmentNumber: `C-${reference}`,
      typeOfOrder: 'FORWARD',
      typeOfAction: 'CREATE',
      itemList: Array.from({ length: packages }, (_, at) => ({ itemReferenceNumber: `P${at + 1}` })),
    } as unknown as Consignment,
    service: undefined,
    seed: randomUUID(),
    ...wish,
  };
};

/** A consignment whose create is to be dispatched. */
export const accept = async (pool: Pool, wish: NewOrder = {}) => {
  const order = await newOrder(pool, wish);
  const accepted = await acceptCreate(pool, order);
  if (accepted.kind !== 'accepted') throw new Error(`${order.referenceNumber} is taken`);
  return { ...accepted, reference: order.referenceNumber };
};

export interface ConsignmentWish {
  readonly reference?: string;
  readonly orderTypes?: readonly string[];
  readonly packages?: number;
}

/** An accepted consignment that no dispatch has made; yields its id. */
export const newConsignment = async (pool: Pool, owner: Owner, wish: ConsignmentWish = {}): Promise<number> => {
  const { reference = `ref-${randomUUID()}`, orderTypes = ['FORWARD'], packages = 1 } = wish;
  const { rows } = await pool.query<{ id: number }>(
    `with made as (
       insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number,
         consignment_type, order_types, carrier_code, order_text, canonical, acceptance)
       values ($1, $2, $3, 'order-1', 'consignment of ' || $3::text, 'FORWARD', $4, 'acme', '{}', '{}', 'accepted') returning id),
     packed as (
       insert into packages (consignment_id, position, reference, tracking_number)
       select id, n - 1, 'PKG-' || n, 'TRACK-' || id || '-' || n from made, generate_series(1, $5::int) as n)
     select id from made`,
    [owner.shipperId, owner.environment, reference, orderTypes, packages],
  );
  return rows[0]!.id;
};

/** Records notices as the end of an operation would; yields the ids of the deliveries that are there for them. */
export const notify = async (
  pool: Pool,
  consignmentId: number,
  drafts: readonly NoticeDraft[] = [{ event: 'consignment.tracking', position: 0 }],
  nowMs: () => number = Date.now,
): Promise<readonly number[]> => {
  const context = { publicUrl: 'https://waybill.example.com', nowMs, factsOf: () => NO_FACTS };
  const known = await deliveriesOf(pool, consignmentId);
  const consignment = (await readConsignments(pool, [consignmentId])).get(consignmentId);
  if (consignment === undefined) throw new Error(`there is no consignment ${consignmentId}`);
  await writeChanges(pool, [{ changes: [withNotices(beginChange(consignment), drafts, context)] }]);
  return (await deliveriesOf(pool, consignmentId)).filter((id) => !known.includes(id));
};

/** Nothing of the subscriptions there are is due any more. */
export const pauseAll = async (pool: Pool): Promise<void> => {
  await pool.query(`update subscriptions set state = 'paused', pause_reason = 'requested' where state = 'active'`);
};

/** So many notices that differ in nothing. */
export const notices = (count: number): NoticeDraft[] =>
  Array.from({ length: count }, () => ({ event: 'consignment.tracking' }));

const deliveriesOf = async (pool: Pool, consignmentId: number): Promise<readonly number[]> => {
  const query = `select d.id from deliveries d join notices n on n.id = d.notice_id
    where n.consignment_id = $1 order by d.id`;
  return (await pool.query<{ id: number }>(query, [consignmentId])).rows.map(({ id }) => id);
};
