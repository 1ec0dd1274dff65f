import type { PoolClient } from 'pg';
import type { StatusUpdate } from '../domain/status-update.ts';
import { writeIdentifiers } from './accept.ts';
import { lockConsignment } from './consignments.ts';
import { DISPATCH_CHANNEL, listDispatches } from './dispatches.ts';
import type { RecordNotices } from './notices.ts';

/**
 * A carrier speaks of a consignment whose create is held because nobody knew what became of it (or an update that
 * cancels and creates, when it had come to that): so it exists. The dispatch ends well, and where the consignment is one package the number that the carrier names is that package's.
 */
export const proveCreated = async (
  client: PoolClient,
  consignmentId: number,
  update: StatusUpdate,
  { recordNotices, nowMs }: { readonly recordNotices: RecordNotices; readonly nowMs: number },
): Promise<void> => {
  // The consignment first, always: whoever concludes a dispatch locks it too.
  const consignment = await lockConsignment(client, consignmentId);
  const dispatches = await listDispatches(client, consignmentId);
  const dispatch = dispatches.findLast(({ state, failure }) => state === 'held' && failure?.why === 'unknown_outcome');
  if (dispatch === undefined || consignment?.acceptance !== 'pending') return;
  await client.query(`update dispatches set state = 'done', failure = null, finished_at = $2 where id = $1`, [
    dispatch.id,
    new Date(nowMs),
  ]);
  await client.query('update calls set answer = null where dispatch_id = $1', [dispatch.id]);
  await client.query(`update consignments set acceptance = 'accepted', updated_at = now() where id = $1`, [
    consignmentId,
  ]);
  const trackingNumber = (update.type ?? 'Tracking') === 'Tracking' ? update.value : undefined;
  if (trackingNumber !== undefined && trackingNumber !== '' && consignment.packages.length === 1) {
    await client.query('update packages set tracking_number = $2 where consignment_id = $1', [
      consignmentId,
      trackingNumber,
    ]);
    await writeIdentifiers(client, consignment.carrierCode, consignmentId, [
      { kind: 'Tracking', value: trackingNumber, position: 0 },
    ]);
  }
  await recordNotices(
    client,
    consignmentId,
    consignment.packages.map(({ position }) => ({ event: 'consignment.tracking', position })),
  );
  await client.query('select pg_notify($1, $2)', [DISPATCH_CHANNEL, String(dispatch.id)]);
};
