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
import { dateOf, execute } from './sql.ts';

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
  await execute(
    client,
    `update consignments set acceptance = coalesce($2, acceptance), status = coalesce($3, status),
       master_tracking_number = coalesce($4, master_tracking_number), memo = coalesce($5, memo), updated_at = now(),
       released_at = case when $2 = 'rejected' then now() else released_at end
     where id = $1`,
    [
      id,
      effects.acceptance,
      effects.status,
      effects.masterTrackingNumber,
      effects.memo === undefined ? undefined : JSON.stringify({ ...memo, ...effects.memo }),
    ],
  );
  const identifiers = await applyPackages(client, consignment, effects, nowMs);
  if (effects.revokeLabels === true) await revokeLabels(client, id);
  if (effects.labels !== undefined) await writeLabels(client, id, effects.labels, nowMs);
  const notices = [...effects.notices];
  if (effects.status !== undefined) {
    await execute(client, 'update packages set status = $2, reason = null, status_at = $3 where consignment_id = $1', [
      id,
      effects.status,
      new Date(nowMs),
    ]);
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
  await execute(
    client,
    `update consignments set canonical = $2, order_text = coalesce($3, order_text), consignment_number = $4,
       order_types = coalesce($5, order_types), consignment_type = $6
     where id = $1`,
    [
      consignmentId,
      JSON.stringify(consignment),
      orderText,
      consignment.consignmentNumber,
      orderTypes,
      consignment.typeOfOrder,
    ],
  );
  const references = consignment.itemList.map((item) => item.itemReferenceNumber);
  await execute(client, 'delete from packages where consignment_id = $1 and position >= $2', [
    consignmentId,
    references.length,
  ]);
  await execute(
    client,
    `insert into packages (consignment_id, position, reference)
     select $1, ordinality - 1, reference from unnest($2::text[]) with ordinality as item (reference, ordinality)
     on conflict (consignment_id, position) do update set reference = excluded.reference`,
    [consignmentId, references],
  );
};

const GIVEN_BY_CARRIER = `not in ('Reference', 'Order', 'Consignment')`;

/** Labels that are about to be written anew keep their links. */
const forgetShipment = async (client: PoolClient, id: number, { labels }: Effects): Promise<void> => {
  const statements = [
    `update consignments set master_tracking_number = null, memo = '{}' where id = $1`,
    `update packages set tracking_number = null, memo = '{}', poll_at = null where consignment_id = $1`,
    // Kept, for its carrier may go on speaking of it: also those that only events named.
    `update identifiers set gone = true where consignment_id = $1 and kind ${GIVEN_BY_CARRIER}`,
    `insert into identifiers (carrier_code, kind, value, consignment_id, gone)
     select distinct carrier_code, sought_kind, sought_value, consignment_id, true from events
     where consignment_id = $1 and sought_kind ${GIVEN_BY_CARRIER}
     on conflict do nothing`,
  ];
  for (const statement of statements) await execute(client, statement, [id]);
  await revokeLabels(client, id, labels);
};

const applyPackages = async (
  client: PoolClient,
  { id, carrierCode }: ConsignmentRecord,
  { packages = [], masterTrackingNumber, memo, firstPollInMs }: Effects,
  nowMs: number,
): Promise<readonly Identifier[]> => {
  if (packages.length > 0) {
    await execute(
      client,
      `update packages p set tracking_number = given.number, memo = given.memo, poll_at = $5
       from unnest($2::int[], $3::text[], $4::text[]) as given (position, number, memo)
       where p.consignment_id = $1 and p.position = given.position`,
      [
        id,
        packages.map(({ position }) => position),
        packages.map(({ trackingNumber }) => trackingNumber),
        packages.map((one) => JSON.stringify(one.memo)),
        dateOf(firstPollInMs === undefined ? undefined : nowMs + firstPollInMs),
      ],
    );
  }
  const identifiers = [
    ...packages.flatMap((one) => [
      { kind: 'Tracking', value: one.trackingNumber, position: one.position },
      ...memoIdentifiers(one.memo, one.position),
    ]),
    ...(masterTrackingNumber === undefined ? [] : [{ kind: 'Tracking', value: masterTrackingNumber }]),
    ...memoIdentifiers(memo ?? {}, undefined),
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
