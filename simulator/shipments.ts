// What a simulated carrier knows of its shipments, in memory.
import { randomUUID } from 'node:crypto';
import type { LabelContent, LabelFormat } from './label.ts';
import type { Stage } from './lifecycle.ts';

/** A carrier's own words for a stage. */
export interface CarrierStatus {
  readonly code: string;
  readonly description: string;
  readonly subCode?: string;
  readonly subDescription?: string;
}

export interface Place {
  readonly code: string;
  readonly city: string;
  readonly country: string;
  /** IANA zone. */
  readonly zone: string;
  readonly latitude: string;
  readonly longitude: string;
}

export interface ParcelEvent {
  /** Null for a code given by hand. */
  readonly stage: Stage | null;
  readonly status: CarrierStatus;
  readonly at: Date;
  readonly place: Place;
  /** Laid over the pushed body, e.g. `extraInfo`. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface Parcel {
  readonly part: number;
  readonly reference: string;
  readonly trackingNumber: string;
  label: LabelContent;
  labelFormat: LabelFormat;
  /** The label's unguessable name in a URL. */
  readonly labelKey: string;
  /** How often its label is still to be answered with a placeholder. */
  labelAsks: number;
  labelStatus: number;
  readonly events: ParcelEvent[];
}

export interface Shipment {
  readonly carrier: string;
  readonly reference: string;
  readonly trackingNumber: string;
  readonly origin: Place;
  readonly destination: Place;
  readonly createdAt: Date;
  parcels: Parcel[];
  cancelled: boolean;
  /** The accepted request and whatever else the carrier keeps. */
  data: Readonly<Record<string, unknown>>;
}

/** What a parcel begins with: nothing has happened to it, and its label is there at once unless the request says later. */
export const newParcel = (request?: {
  readonly mischief: string | null;
  readonly placeholder: { readonly asks: number; readonly status: number };
}): Pick<Parcel, 'labelKey' | 'labelAsks' | 'labelStatus' | 'events'> => ({
  labelKey: randomUUID(),
  labelAsks: request?.mischief === 'label_later' ? request.placeholder.asks : 0,
  labelStatus: request?.placeholder.status ?? 404,
  events: [],
});

/** Shipments in the order of their creation; the oldest are forgotten beyond `limit`. */
export class ShipmentBook {
  readonly #shipments = new Set<Shipment>();
  readonly #byNumber = new Map<string, Shipment>();
  readonly #byReference = new Map<string, Shipment[]>();
  readonly #byLabel = new Map<string, Parcel>();
  readonly #limit: number;
  /** Called with each new shipment. */
  onAdd: (shipment: Shipment) => void = () => {};

  constructor(limit = 10_000) {
    this.#limit = limit;
  }

  add(shipment: Shipment): Shipment {
    this.#shipments.add(shipment);
    this.#byReference.set(shipment.reference, [...this.#ofReference(shipment.reference), shipment]);
    this.index(shipment);
    for (const oldest of this.#shipments) {
      if (this.#shipments.size <= this.#limit) break;
      this.#forget(oldest);
    }
    this.onAdd(shipment);
    return shipment;
  }

  /** Makes a changed shipment's parcels findable. */
  index(shipment: Shipment): void {
    this.#byNumber.set(shipment.trackingNumber, shipment);
    for (const parcel of shipment.parcels) {
      this.#byNumber.set(parcel.trackingNumber, shipment);
      this.#byLabel.set(parcel.labelKey, parcel);
    }
  }

  /** By the shipment's number or one of its parcels'. */
  findByNumber(trackingNumber: string): Shipment | null {
    return this.#byNumber.get(trackingNumber) ?? null;
  }

  /** The newest of that reference that is not cancelled, else the newest of all. */
  findByReference(reference: string): Shipment | null {
    const found = this.#ofReference(reference);
    return found.findLast((shipment) => !shipment.cancelled) ?? found.at(-1) ?? null;
  }

  findLabel(key: string): Parcel | null {
    return this.#byLabel.get(key) ?? null;
  }

  list(): readonly Shipment[] {
    return [...this.#shipments];
  }

  #ofReference(reference: string): readonly Shipment[] {
    return this.#byReference.get(reference) ?? [];
  }

  #forget(shipment: Shipment): void {
    this.#shipments.delete(shipment);
    const others = this.#ofReference(shipment.reference).filter((other) => other !== shipment);
    if (others.length > 0) this.#byReference.set(shipment.reference, others);
    else this.#byReference.delete(shipment.reference);
    this.#byNumber.delete(shipment.trackingNumber);
    for (const parcel of shipment.parcels) {
      this.#byNumber.delete(parcel.trackingNumber);
      this.#byLabel.delete(parcel.labelKey);
    }
  }
}

/** Whether the carrier has a parcel of it in its hands, so that it can no longer be changed or cancelled. */
export function isUnderWay(shipment: Shipment): boolean {
  return shipment.parcels.some((parcel) =>
    parcel.events.some((event) => event.stage !== null && event.stage !== 'SHIPMENT_CREATED'),
  );
}

export function isDelivered(shipment: Shipment): boolean {
  return shipment.parcels.every((parcel) => parcel.events.at(-1)?.stage === 'DELIVERED');
}
