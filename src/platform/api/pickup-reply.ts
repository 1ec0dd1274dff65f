/** Pickups as replies show them, with what there is still to pick up. */
import { rounded } from '../../engine/ask/handed-over.ts';
import { KG_PER } from '../../engine/rates/price.ts';
import { standingOf } from '../records/acceptance.ts';
import { findErrand, findErrandById, standsOf } from '../records/errands.ts';
import { findHandedOver, isWaiting } from '../records/handed-over.ts';
import type { PickupErrand } from '../records/pickups.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { awaitDispatch, refusalOf, type ReplyOptions } from './dispatch-reply.ts';
import { type HttpAnswer, lasting, notFound, stamped, unprocessable } from './http-answer.ts';
import { PickupWhole, type Reply } from './pickup-shapes.ts';
import { viewOf } from './query-fields.ts';

export const KIND = 'pickup';

export const findPickup = async ({ pool }: ApiDeps, shipper: ShipperBearer, referenceNumber: string) =>
  (await findErrand(pool, shipper, KIND, referenceNumber)) as PickupErrand | undefined;
export const unknown = (referenceNumber: string): HttpAnswer =>
  notFound(`There is no pickup ${referenceNumber}`, 'unknown_pickup');
export const answerOf = (data: Reply['data']): HttpAnswer => stamped<Reply>({ status: 'OK', data });

export const shown = (errand: PickupErrand) => {
  const { pickup, asked } = errand.request;
  const { number, total, currency, window = pickup.window } = errand.result ?? {};
  return {
    ...errand,
    ...standingOf(standsOf(errand)),
    pickupNumber: number,
    pickupStartDateTime: window.from,
    pickupEndDateTime: window.to,
    timezone: pickup.address.timezone ?? 'UTC',
    originFacilityCode: asked.shipFrom.originFacilityCode,
    totalQuantity: pickup.packages.length,
    totalWeightKg: pickup.totalWeightKg,
    specialInstructions: pickup.instructions,
    total,
    currency,
  };
};

export const wholeOf = async ({ pool }: ApiDeps, errand: PickupErrand): Promise<PickupWhole> => {
  const { carrierCode, facilityCode, day } = errand;
  const { asked, consignments: references } = errand.request;
  const named = await findHandedOver(pool, errand, { references });
  const follows = asked.consignments === undefined && facilityCode !== undefined;
  const waiting = follows ? await findHandedOver(pool, errand, { carrierCode, facilityCode, day }) : [];
  const all = [...new Map([...named, ...waiting].map((one) => [one.id, one])).values()];
  const consignments = all.map((one) => ({
    referenceNumber: one.referenceNumber,
    status: one.status,
    packages: one.consignment.itemList.length,
    weightKg: rounded(
      one.consignment.itemList.reduce(
        (sum, { itemWeight, itemWeightUom }) => sum + itemWeight * KG_PER[itemWeightUom],
        0,
      ),
    ),
    remains: isWaiting(one) && one.carrierCode === carrierCode,
  }));
  const left = consignments.filter(({ remains }) => remains);
  const remaining = {
    consignments: left.length,
    packages: left.reduce((sum, { packages }) => sum + packages, 0),
    weightKg: rounded(left.reduce((sum, { weightKg }) => sum + weightKg, 0)),
  };
  return viewOf(PickupWhole, { ...shown(errand), shipFrom: asked.shipFrom, consignments, remaining });
};

/** Sends the dispatch on its way and waits for its end, unless the shipper would rather not. */
export const replyOf = async (
  deps: ApiDeps,
  errand: PickupErrand,
  dispatchId: number | undefined,
  { isAsync, progress }: Pick<ReplyOptions, 'isAsync' | 'progress'>,
  deadlineMs = deps.nowMs() + deps.createWaitMs,
): Promise<HttpAnswer> => {
  if (dispatchId !== undefined) {
    progress.recorded = lasting(answerOf([await wholeOf(deps, { ...errand, dispatches: [] })]));
    deps.handOn([dispatchId]);
    if (!isAsync) await awaitDispatch(deps, dispatchId, deadlineMs);
  }
  const now = (await findErrandById(deps.pool, errand.id)) as PickupErrand;
  const { state, operation, failure } = now.dispatches.find(({ id }) => id === dispatchId) ?? {};
  const applied = isAsync && dispatchId !== undefined ? { 'Preference-Applied': 'respond-async' } : {};
  if (state !== 'rejected') return { ...lasting(answerOf([await wholeOf(deps, now)])), headers: applied };
  const name = deps.carriers.find(now.carrierCode)?.name ?? now.carrierCode;
  const isBooking = operation === 'pickup';
  const said = `${name} rejected the ${isBooking ? 'pickup' : operation === 'cancelPickup' ? 'cancellation: the pickup stays' : 'change: the pickup stays as it was'}`;
  return lasting(unprocessable(said, refusalOf(failure?.problem), now, 'carrier_rejected'));
};
