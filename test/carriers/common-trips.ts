import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Given, labelsOf, openTrip, readLabel, type Trip } from './trip.ts';

type Misbehaviour = Parameters<Trip['simulator']['behave']>[1];

/** What most carriers do in the same way, each with its own words. */
export interface CommonTrips {
  readonly code: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * Numbers are those of the simulated parcels, and so are the barcodes of the labels: one label a package, or one
   * document for all of them. The simulated shipment has such data.
   */
  readonly creates?: readonly (readonly [
    ...Given,
    expected: {
      readonly labels?: 'PDF' | 'ZPL' | 'PNG';
      readonly document?: 'PDF' | 'ZPL';
      readonly data?: Readonly<Record<string, unknown>>;
    },
  ])[];
  readonly rejects?: readonly (readonly [Given, problem: object, status?: 200])[];
  /** The carrier acts on a request and gives no usable answer: how the create ends, once it has waited. */
  readonly unanswered?: {
    readonly given: Given;
    readonly path?: string;
    readonly held?: readonly Misbehaviour['do'][];
    readonly done?: readonly Misbehaviour['do'][];
  };
  /** A shipment without its labels is accepted all the same; `path` is asked for them. */
  readonly withoutLabels?: { readonly given: Given; readonly path?: string };
  /** One package of several is refused: the shipments of the others are cancelled. */
  readonly takesBack?: readonly [Given, problem: object];
  /** A second cancel is done, too, whatever status it gets; one of a shipment that has come so far is rejected. */
  readonly cancels?: {
    readonly given: Given;
    readonly after?: 'PICKED_UP' | 'IN_TRANSIT';
    readonly problem: object;
    readonly statuses?: readonly number[];
  };
  /** The carrier has no cancel, so the platform only stops. */
  readonly cancelsWithoutCall?: Given;
  /** A journey back to the sender, all numbers in one call, or one number a call. */
  readonly tracks?: { readonly given: Given; readonly call: 'items' | 'item'; readonly ends: string };
  /** Credentials are checked without a shipment. */
  readonly probes?: true;
}

export const JOURNEY = [
  'Order Created',
  'Order Picked Up',
  'In Transit',
  'At Facility',
  'At Facility',
  'Out for Delivery',
] as const;

const rows = <Row>(row: Row | undefined): readonly Row[] => (row === undefined ? [] : [row]);

