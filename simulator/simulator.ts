// What a running simulator offers: to tests and the demo as an object, over HTTP through control.ts.
import type { Behaviour } from './behaviour.ts';
import type { SimulatedCarrier } from './carrier.ts';
import type { Advance, Advanced, Play, PushTarget } from './progress.ts';
import type { LoggedPush } from './push.ts';
import type { Shipment } from './shipments.ts';
import type { Host } from './world.ts';

export interface SimulatorOptions {
  /** Codes of carriers, or carriers themselves; all of them unless said. */
  readonly carriers?: readonly (string | SimulatedCarrier)[];
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** The platform that statuses are pushed to; may be set later by `pushTo`. */
  readonly pushTo?: PushTarget;
  /** By carrier code, laid over what each carrier accepts by itself. */
  readonly credentials?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Each new shipment goes through a journey by itself. */
  readonly autoplay?: Omit<Play, 'trackingNumber' | 'reference' | 'package'>;
  /** Label URLs ask for the carrier's credentials; else they are public and unguessable. */
  readonly privateLabels?: boolean;
  readonly now?: () => Date;
}

export interface LoggedRequest {
  readonly at: string;
  readonly carrier: string;
  readonly method: string;
  /** Path and query, without the carrier's prefix. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The status answered, or null when the problem left none. */
  readonly status: number | null;
  readonly problem: string | null;
  /** What was wrong with the request although it was accepted. */
  readonly findings: readonly string[];
}

export interface Simulator {
  readonly url: string;
  /** What a profile writes as the carrier's URL, by code. */
  readonly carriers: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The newest 1,000 requests to the carriers, oldest first. */
  readonly requests: readonly LoggedRequest[];
  readonly pushes: readonly LoggedPush[];
  shipments(carrier: string): readonly Shipment[];
  behave(carrier: string, behaviour: Behaviour): void;
  /** Throws when there is no such parcel. */
  advance(carrier: string, step: Advance): Promise<readonly Advanced[]>;
  play(carrier: string, spec: Play): Promise<readonly Advanced[]>;
  pushTo(target: PushTarget | null): void;
  close(): Promise<void>;
}

/** What the control endpoints work on. */
export interface Running extends Omit<Simulator, 'close' | 'url'> {
  host(code: string): Host | null;
  clear(): void;
}
