import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Consignment } from '../../src/engine/consignment/consignment.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { labelsOf, openTrip, shipmentOf, type Trip } from './trip.ts';

/** A consignment of `fixtures/_consignments`, and the service it is sent by. */
interface Given {
  readonly consignment: string;
  readonly service: string;
  readonly change?: Partial<Consignment> | ((given: Consignment) => Partial<Consignment>);
}

type Misbehaviour = Parameters<Trip['simulator']['behave']>[1];

/** What most carriers do in the same way, each with its own words. */
export interface CommonTrips {
  readonly code: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Numbers are those of the simulated parcels; labels begin so, and the simulated shipment has such data. */
  readonly creates?: readonly (Given & {
    readonly labels?: string;
    /** One document for all packages begins so. */
    readonly document?: string;
    readonly data?: Readonly<Record<string, unknown>>;
  })[];
  readonly rejects?: readonly (Given & { readonly problem: object; readonly inside?: 200 })[];
  /** Of requests that were acted on, though no usable answer came: how the create ends, once it has waited. */
  readonly unanswered?: readonly (Given & { readonly how: Misbehaviour; readonly ends: 'held' | 'done' })[];
  /** A second cancel is done, too; one of a shipment that has come so far is rejected. */
  readonly cancels?: Given & { readonly after?: 'PICKED_UP' | 'IN_TRANSIT'; readonly problem: object };
  /** A journey back to the sender, all numbers in one call, or one number a call. */
  readonly tracks?: Given & { readonly reference: string; readonly call: 'items' | 'item'; readonly ends: string };
  /** Credentials are checked without a shipment. */
  readonly probes?: true;
}

const JOURNEY = [
  'Order Created',
  'Order Picked Up',
  'In Transit',
  'At Facility',
  'At Facility',
  'Out for Delivery',
  'Delivery Failed',
];

/** Tests what the trips have in common; `use` is given the open trip before each test of the file. */
export const describeTrips = (common: CommonTrips, use: (trip: Trip) => void): void => {
  const { code, settings } = common;
  let trip: Trip;
  beforeEach(async () => {
    trip = await openTrip(code, settings);
    use(trip);
  });
  afterEach(async () => {
    await trip.close();
  });
  const consignmentOf = ({ consignment, change = {} }: Given): Consignment =>
    trip.consignment(consignment, typeof change === 'function' ? change(trip.consignment(consignment)) : change);
  const inputsOf = (given: Given) => trip.inputsOf(consignmentOf(given), given.service);

  for (const given of common.creates ?? []) {
    it(`creates ${given.consignment} by ${given.service}${given.labels === undefined ? '' : ', with its labels'}`, async () => {
      const consignment = consignmentOf(given);
      const accepted = await trip.create(consignment, given.service);
      const [shipment] = trip.simulator.shipments(code);
      expect(accepted.packages.map(({ itemReferenceNumber }) => itemReferenceNumber)).toEqual(
        consignment.itemList.map(({ itemReferenceNumber }) => itemReferenceNumber),
      );
      expect(accepted.packages.map(({ trackingNumber }) => trackingNumber)).toEqual(
        shipment?.parcels.map(({ trackingNumber }) => trackingNumber),
      );
      if (accepted.masterTrackingNumber !== undefined)
        expect(accepted.masterTrackingNumber).toBe(shipment?.trackingNumber);
      if (given.labels !== undefined)
        expect(labelsOf(accepted)).toEqual(consignment.itemList.map(() => expect.stringContaining(given.labels ?? '')));
      if (given.document !== undefined)
        expect(Buffer.from(String(accepted.label?.content), 'base64').toString()).toContain(given.document);
      expect(shipment?.data).toMatchObject(given.data ?? {});
      expect(shipment?.reference).toBe(consignment.referenceId);
    });
  }

  it.each(common.rejects ?? [])('passes on that the carrier rejects it: $problem', async (given) => {
    expect(await trip.run('create', inputsOf(given))).toMatchObject({ kind: 'rejected', problem: given.problem });
    if (given.inside !== undefined) expect(trip.simulator.requests.at(-1)?.status).toBe(given.inside);
  });

  it.each(common.unanswered ?? [])('never creates twice after $how: $ends', async (given) => {
    trip.simulator.behave(code, given.how);
    const [inputs, attemptLog] = [inputsOf(given), trip.attemptLog()];
    let outcome = await trip.run('create', inputs, { attemptLog });
    if (given.ends === 'done') expect(outcome.kind).toBe('waiting');
    for (let tries = 0; outcome.kind === 'waiting' && tries < 3; tries += 1) {
      trip.wait(60_000);
      outcome = await trip.run('create', inputs, { attemptLog });
    }
    expect(outcome).toMatchObject(given.ends === 'held' ? { kind: 'held', why: 'unknown_outcome' } : { kind: 'done' });
    expect(trip.simulator.shipments(code)).toHaveLength(1);
  });

  it.each([common.cancels ?? []].flat())(
    'cancels, also twice, but not once the parcel is on its way',
    async (cancels) => {
      const cancel = async () => ({
        ...inputsOf(cancels),
        shipment: shipmentOf(await trip.create(consignmentOf(cancels), cancels.service)),
      });
      const free = await cancel();
      expect(await trip.run('cancel', free)).toMatchObject({ kind: 'done' });
      expect(await trip.run('cancel', free)).toMatchObject({ kind: 'done' });
      const moving = await cancel();
      const { referenceId: reference } = consignmentOf(cancels);
      await trip.simulator.advance(code, { reference, status: cancels.after ?? 'PICKED_UP' });
      expect(await trip.run('cancel', moving)).toMatchObject({ kind: 'rejected', problem: cancels.problem });
    },
  );

  it.each([common.tracks ?? []].flat())('tracks its packages through their journey', async (tracks) => {
    const { packages } = shipmentOf(await trip.create(consignmentOf(tracks), tracks.service));
    await trip.simulator.play(code, { reference: tracks.reference, journey: 'returned', intervalMs: 0 });
    const tracked = await trip.run('track', tracks.call === 'items' ? { items: packages } : { item: packages[0] });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    const read = updates.map((update) => ({ ...normalise(trip.carrier, update, 0), value: update.value }));
    expect(read.flatMap(({ warnings }) => warnings)).toEqual([]);
    for (const { trackingNumber } of tracks.call === 'items' ? packages : packages.slice(0, 1)) {
      const own = read.filter(({ value }) => value === trackingNumber || value === undefined);
      expect(own.map(({ status }) => status).toReversed()).toEqual([...JOURNEY, tracks.ends]);
    }
  });

  it.each(common.probes === true ? [true] : [])('checks its credentials', async () => {
    expect(await trip.run('probe', {})).toMatchObject({ kind: 'done' });
  });
};
