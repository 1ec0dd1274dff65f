// What one simulated carrier is. A file of this folder that exports `carrier` is found by itself (registry.ts).
import type { IncomingHttpHeaders } from 'node:http';
import type { Stage } from './lifecycle.ts';
import type { CarrierStatus, Parcel, ParcelEvent, Shipment, ShipmentBook } from './shipments.ts';

/** What a carrier can be asked to do wrong inside an otherwise good answer. */
export type Mischief = 'wrong_echo' | 'wrong_count' | 'label_later';

/** A request as it came, its path without the carrier's prefix, e.g. `/labels/delete`. */
export interface CarrierRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly mischief: Mischief | null;
  /** `label_later`: how often the label is asked for in vain, and with which status. */
  readonly placeholder: { readonly asks: number; readonly status: number };
  /** Remarks what is wrong with a request that is accepted all the same; shown in the request log. */
  remark(finding: string): void;
}

export interface CarrierResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What the frame gives to a carrier: its own state, a clock, numbers that are not used twice. */
export interface World {
  /** Where this carrier listens, e.g. `http://127.0.0.1:4010/plain`. */
  readonly url: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly shipments: ShipmentBook;
  /** Anything else a carrier must remember: logins, pickups. */
  readonly memory: Map<string, unknown>;
  readonly privateLabels: boolean;
  now(): Date;
  /** A new number, e.g. `PLN0481500001`; unlikely to repeat after a restart. */
  number(prefix: string, digits: number): string;
  /** Keeps a new shipment; its parcels have reached their first stage. */
  created(shipment: Shipment): Shipment;
  /** Records that a parcel reached a stage, under the carrier's own code. */
  reach(shipment: Shipment, parcel: Parcel, stage: Stage): ParcelEvent;
}

/** A request that the carrier sends to the platform; `path` follows the platform's address. */
export interface Push {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A carrier's own words for each stage. */
export type StageStatuses = Readonly<Record<Stage, CarrierStatus>>;

export interface SimulatedCarrier {
  /** The platform's carrier code; also the prefix of its paths. */
  readonly code: string;
  readonly name: string;
  /** What follows the prefix in the URL that a profile writes, e.g. `/mydhlapi`. */
  readonly basePath: string;
  /** The credentials it accepts unless others are set. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly statuses: StageStatuses;
  readonly mischief: readonly Mischief[];
  handle(request: CarrierRequest, world: World): CarrierResponse | Promise<CarrierResponse>;
  /** A refusal in the carrier's own form, for misbehaviour on request. */
  refuse(status: number, message: string, request: CarrierRequest): CarrierResponse;
  /** How an event is pushed; absent where the carrier is only polled. `secret` is what the platform gave the carrier. */
  push?(event: ParcelEvent, of: { shipment: Shipment; parcel: Parcel }, secret: string): Push;
}
