/** What the end of an operation changes in the records, in the caller's transaction. */
import type { PoolClient } from 'pg';
import type { Effects } from '../../engine/dispatch/effects.ts';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { SettleDeps } from './apply-events.ts';
import type { ConsignmentRecord } from './consignments.ts';
import { type Identifier, writeIdentifiers } from './identifiers.ts';
import { revokeLabels, writeLabels } from './labels.ts';
import { rematch } from './reread-events.ts';
import { dateOf, execute, sql, rowsOf } from './sql.ts';

interface Applying {
  readonly effects: Effects;
  readonly inputs?: Inputs | undefined;
  /** Of an update: the order that is now the consignment's. */
  readonly orderText?: string | undefined;
  /** With it: what subscriptions may ask for that order by. */
  readonly orderTypes?: readonly string[] | undefined;
  readonly nowMs: number;
  /** Events that came before the numbers they name find their consignment now. */
  readonly settle: SettleDeps;
}

/** Carries out the effects on a consignment that the caller has locked. */
export const applyEffects = async (
  client: PoolClient,
  consignment: ConsignmentRecord,
  { effects, inputs, orderText, orderTypes, nowMs, settle }: Applying,
): Promise<void> => {
  const { id, carrierCode } = consignment;
  if (effects.adoptInput === true)
    await adopt(client, id, inputs?.consignment as Consignment, { orderText, orderTypes });
  if (effects.forgetShipment === true) await forgetShipment(client, id, effects);
  const memo = effects.forgetShipment === true ? {} : consignment.memo;
  const remembered = effects.carrierMetadata && { ...memo, ...effects.carrierMetadata };
  await execute(client)`
    update consignments set acceptance = coalesce(${effects.acceptance}, acceptance),
      status = coalesce(${effects.status}, status),
      master_tracking_number = coalesce(${effects.masterTrackingNumber}, master_tracking_number),
        memo = coalesce(${JSON.stringify(remembered)}, memo), updated_at = now(),
      released_at = case when ${effects.acceptance} = 'rejected' then now() else released_at end
    where id = ${id}`;
  const identifiers = await applyPackages(client, consignment, effects, nowMs);
  if (effects.revokeLabels === true) await revokeLabels(client, id);
  if (effects.labels !== undefined) await writeLabels(client, id, effects.labels, nowMs);
  const notices = [...effects.notices];
  if (effects.status !== undefined) {
    await execute(client)`
      update packages set status = ${effects.status}, reason = null, status_at = ${new Date(nowMs)}
      where consignment_id = ${id}`;
    for (const { position, status } of consignment.packages)
      notices.push({ event: 'consignment.status', position, previousStatus: status, occurredAtMs: nowMs });
  }
  await settle.recordNotices(client, id, notices);
  await rematch(client, { carrierCode, consignmentId: id, identifiers }, settle);
};

const adopt = async (
  client: PoolClient,
  consignmentId: number,
  consignment: Consignment,
  { orderText, orderTypes }: Pick<Applying, 'orderText' | 'orderTypes'>,
): Promise<void> => {
  await execute(client)`
    update consignments set canonical = ${JSON.stringify(consignment)},
      order_text = coalesce(${orderText}, order_text), consignment_number = ${consignment.consignmentNumber},
      order_types = coalesce(${orderTypes}, order_types), consignment_type = ${consignment.typeOfOrder}
    where id = ${consignmentId}`;
  const references = consignment.itemList.map((item) => item.itemReferenceNumber);
  await execute(client)`
    delete from packages where consignment_id = ${consignmentId} and position >= ${references.length}`;
  await execute(client)`
    insert into packages (consignment_id, position, reference)
    select ${consignmentId}, ordinality - 1, reference
    from unnest(${references}::text[]) with ordinality as item (reference, ordinality)
    on conflict (consignment_id, position) do update set reference = excluded.reference`;
};

const GIVEN_BY_CARRIER = sql`not in ('Reference', 'Order', 'Consignment')`;

/** Labels that are about to be written anew keep their links. */
const forgetShipment = async (client: PoolClient, id: number, { labels }: Effects): Promise<void> => {
  await execute(client)`update consignments set master_tracking_number = null, memo = '{}' where id = ${id}`;
  await execute(client)`
    update packages set tracking_number = null, memo = '{}', poll_at = null where consignment_id = ${id}`;
  // Kept, for its carrier may go on speaking of it: also those that only events named.
  await execute(client)`update identifiers set gone = true where consignment_id = ${id} and kind ${GIVEN_BY_CARRIER}`;
  await execute(client)`
    insert into identifiers (carrier_code, kind, value, consignment_id, gone)
    select distinct carrier_code, sought_kind, sought_value, consignment_id, true from events
    where consignment_id = ${id} and sought_kind ${GIVEN_BY_CARRIER}
    on conflict do nothing`;
  await revokeLabels(client, id, labels);
};

const applyPackages = async (
  client: PoolClient,
  { id, carrierCode }: ConsignmentRecord,
  { packages = [], masterTrackingNumber, carrierMetadata, firstPollInMs }: Effects,
  nowMs: number,
): Promise<readonly Identifier[]> => {
  if (packages.length > 0) {
    const given = rowsOf('given', packages, {
      position: ['int', ({ position }) => position],
      number: ['text', ({ trackingNumber }) => trackingNumber],
      memo: ['text', (one) => JSON.stringify(one.memo)],
    });
    const pollAt = dateOf(firstPollInMs === undefined ? undefined : nowMs + firstPollInMs);
    await execute(client)`
      update packages p set tracking_number = given.number, memo = given.memo, poll_at = ${pollAt}
      from ${given} where p.consignment_id = ${id} and p.position = given.position`;
  }
  const identifiers = [
    ...packages.flatMap((one) => [
      { kind: 'Tracking', value: one.trackingNumber, position: one.position },
      ...memoIdentifiers(one.memo, one.position),
    ]),
    ...(masterTrackingNumber === undefined ? [] : [{ kind: 'Tracking', value: masterTrackingNumber }]),
    ...memoIdentifiers(carrierMetadata ?? {}, undefined),
  ];
  await writeIdentifiers(client, carrierCode, id, identifiers);
  return identifiers;
};

/** Longer than any number, short enough for an index: a URL to remember names no shipment. */
const IDENTIFIER_MAX = 200;

/** A carrier may name a shipment by what it gave us to remember. */
const memoIdentifiers = (memo: Readonly<Record<string, unknown>>, position: number | undefined): Identifier[] =>
  Object.entries(memo).flatMap(([kind, value]) => {
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    const text = String(value);
    return text.length > IDENTIFIER_MAX ? [] : [{ kind, value: text, position }];
  });
