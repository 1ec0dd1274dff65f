/** Held dispatches, and the word of an operator who looked at the carrier what became of one. */
import type { Pool } from 'pg';
import { type CarrierFacts, type Effects, effectsOf, NO_FACTS } from '../../engine/dispatch/effects.ts';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import type { Accepted } from '../../engine/consignment/accepted.ts';
import { problem } from '../../engine/failure.ts';
import { applyEffects } from './apply-effects.ts';
import { recordAudit } from './audit.ts';
import { type ConsignmentRecord, lockConsignment } from './consignments.ts';
import { DISPATCH_CHANNEL, type DispatchView, listDispatches } from './dispatches.ts';
import type { OrderStore } from './orders.ts';
import { transaction } from './pool.ts';
import type { SettleDeps } from './status-settle.ts';

/** What is true at the carrier. */
export type ManualResolution =
  /** It did what was asked; of a create or update, the numbers it gave. */
  | { readonly outcome: 'done'; readonly trackingNumbers: ReadonlyMap<string, string>; readonly master?: string }
  /** Nothing of it is left there: what was asked may be asked again, changed, or cancelled. */
  | { readonly outcome: 'not_done' }
  /** It will not be done: a create frees its reference. */
  | { readonly outcome: 'rejected' };

export interface Resolution {
  readonly dispatchId: number;
  readonly truth: ManualResolution;
  /** For the audit log, and in what the shipper is told. */
  readonly note: string;
  readonly actor: string;
  /** What of the carrier decides what its numbers bring. */
  readonly factsOf: (carrierCode: string) => CarrierFacts;
}

export type Resolved =
  | { readonly kind: 'resolved'; readonly consignment: ConsignmentRecord; readonly dispatch: DispatchView }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'not_held'; readonly state: string }
  /** Packages that lack a tracking number, or numbers of packages that there are not. */
  | { readonly kind: 'numbers'; readonly missing: readonly string[]; readonly strange: readonly string[] };

/** Ends a held dispatch as the operator says, in one transaction with all that follows from it. */
export const resolveDispatch = async (store: OrderStore & SettleDeps, resolution: Resolution): Promise<Resolved> =>
  await transaction(store.pool, async (client): Promise<Resolved> => {
    const found = await client.query<{ consignment_id: number }>(
      'select consignment_id from dispatches where id = $1',
      [resolution.dispatchId],
    );
    const consignmentId = found.rows[0]?.consignment_id;
    const record = consignmentId === undefined ? undefined : await lockConsignment(client, consignmentId);
    if (record === undefined) return { kind: 'unknown' };
    const { rows } = await client.query<HeldRow>(
      'select operation, state, input, order_text, order_types from dispatches where id = $1 for update',
      [resolution.dispatchId],
    );
    const [row] = rows;
    if (row === undefined) return { kind: 'unknown' };
    if (row.state !== 'held') return { kind: 'not_held', state: row.state };
    const inputs = JSON.parse(row.input) as Inputs;
    const wrong = wrongNumbers(row, record, inputs, resolution.truth);
    if (wrong !== undefined) return wrong;
    const effects = effectsOfTruth(row, record, inputs, resolution);
    await client.query(`update dispatches set state = $2, failure = $3, finished_at = $4 where id = $1`, [
      resolution.dispatchId,
      effects.dispatch.state,
      effects.dispatch.failure === undefined ? null : JSON.stringify(effects.dispatch.failure),
      new Date(store.nowMs()),
    ]);
    if (effects.dispatch.state !== 'held')
      await client.query('update calls set answer = null where dispatch_id = $1', [resolution.dispatchId]);
    await applyEffects(client, record, {
      effects,
      inputs,
      orderText: row.order_text ?? undefined,
      orderTypes: row.order_types ?? undefined,
      nowMs: store.nowMs(),
      recordNotices: store.recordNotices,
      settle: store,
    });
    await recordAudit(client, {
      actor: resolution.actor,
      action: 'resolve',
      subject: `consignment:${record.id}`,
      detail: `dispatch ${resolution.dispatchId} (${row.operation}) is ${resolution.truth.outcome}: ${resolution.note}`,
    });
    await client.query('select pg_notify($1, $2)', [DISPATCH_CHANNEL, String(resolution.dispatchId)]);
    const consignment = await lockConsignment(client, record.id);
    const dispatch = (await listDispatches(client, record.id)).find(({ id }) => id === resolution.dispatchId);
    if (consignment === undefined || dispatch === undefined) throw new Error('the consignment is gone under its lock');
    return { kind: 'resolved', consignment, dispatch };
  });

interface HeldRow {
  readonly operation: DispatchView['operation'];
  readonly state: string;
  readonly input: string;
  readonly order_text: string | null;
  readonly order_types: string[] | null;
}

