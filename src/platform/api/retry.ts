import { findConsignment } from '../records/consignments.ts';
import { acceptRetry } from '../records/accept-retry.ts';
import { type Keyed, replyAfter } from './after-dispatch.ts';
import type { ShipperBearer } from './bearer.ts';
import { currentEntry } from './consignment-entry.ts';
import type { ApiDeps } from './deps.ts';
import { conflict, type HttpAnswer, notFound, unprocessable } from './http-answer.ts';
import { REFUSALS } from './refusals.ts';

/** POST /v2/consignments/{referenceNumber}/dispatch: takes up what is held. */
export const retryDispatch = async (
  deps: ApiDeps,
  { shipperId, shipperCode, environment }: ShipperBearer,
  referenceNumber: string,
  manner: Keyed,
): Promise<HttpAnswer> => {
  const record = await findConsignment(deps.pool, shipperId, environment, referenceNumber);
  if (record === undefined) return notFound(deps.nowMs(), `referenceNumber ${referenceNumber} is not known`);
  const carrier = deps.carriers.find(record.carrierCode);
  if (carrier === undefined) {
    const says = `carrier ${record.carrierCode} is not on this platform at present`;
    return unprocessable(deps.nowMs(), 'The dispatch cannot be retried', [says], record);
  }
  const accepted = await acceptRetry(deps, {
    consignmentId: record.id,
    profileHash: carrier.hash,
    actor: `shipper:${shipperCode}`,
    claim: manner.claim,
  });
  switch (accepted.kind) {
    case 'accepted':
      return await replyAfter(deps, { consignmentId: record.id, dispatchId: accepted.dispatchId }, manner);
    case 'busy':
      return await refuse(deps, 'Its dispatch is under way already', record);
    case 'refused':
      return await refuse(deps, REFUSALS[accepted.why], record);
  }
};

const refuse = async (
  deps: ApiDeps,
  message: string,
  record: Parameters<typeof currentEntry>[1],
): Promise<HttpAnswer> => conflict(deps.nowMs(), message, [message], await currentEntry(deps, record));