/** Tests what the trips have in common. Yields the trip that is open during each test of the file. */
export const describeTrips = (common: CommonTrips): Trip => {
  const { code, settings } = common;
  let opened: Trip | undefined;
  const trip = new Proxy({} as Trip, { get: (_, name) => Reflect.get(opened ?? {}, name) as unknown });
  beforeEach(async () => {
    opened = await openTrip(code, settings);
  });
  afterEach(async () => {
    await opened?.close();
  });

  it.each(common.creates ?? [])('creates %s by %s, with its labels', async (name, service, change, expected) => {
    const { accepted, packages, inputs } = await trip.send(name, service, change);
    const [shipment] = trip.simulator.shipments(code);
    const numbers = shipment?.parcels.map(({ trackingNumber }) => trackingNumber) ?? [];
    expect(packages.map(({ itemReferenceNumber }) => itemReferenceNumber)).toEqual(
      inputs.consignment.itemList.map(({ itemReferenceNumber }) => itemReferenceNumber),
    );
    expect(packages.map(({ trackingNumber }) => trackingNumber)).toEqual(numbers);
    if (accepted.masterTrackingNumber !== undefined)
      expect(accepted.masterTrackingNumber).toBe(shipment?.trackingNumber);
    const { labels, document, data } = expected;
    if (labels !== undefined) expect(await labelsOf(accepted)).toEqual(numbers.map((number) => `${labels} ${number}`));
    if (document !== undefined) expect(await readLabel(accepted.label)).toBe([document, ...numbers].join(' '));
    expect(shipment).toMatchObject({ reference: inputs.consignment.referenceId, data: data ?? {} });
  });

  const rejects = (common.rejects ?? []).map(([given, problem, status]) => ({ given, problem, status }));
  it.each(rejects)('passes on that the carrier rejects it: $problem', async ({ given, problem, status }) => {
    expect(await trip.run('create', trip.inputsOf(...given))).toMatchObject({ kind: 'rejected', problem });
    if (status !== undefined) expect(trip.simulator.requests.at(-1)?.status).toBe(status);
  });

  const { unanswered } = common;
  it.each((['held', 'done'] as const).flatMap((ends) => (unanswered?.[ends] ?? []).map((how) => ({ how, ends }))))(
    'never creates twice after $how: $ends',
    async ({ how, ends }) => {
      const path = unanswered?.path === undefined ? {} : { path: unanswered.path };
      trip.simulator.behave(code, { do: how, acted: true, ...path });
      const { first, last } = await trip.finish('create', trip.inputsOf(...(unanswered?.given ?? ['', ''])));
      if (ends === 'done') expect(first.kind).toBe('waiting');
      expect(last).toMatchObject(ends === 'held' ? { kind: 'held', why: 'unknown_outcome' } : { kind: 'done' });
      expect(trip.simulator.shipments(code)).toHaveLength(1);
    },
  );

  it.each(rows(common.withoutLabels))('takes a shipment without its labels all the same', async ({ given, path }) => {
    trip.simulator.behave(code, { do: 'label_later', ...(path === undefined ? {} : { path }) });
    const { accepted, packages } = await trip.send(...given);
    expect(await labelsOf(accepted)).toEqual(packages.map(() => 'none'));
  });

  it.each(rows(common.takesBack))('takes back the others when a package is refused', async (given, problem) => {
    expect(await trip.run('create', trip.inputsOf(...given))).toMatchObject({ kind: 'rejected', problem });
    const shipments = trip.simulator.shipments(code);
    expect([shipments.length > 0, shipments.every(({ cancelled }) => cancelled)]).toEqual([true, true]);
  });

  it.each(rows(common.cancels))('cancels, also twice, but not once the parcel is on its way', async (cancels) => {
    const { inputs: free } = await trip.send(...cancels.given);
    const before = trip.simulator.requests.length;
    expect(await trip.run('cancel', free)).toMatchObject({ kind: 'done' });
    expect(await trip.run('cancel', free)).toMatchObject({ kind: 'done' });
    if (cancels.statuses !== undefined)
      expect(trip.simulator.requests.slice(before).map(({ status }) => status)).toEqual(cancels.statuses);
    const { inputs: moving } = await trip.send(...cancels.given);
    const { referenceId: reference } = moving.consignment;
    await trip.simulator.advance(code, { reference, status: cancels.after ?? 'PICKED_UP' });
    expect(await trip.run('cancel', moving)).toMatchObject({ kind: 'rejected', problem: cancels.problem });
  });

  it.each(rows(common.cancelsWithoutCall).map((given) => ({ given })))('cancels without a call', async ({ given }) => {
    const { inputs } = await trip.send(...given);
    const before = trip.simulator.requests.length;
    expect((await trip.run('cancel', inputs)).kind).toBe('done');
    expect(trip.simulator.requests).toHaveLength(before);
  });

  it.each(rows(common.tracks))('tracks its packages through their journey', async ({ given, call, ends }) => {
    const { packages, inputs } = await trip.send(...given);
    const { referenceId: reference } = inputs.consignment;
    await trip.simulator.play(code, { reference, journey: 'returned', intervalMs: 0 });
    const tracked = call === 'items' ? packages : packages.slice(0, 1);
    const events = await trip.track(call === 'items' ? { items: packages } : { item: packages[0] });
    expect(events.flatMap(({ warnings }) => warnings)).toEqual([]);
    for (const { trackingNumber } of tracked) {
      const own = events.filter(({ update: { value } }) => value === trackingNumber || value === undefined);
      expect(own.map(({ status }) => status).toReversed()).toEqual([...JOURNEY, 'Delivery Failed', ends]);
    }
  });

  it.each(common.probes === true ? [true] : [])('checks its credentials', async () => {
    expect(await trip.run('probe', {})).toMatchObject({ kind: 'done' });
  });
  return trip;
};
