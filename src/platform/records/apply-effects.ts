import type { PoolClient } from 'pg';
import type { Effects, LabelDraft } from '../../engine/dispatch/effects.ts';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { type Identifier, writeIdentifiers } from './accept.ts';
import type { ConsignmentRecord } from './consignments.ts';
import { revokeLabels, writeLabels } from './label-drafts.ts';
import type { RecordNotices } from './notices.ts';
import { rematch } from './status-rematch.ts';
import type { SettleDeps } from './status-settle.ts';

export interface Applying {
  readonly effects: Effects;
  readonly inputs: Inputs;
  /** Of an update: the order that is now the consignment's. */
  readonly orderText: string | undefined;
  /** With it: what subscriptions may ask for that order by. */
  readonly orderTypes: readonly string[] | undefined;
  readonly nowMs: number;
  readonly recordNotices: RecordNotices;
  /** Where the effects may bring numbers: events that came before these find their consignment by them. */
  readonly settle?: SettleDeps | undefined;
}

/** Carries out what the end of an operation changes, in the caller's transaction; the consignment is locked. */
export const applyEffects = async (
  client: PoolClient,
  consignment: ConsignmentRecord,
  { effects, inputs, orderText, orderTypes, nowMs, recordNotices, settle }: Applying,
): Promise<void> => {
  if (effects.adoptInput === true)
    await adopt(client, consignment.id, inputs.consignment as Consignment, { orderText, orderTypes });
  if (effects.forgetShipment === true) await forgetShipment(client, consignment.id, effects.labels ?? []);
  const memo = effects.forgetShipment === true ? {} : consignment.memo;
  await client.query(
    `update consignments set acceptance = coalesce($2, acceptance), status = coalesce($3, status),
       master_tracking_number = coalesce($4, master_tracking_number), memo = coalesce($5, memo), updated_at = now(),
       released_at = case when $2 = 'rejected' then now() else released_at end
     where id = $1`,
    [
      consignment.id,
      effects.acceptance ?? null,
      effects.status ?? null,
      effects.masterTrackingNumber ?? null,
      effects.memo === undefined ? null : JSON.stringify({ ...memo, ...effects.memo }),
    ],
  );
  const identifiers = await applyPackages(client, consignment, effects, nowMs);
  if (effects.revokeLabels === true) await revokeLabels(client, consignment.id);
  if (effects.labels !== undefined) await writeLabels(client, consignment.id, effects.labels, nowMs);
  if (effects.status !== undefined) {
    await client.query('update packages set status = $2, reason = null, status_at = $3 where consignment_id = $1', [
      consignment.id,
      effects.status,
      new Date(nowMs),
    ]);
  }
  const changes =
    effects.status === undefined
      ? []
      : consignment.packages.map(({ position, status }) => ({
          event: 'consignment.status' as const,
          position,
          previousStatus: status,
          occurredAtMs: nowMs,
        }));
  await recordNotices(client, consignment.id, [...effects.notices, ...changes]);
  const { id: consignmentId, carrierCode } = consignment;
  if (settle !== undefined) await rematch(client, { carrierCode, consignmentId, identifiers }, settle);
};

const adopt = async (
  client: PoolClient,
  consignmentId: number,
  consignment: Consignment,
  { orderText, orderTypes }: Pick<Applying, 'orderText' | 'orderTypes'>,
): Promise<void> => {
  await client.query(
    `update consignments set canonical = $2, order_text = coalesce($3, order_text), consignment_number = $4,
       order_types = coalesce($5, order_types), consignment_type = $6
     where id = $1`,
    [
      consignmentId,
      JSON.stringify(consignment),
      orderText ?? null,
      consignment.consignmentNumber,
      orderTypes ?? null,
      consignment.typeOfOrder,
    ],
  );
  const references = consignment.itemList.map((item) => item.itemReferenceNumber);
  await client.query('delete from packages where consignment_id = $1 and position >= $2', [
    consignmentId,
    references.length,
  ]);
  await client.query(
    `insert into packages (consignment_id, position, reference)
     select $1, ordinality - 1, reference from unnest($2::text[]) with ordinality as item (reference, ordinality)
     on conflict (consignment_id, position) do update set reference = excluded.reference`,
    [consignmentId, references],
  );
};

/** Labels that are about to be written anew keep their links. */
const forgetShipment = async (
  client: PoolClient,
  consignmentId: number,
  labels: readonly LabelDraft[],
): Promise<void> => {
  await client.query(`update consignments set master_tracking_number = null, memo = '{}' where id = $1`, [
    consignmentId,
  ]);
  await client.query(
    `update packages set tracking_number = null, memo = '{}', poll_at = null where consignment_id = $1`,
    [consignmentId],
  );
  // Kept, for its carrier may go on speaking of it: also those that only events named.
  await client.query(
    `update identifiers set gone = true where consignment_id = $1 and kind not in ('Reference', 'Order', 'Consignment')`,
    [consignmentId],
  );
  await client.query(
    `insert into identifiers (carrier_code, kind, value, consignment_id, gone)
     select distinct carrier_code, sought_kind, sought_value, consignment_id, true from events
     where consignment_id = $1 and sought_kind not in ('Reference', 'Order', 'Consignment')
     on conflict do nothing`,
    [consignmentId],
  );
  await revokeLabels(client, consignmentId, labels);
};

const applyPackages = async (
  client: PoolClient,
  consignment: ConsignmentRecord,
  effects: Effects,
  nowMs: number,
): Promise<readonly Identifier[]> => {
  const packages = effects.packages ?? [];
  for (const { position, trackingNumber, memo } of packages) {
    await client.query(
      'update packages set tracking_number = $3, memo = $4, poll_at = $5 where consignment_id = $1 and position = $2',
      [
        consignment.id,
        position,
        trackingNumber,
        JSON.stringify(memo),
        effects.firstPollInMs === undefined ? null : new Date(nowMs + effects.firstPollInMs),
      ],
    );
  }
  const identifiers: Identifier[] = packages.flatMap(({ position, trackingNumber, memo }) => [
    { kind: 'Tracking', value: trackingNumber, position },
    ...memoIdentifiers(memo, position),
  ]);
  if (effects.masterTrackingNumber !== undefined)
    identifiers.push({ kind: 'Tracking', value: effects.masterTrackingNumber });
  identifiers.push(...memoIdentifiers(effects.memo ?? {}, undefined));
  await writeIdentifiers(client, consignment.carrierCode, consignment.id, identifiers);
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
