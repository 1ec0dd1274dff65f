import type { PoolClient } from 'pg';
import { type CarrierFacts, type Effects, effectsOf } from '../../engine/dispatch/effects.ts';
import type { Accepted } from '../../engine/consignment/accepted.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { type Name, namesNumber, namesOf } from '../../engine/statuses/match.ts';
import { applyEffects } from './apply-effects.ts';
import { type ConsignmentRecord, lockConsignment } from './consignments.ts';
import { DISPATCH_CHANNEL, listDispatches } from './dispatches.ts';
import type { SettleDeps } from './status-settle.ts';

export interface Proving {
  readonly settle: SettleDeps;
  readonly factsOf: (carrierCode: string) => CarrierFacts;
  readonly nowMs: number;
}

/**
 * A carrier speaks of a consignment whose create is held because nobody knew what became of it (or an update that
 * cancels and creates, when it had come to that): so it exists. The dispatch ends well, and where the consignment is one
 * package the number that the carrier names is that package's. Where it had a shipment before, its references are that
 * one's too: only a number proves another.
 */
export const proveCreated = async (
  client: PoolClient,
  consignmentId: number,
  update: StatusUpdate,
  { settle, factsOf, nowMs }: Proving,
): Promise<void> => {
  // The consignment first, always: whoever concludes a dispatch locks it too.
  const consignment = await lockConsignment(client, consignmentId);
  const dispatches = await listDispatches(client, consignmentId);
  const dispatch = dispatches.findLast(({ state, failure }) => state === 'held' && failure?.why === 'unknown_outcome');
  if (dispatch === undefined || consignment?.acceptance !== 'pending') return;
  const names = namesOf(update);
  const hadShipment = dispatches.some(({ operation, state }) => operation === 'create' && state === 'done');
  if (hadShipment && !namesNumber(names)) return;
  await client.query(`update dispatches set state = 'done', failure = null, finished_at = $2 where id = $1`, [
    dispatch.id,
    new Date(nowMs),
  ]);
  await client.query('update calls set answer = null where dispatch_id = $1', [dispatch.id]);
  await applyEffects(client, consignment, {
    effects: effectsOfProof(consignment, names.value, factsOf(consignment.carrierCode)),
    inputs: {},
    orderText: undefined,
    orderTypes: undefined,
    nowMs,
    recordNotices: settle.recordNotices,
    settle,
  });
  await client.query('select pg_notify($1, $2)', [DISPATCH_CHANNEL, String(dispatch.id)]);
};

const effectsOfProof = ({ packages }: ConsignmentRecord, name: Name | undefined, facts: CarrierFacts): Effects => {
  const [one, ...more] = packages;
  if (one !== undefined && more.length === 0 && name?.kind === 'Tracking') {
    const given = { itemReferenceNumber: one.reference, trackingNumber: name.value, memo: {} };
    const result: Accepted = { packages: [given], memo: {}, warnings: [] };
    return effectsOf('create', { kind: 'done', result, answers: {} }, facts);
  }
  const notices = packages.map(({ position }) => ({ event: 'consignment.tracking' as const, position }));
  return { dispatch: { state: 'done' }, acceptance: 'accepted', notices };
};
