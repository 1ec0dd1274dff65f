import { acceptCreate } from '../records/accept.ts';
import type { ConsignmentRecord } from '../records/consignments.ts';
import { type Keyed, replyAfter } from './after-dispatch.ts';
import type { ShipperBearer } from './bearer.ts';
import { currentEntry } from './consignment-entry.ts';
import type { ApiDeps } from './deps.ts';
import { conflict, type HttpAnswer } from './http-answer.ts';
import { takeOrder } from './order-intake.ts';
import { orderTypesOf } from './order-types.ts';

/** POST /v2/consignments: recorded with its dispatch before anything is answered; the answer waits for the carrier. */
export const createConsignment = async (
  deps: ApiDeps,
  bearer: ShipperBearer,
  body: unknown,
  manner: Keyed,
): Promise<HttpAnswer> => {
  const intake = await takeOrder(deps, bearer, body, 'create');
  if (!intake.ok) return intake.answer;
  const { order, carrier, service, accountId, consignment, facilities } = intake.ready;
  const accepted = await acceptCreate(deps.pool, {
    shipperId: bearer.shipperId,
    environment: bearer.environment,
    orderTypes: orderTypesOf(order, facilities),
    carrierCode: carrier.code,
    accountId,
    profileHash: carrier.hash,
    orderText: JSON.stringify(order),
    referenceNumber: consignment.referenceId,
    consignment,
    service,
    claim: manner.claim,
  });
  if (accepted.kind === 'accepted') return await replyAfter(deps, accepted, manner);
  return await duplicate(deps, accepted.existing);
};

const duplicate = async (deps: ApiDeps, existing: ConsignmentRecord): Promise<HttpAnswer> => {
  const reference = existing.referenceNumber;
  return conflict(
    deps.nowMs(),
    'The details are mapped to another consignment already',
    [`consignmentDetails.referenceNumber ${reference} is in use by consignment ${existing.consignmentNumber}`],
    await currentEntry(deps, existing),
  );
};
