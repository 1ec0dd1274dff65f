/** What a running simulator offers: as an object, and over HTTP by its control routes. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { CaseFiles } from '../cases/read.ts';
import type { Behaviour } from './behaviour.ts';
import type { Host } from './host.ts';
import type { Advanced, Journey, Pushed, PushTarget, Step, Way } from './progress.ts';
import type { Shipment } from './shipments.ts';

export interface SimulatorOptions {
  readonly carriers: readonly Carrier[];
  readonly files: CaseFiles;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** The platform that statuses are pushed to; may be set later. */
  readonly pushTo?: PushTarget | undefined;
  /** Each new shipment goes through a journey by itself. */
  readonly autoplay?: { readonly journey: Journey; readonly intervalMs: number } | undefined;
  /** Of every carrier from the start. */
  readonly behaviours?: readonly Behaviour[];
  readonly nowMs?: () => number;
}

export interface LoggedRequest {
  readonly carrier: string;
  readonly method: string;
  /** Path and query, without the carrier's prefix. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** undefined: there was no answer. */
  readonly status: number | undefined;
  /** The case that the answer is from, or why it was refused. */
  readonly from: string;
}

export interface Simulator {
  readonly url: string;
  /** What a profile writes as the URL of its environment, by code. */
  readonly carriers: Readonly<Record<string, string>>;
  /** What each accepts: the examples of its profile. */
  readonly accounts: Readonly<Record<string, Pick<Host['account'], 'credentials' | 'settings'>>>;
  /** The newest 1,000, oldest first. */
  readonly requests: readonly LoggedRequest[];
  readonly pushes: readonly Pushed[];
  shipments(carrier: string): readonly Shipment[];
  behave(carrier: string, behaviour: Behaviour): void;
  advance(carrier: string, step: Step): Promise<readonly Advanced[]>;
  play(carrier: string, way: Way): Promise<readonly Advanced[]>;
  pushTo(target: PushTarget | undefined): void;
  /** Forgets what was logged, and every misbehaviour that was asked for. */
  clear(): void;
  close(): Promise<void>;
}
