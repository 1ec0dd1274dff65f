// The state of one carrier in a running simulator.
import { BehaviourQueue } from './behaviour.ts';
import type { SimulatedCarrier, World } from './carrier.ts';
import { placeOf, type Stage } from './lifecycle.ts';
import { type CarrierStatus, type Parcel, type ParcelEvent, type Shipment, ShipmentBook } from './shipments.ts';

export interface Host {
  readonly carrier: SimulatedCarrier;
  readonly world: World;
  readonly behaviours: BehaviourQueue;
}

export interface HostOptions {
  readonly url: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly privateLabels: boolean;
  readonly now: () => Date;
}

export function createHost(carrier: SimulatedCarrier, options: HostOptions): Host {
  let drawn = 0;
  const startedAtMs = options.now().getTime();
  const world: World = {
    url: options.url,
    credentials: { ...carrier.credentials, ...options.credentials },
    shipments: new ShipmentBook(),
    memory: new Map(),
    privateLabels: options.privateLabels,
    now: options.now,
    // Numbers go on from the time of the start, one a millisecond, so that a restart does not repeat them.
    number: (prefix, digits) => {
      drawn += 1;
      return prefix + String((startedAtMs + drawn) % 10 ** digits).padStart(digits, '0');
    },
    created: (shipment) => {
      for (const parcel of shipment.parcels) world.reach(shipment, parcel, 'SHIPMENT_CREATED');
      return world.shipments.add(shipment);
    },
    reach: (shipment, parcel, stage) =>
      recordEvent(shipment, parcel, { stage, status: carrier.statuses[stage], at: options.now(), extra: {} }),
  };
  return { carrier, world, behaviours: new BehaviourQueue() };
}

/**
 * Adds an event to a parcel. Without a time given by hand it lies at least a second after the one before, because
 * carriers write whole seconds and the order must stay readable.
 */
export function recordEvent(
  shipment: Shipment,
  parcel: Parcel,
  event: {
    stage: Stage | null;
    status: CarrierStatus;
    at: Date;
    exactly?: boolean;
    extra: Readonly<Record<string, unknown>>;
  },
): ParcelEvent {
  const last = parcel.events.at(-1);
  const earliestMs = last && event.exactly !== true ? last.at.getTime() + 1000 : 0;
  const end = event.stage === null ? 'destination' : placeOf(event.stage);
  const recorded: ParcelEvent = {
    stage: event.stage,
    status: event.status,
    at: new Date(Math.max(event.at.getTime(), earliestMs)),
    place: shipment[end],
    extra: event.extra,
  };
  parcel.events.push(recorded);
  return recorded;
}
