import type { Warning } from '../../engine/consignment/reply.ts';
import { piece } from '../../engine/large.ts';
import { slotTaken } from '../../engine/slots/of-order.ts';
import { acceptCreate, type AcceptedCreate, type Duplicate, type NewConsignment } from '../records/accept-create.ts';
import { type Released, releaseConsignment } from '../records/release.ts';
import { yieldTurn } from './admission.ts';
import type { ShipperBearer } from './bearer.ts';
import { readyOrChosen } from './choosing.ts';
import type { ApiDeps } from './deps.ts';
import { conflictWith, replyAfter, type ReplyOptions } from './dispatch-reply.ts';
import type { HttpAnswer } from './http-answer.ts';
import { confirmNamed } from './carrier-slots.ts';
import { brokenRules } from './order-intake.ts';

/** POST /v2/consignments: recorded with its dispatch before anything is answered. */
export const createConsignment = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  body: unknown,
  { claim, trace, progress, ...options }: ReplyOptions,
): Promise<HttpAnswer> => {
  const { shipperId, environment, code } = shipper;
  const ready = await readyOrChosen(deps, shipper, body);
  if (ready.kind === 'answered') return ready.answer;
  const { order, carrier, service, accountId, orderTypes, consignment, slotToken, chosen, warnings: slips } = ready;
  const { referenceId: referenceNumber, orderNumber, consignmentNumber } = consignment;
  const carrierCode = carrier.code;
  const create = {
    shipperId,
    environment,
    orderTypes,
    carrierCode,
    accountId,
    profileHash: carrier.hash,
    orderText: await piece(() => JSON.stringify(order)),
    referenceNumber,
    consignment,
    service,
    seed: progress.ownTry,
    claim,
    trace,
    slotToken,
    chosen,
  };
  const unconfirmed = await confirmNamed(deps, shipper, ready);
  if (unconfirmed !== undefined) return unconfirmed;
  progress.begunIn = deps.pool;
  const { accepted, warnings } = await yieldTurn(async () => await acceptReusing(deps, create, `shipper:${code}`));
  switch (accepted.kind) {
    case 'accepted': {
      const names = { referenceNumber, orderNumber, consignmentNumber, carrierCode, choice: chosen?.choice };
      return await replyAfter(deps, accepted, { ...options, progress, warnings: [...slips, ...warnings] }, names);
    }
    case 'duplicate':
      return duplicateAnswer(deps, accepted);
    case 'slot_taken':
      return brokenRules([slotTaken()], order);
  }
};

/** 409, with the consignment that has what the order needs. */
export const duplicateAnswer = (deps: ApiDeps, { existing, name, field, value }: Duplicate): HttpAnswer => {
  const by = name === 'reference' ? `consignment ${existing.consignmentNumber}` : existing.referenceNumber;
  const message = 'The details are mapped to another consignment already';
  return conflictWith(deps, existing, `duplicate_${name}`, message, [`${field} ${value} is in use by ${by}`]);
};

/** A reference, a consignment number and a tracking number may each be another's that needs them no more. */
const REUSED_MAX = 3;

/** Accepts an order also where what needs its names no more has them, and says so. */
const acceptReusing = async (
  deps: ApiDeps,
  create: NewConsignment,
  actor: string,
): Promise<{ readonly accepted: AcceptedCreate; readonly warnings: readonly Warning[] }> => {
  const warnings: Warning[] = [];
  for (;;) {
    const accepted = await acceptCreate(deps.pool, create);
    if (accepted.kind !== 'duplicate' || warnings.length === REUSED_MAX) return { accepted, warnings };
    const why = await releaseConsignment(deps, accepted.existing.id, { ...create, actor });
    if (why === undefined) return { accepted, warnings };
    warnings.push({ code: 'reused', message: reusedMessage(accepted, why) });
  }
};

const reusedMessage = ({ field, value, existing }: Duplicate, why: Released) =>
  `${field} ${value} was in use by ${existing.referenceNumber} of order ${existing.orderNumber}, which ${
    why === 'cancelled' ? 'is cancelled' : 'never reached its carrier and is cancelled by this'
  }`;
