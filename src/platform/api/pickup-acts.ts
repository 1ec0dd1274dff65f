/** What is asked of pickups: booking, changing, cancelling, another try. */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { sha256 } from '../../engine/digest.ts';
import type { PickupRequest } from '../../engine/pickups/request.ts';
import {
  type AcceptedErrand,
  acceptErrandCancel,
  acceptErrandChange,
  acceptErrandRetry,
} from '../records/accept-errand.ts';
import { addErrand, findErrandById, standsOf } from '../records/errands.ts';
import { holdClaim } from '../records/idempotency.ts';
import { bookedOf, type PickupErrand } from '../records/pickups.ts';
import { transaction } from '../records/pool.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { afterBusy, type ReplyOptions } from './dispatch-reply.ts';
import { badRequest, conflict, type HttpAnswer, unprocessable } from './http-answer.ts';
import { changedPickup, gistOf, takePickup, type TakenPickup } from './pickup-intake.ts';
import { findPickup, KIND, replyOf, unknown } from './pickup-reply.ts';

/** What is wrong with what is asked. */
const refusalFor = ({ kind, issues }: Exclude<TakenPickup, { kind: 'ready' }>, referenceNumber?: string): HttpAnswer =>
  kind === 'invalid'
    ? badRequest(issues, referenceNumber)
    : unprocessable('The pickup breaks rules', issues, { referenceNumber }, 'rules_broken');

export const bookPickup = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  body: PickupRequest,
  { claim, trace, ...options }: ReplyOptions,
): Promise<HttpAnswer> => {
  const own = typeof body?.referenceNumber === 'string' ? body.referenceNumber : undefined;
  // That of a try which was cut short is found by its key.
  const ours = claim === undefined ? randomBytes(8) : sha256(`pickup ${claim.key}`).subarray(0, 8);
  const referenceNumber = own ?? `PU-${ours.toString('hex').toUpperCase()}`;
  const known = async (): Promise<HttpAnswer | undefined> => {
    const errand =
      own?.isWellFormed() === false || own?.includes('\0') === true
        ? undefined
        : await findPickup(deps, shipper, referenceNumber);
    if (errand === undefined || errand.acceptance === 'rejected' || errand.acceptance === 'cancelled') return undefined;
    if (errand.request.gist !== gistOf(body))
      return conflict(`Another pickup has the referenceNumber ${referenceNumber}`, 'duplicate_reference');
    return await replyOf(deps, errand, errand.dispatches.at(-1)?.id, options);
  };
  const earlier = await known();
  if (earlier !== undefined) return earlier;
  const taken = await takePickup(deps, shipper, body);
  if (taken.kind !== 'ready') return refusalFor(taken, own);
  const { carrier, accountId, facilityCode, day, wantedAs } = taken;
  const request = wantedAs(referenceNumber);
  const { shipperId, environment } = shipper;
  const errand = {
    kind: KIND,
    shipperId,
    environment,
    referenceNumber,
    carrierCode: carrier.code,
    accountId,
    facilityCode,
    day,
    request,
  };
  const dispatch = {
    operation: 'pickup',
    profileHash: carrier.hash,
    inputs: { pickup: request.pickup },
    trace,
  } as const;
  const added = await transaction(deps.pool, async (client) => {
    await holdClaim(client, claim);
    return await addErrand(client, errand, dispatch);
  });
  if (added === undefined) {
    const meanwhile = await known();
    if (meanwhile === undefined) return await bookPickup(deps, shipper, body, { claim, trace, ...options });
    return meanwhile;
  }
  const booked = (await findErrandById(deps.pool, added.id)) as PickupErrand;
  return await replyOf(deps, booked, added.dispatchId, options);
};

const NO_CHANGE = 'books and cancels no pickups by this platform, so that none can be changed';