/** The packages as they are when the dispatch is done. */
const packagesOf = ({ operation }: HeldRow, record: ConsignmentRecord, { consignment }: Inputs): readonly string[] =>
  operation === 'update'
    ? (consignment as { itemList: { itemReferenceNumber: string }[] }).itemList.map((item) => item.itemReferenceNumber)
    : record.packages.map(({ reference }) => reference);

/** Whether a carrier that did it must have given numbers: what is not there yet has to get them. */
const needsNumbers = ({ operation }: HeldRow, { acceptance }: ConsignmentRecord): boolean =>
  operation !== 'cancel' && acceptance === 'pending';

const wrongNumbers = (
  row: HeldRow,
  record: ConsignmentRecord,
  inputs: Inputs,
  truth: ManualResolution,
): Extract<Resolved, { kind: 'numbers' }> | undefined => {
  if (truth.outcome !== 'done') return undefined;
  const packages = row.operation === 'cancel' ? [] : packagesOf(row, record, inputs);
  const isGiven = truth.trackingNumbers.size > 0 || needsNumbers(row, record);
  const missing = isGiven ? packages.filter((reference) => !truth.trackingNumbers.has(reference)) : [];
  const strange = [...truth.trackingNumbers.keys()].filter((reference) => !packages.includes(reference));
  return missing.length + strange.length === 0 ? undefined : { kind: 'numbers', missing, strange };
};

const effectsOfTruth = (
  row: HeldRow,
  record: ConsignmentRecord,
  inputs: Inputs,
  { truth, note, factsOf }: Resolution,
): Effects => {
  const reason = problem('resolved_by_operator', note);
  switch (truth.outcome) {
    case 'not_done':
      return { dispatch: { state: 'held', failure: { why: 'fail', problem: reason } }, notices: [] };
    case 'rejected': {
      // Of an update whose shipment of before is cancelled already, nothing is left but the consignment itself.
      const operation = record.acceptance === 'pending' ? 'create' : row.operation;
      return effectsOf(operation, { kind: 'rejected', problem: reason }, NO_FACTS);
    }
    case 'done': {
      const result = truth.trackingNumbers.size === 0 ? undefined : acceptedOf(packagesOf(row, record, inputs), truth);
      const effects = effectsOf(row.operation, { kind: 'done', result, answers: {} }, factsOf(record.carrierCode));
      return needsNumbers(row, record) ? { ...effects, acceptance: 'accepted' } : effects;
    }
  }
};

const acceptedOf = (packages: readonly string[], truth: Extract<ManualResolution, { outcome: 'done' }>): Accepted => ({
  packages: packages.map((itemReferenceNumber) => ({
    itemReferenceNumber,
    trackingNumber: truth.trackingNumbers.get(itemReferenceNumber) ?? '',
    memo: {},
  })),
  masterTrackingNumber: truth.master,
  memo: {},
  warnings: [],
});

export interface HeldDispatch {
  readonly id: number;
  readonly operation: DispatchView['operation'];
  readonly shipper: string;
  readonly environment: string;
  readonly referenceNumber: string;
  readonly carrierCode: string;
  readonly packages: readonly string[];
  readonly failure: NonNullable<DispatchView['failure']>;
  readonly heldAt: Date;
}

/** What waits for an operator or a shipper, the longest first. */
export const listHeld = async (
  pool: Pool,
  { afterId, limit }: { readonly afterId: number | undefined; readonly limit: number },
): Promise<readonly HeldDispatch[]> => {
  const { rows } = await pool.query<{
    id: number;
    operation: DispatchView['operation'];
    shipper: string;
    environment: string;
    reference_number: string;
    carrier_code: string;
    packages: string[];
    failure: string | null;
    held_at: Date;
  }>(
    `select d.id, d.operation, s.code as shipper, c.environment, c.reference_number, c.carrier_code, d.failure,
       coalesce(d.finished_at, d.created_at) as held_at,
       array(select p.reference from packages p where p.consignment_id = c.id order by p.position) as packages
     from dispatches d join consignments c on c.id = d.consignment_id join shippers s on s.id = c.shipper_id
     where d.state = 'held' and d.id > $1 order by d.id limit $2`,
    [afterId ?? 0, limit],
  );
  return rows.map((row) => ({
    id: row.id,
    operation: row.operation,
    shipper: row.shipper,
    environment: row.environment,
    referenceNumber: row.reference_number,
    carrierCode: row.carrier_code,
    packages: row.packages,
    failure: JSON.parse(row.failure ?? '{"why":"fail","problem":{"code":"","messages":[]}}') as HeldDispatch['failure'],
    heldAt: row.held_at,
  }));
};