export const changePickup = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  referenceNumber: string,
  body: unknown,
  options: ReplyOptions,
): Promise<HttpAnswer> =>
  await actOn(deps, shipper, referenceNumber, options, async (errand) => {
    const { asked } = errand.request;
    const taken = await takePickup(deps, shipper, changedPickup(asked, body));
    if (taken.kind !== 'ready') return refusalFor(taken, referenceNumber);
    const { carrier, wantedAs } = taken;
    const { operations } = carrier;
    const fixed =
      carrier.code === errand.carrierCode ? undefined : 'cannot be changed: cancel the pickup and book another';
    const cannot =
      operations.changePickup === undefined && operations.cancelPickup === undefined ? NO_CHANGE : undefined;
    const says = fixed ?? cannot;
    if (says !== undefined) {
      const issues = [
        {
          path: 'carrier.code',
          code: fixed === undefined ? 'capability' : 'carrier_fixed',
          message: `carrier.code ${says}`,
        },
      ];
      return unprocessable('The pickup breaks rules', issues, { referenceNumber }, 'rules_broken');
    }
    const request = { ...wantedAs(referenceNumber), gist: errand.request.gist };
    const isAsBooked =
      isDeepStrictEqual(request.pickup, errand.request.pickup) && standsOf(errand).acceptance === 'accepted';
    if (isAsBooked) return { kind: 'accepted', dispatchId: undefined };
    return await acceptErrandChange(deps, {
      ...options,
      errandId: errand.id,
      actor: `shipper:${shipper.code}`,
      changeOf: (as) => {
        const to = { profileHash: carrier.hash, request };
        if (as.acceptance !== 'accepted') return { ...to, operation: 'pickup', inputs: { pickup: request.pickup } };
        const booked = bookedOf(as as PickupErrand);
        const { number, memo } = booked;
        const pickup = operations.changePickup === undefined ? request.pickup : { ...request.pickup, number, memo };
        return { ...to, operation: 'changePickup', inputs: { pickup, booked } };
      },
    });
  });

export type Begin = (
  deps: ApiDeps,
  errand: PickupErrand,
  ask: Pick<ReplyOptions, 'claim' | 'trace'> & { readonly errandId: number; readonly actor: string },
) => Promise<AcceptedErrand | HttpAnswer>;

export const cancel: Begin = async (deps, { carrierCode }, ask) => {
  const carrier = deps.carriers.find(carrierCode);
  const isOffered = carrier?.operations.cancelPickup !== undefined;
  return await acceptErrandCancel(deps, {
    ...ask,
    cancelOf: isOffered
      ? (errand) => ({
          operation: 'cancelPickup',
          profileHash: carrier.hash,
          inputs: { pickup: bookedOf(errand as PickupErrand) },
        })
      : undefined,
  });
};

export const retry: Begin = async (deps, { carrierCode, referenceNumber }, ask) => {
  const carrier = deps.carriers.find(carrierCode);
  if (carrier !== undefined) return await acceptErrandRetry(deps, { ...ask, profileHash: carrier.hash });
  const message = `carrier ${carrierCode} is not on this platform at present`;
  return unprocessable('The pickup cannot be retried', [message], { referenceNumber }, 'carrier_not_loaded');
};

const REFUSALS = {
  cancelled: ['cancelled', 'The pickup is cancelled: book another'],
  rejected: ['rejected', 'The carrier rejected the pickup: book another'],
  create_unknown: [
    'pickup_unknown',
    'Nobody knows whether the carrier has the pickup as it was last asked for: retry it, or have an operator look',
  ],
  undo_failed: [
    'undo_failed',
    'A part of the pickup may remain at the carrier and has to be cleared there by an operator',
  ],
  nothing_held: ['nothing_held', 'Nothing of this pickup waits for a retry'],
} as const;

/** Begins something of a pickup, once what is under way of it has ended, and answers with what came of it. */
export const actOn = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  referenceNumber: string,
  options: ReplyOptions,
  begin: (errand: PickupErrand) => Promise<AcceptedErrand | HttpAnswer>,
): Promise<HttpAnswer> => {
  const deadlineMs = deps.nowMs() + deps.createWaitMs;
  const errand = await findPickup(deps, shipper, referenceNumber);
  if (errand === undefined) return unknown(referenceNumber);
  const attempt = async () => {
    const begun = await begin(((await findErrandById(deps.pool, errand.id)) ?? errand) as PickupErrand);
    return 'status' in begun ? ({ kind: 'answered', answer: begun } as const) : begun;
  };
  const accepted = await afterBusy(deps, deadlineMs, await attempt(), attempt);
  switch (accepted.kind) {
    case 'answered':
      return accepted.answer;
    case 'busy':
      return conflict('An earlier action on this pickup is still under way; try again in a while', 'under_way');
    case 'refused':
      return conflict(REFUSALS[accepted.why][1], REFUSALS[accepted.why][0]);
    case 'carrier_cannot': {
      const message = `carrier.code is ${errand.carrierCode}, which cancels no pickups by this platform`;
      const issues = [{ path: 'carrier.code', code: 'capability', message }];
      return unprocessable('The pickup breaks rules', issues, { referenceNumber }, 'rules_broken');
    }
    case 'accepted':
      return await replyOf(deps, errand, accepted.dispatchId, options, deadlineMs);
  }
};
