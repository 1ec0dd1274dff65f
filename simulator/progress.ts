// Moves parcels on, and tells the platform where the carrier pushes.
import { setTimeout as wait } from 'node:timers/promises';
import { isJourney, isStage, journeys, type Journey, type Stage } from './lifecycle.ts';
import { at, isObject, textAt } from './reply.ts';
import type { CarrierStatus, Parcel, ParcelEvent, Shipment } from './shipments.ts';
import { recordEvent, type Host } from './world.ts';

/** Which parcels: by the number of the shipment or of one parcel, or by the reference; `package` narrows. */
interface Which {
  readonly trackingNumber?: string;
  readonly reference?: string;
  readonly package?: string;
}

export interface Advance extends Which {
  /** A stage, or a code of the carrier's own. */
  readonly status: Stage | CarrierStatus;
  /** The event's time; now unless said. */
  readonly at?: Date;
  /** Laid over the pushed body. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** False: only recorded, for carriers that are polled too. */
  readonly push?: boolean;
  /** How often the same event is pushed; 1 unless said. */
  readonly repeat?: number;
}

export interface Play extends Which {
  readonly journey?: Journey;
  readonly intervalMs?: number;
}

/** What became of a push: the platform's status, or why there was none. */
export type PushResult = { readonly status: number } | { readonly error: string };

export interface Advanced {
  readonly trackingNumber: string;
  readonly stage: Stage | null;
  readonly code: string;
  readonly at: string;
  readonly pushes: readonly PushResult[];
}

export interface PushTarget {
  /** The platform's address, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** What the platform gave each carrier: a token, or what the carrier's own push needs. */
  readonly secrets: Readonly<Record<string, string>>;
}

export type Pusher = (host: Host, shipment: Shipment, parcel: Parcel, event: ParcelEvent) => Promise<PushResult | null>;

/** Moves the chosen parcels on by one event. Null when there is no such parcel. */
export async function advance(host: Host, step: Advance, push: Pusher): Promise<readonly Advanced[] | null> {
  const found = findParcels(host, step);
  if (!found) return null;
  const moved: Advanced[] = [];
  for (const parcel of found.parcels) {
    const stage = isStage(step.status) ? step.status : null;
    const event = recordEvent(found.shipment, parcel, {
      stage,
      status: isStage(step.status) ? host.carrier.statuses[step.status] : step.status,
      at: step.at ?? host.world.now(),
      exactly: step.at !== undefined,
      extra: step.extra ?? {},
    });
    const pushes: PushResult[] = [];
    for (let time = 0; step.push !== false && time < (step.repeat ?? 1); time += 1) {
      const result = await push(host, found.shipment, parcel, event);
      if (result) pushes.push(result);
    }
    moved.push({
      trackingNumber: parcel.trackingNumber,
      stage,
      code: event.status.code,
      at: event.at.toISOString(),
      pushes,
    });
  }
  return moved;
}

/**
 * Plays a whole journey, each stage after a wait of `intervalMs`, so that the answer to a create is out before its first
 * status. Ends early when the shipment is cancelled. Null when there is no such parcel.
 */
export async function play(
  host: Host,
  spec: Play,
  push: Pusher,
  signal: AbortSignal,
): Promise<readonly Advanced[] | null> {
  const found = findParcels(host, spec);
  if (!found) return null;
  const isAnnounced = found.parcels.every((parcel) => parcel.events.length > 0);
  const moved: Advanced[] = [];
  for (const stage of journeys[spec.journey ?? 'delivered']) {
    if (stage === 'SHIPMENT_CREATED' && isAnnounced) continue;
    await wait(spec.intervalMs ?? 1000, undefined, { signal }).catch(() => {});
    if (found.shipment.cancelled || signal.aborted) break;
    moved.push(...((await advance(host, { ...spec, status: stage }, push)) ?? []));
  }
  return moved;
}

function findParcels(host: Host, which: Which): { shipment: Shipment; parcels: readonly Parcel[] } | null {
  const { shipments } = host.world;
  const shipment =
    which.trackingNumber === undefined
      ? which.reference === undefined
        ? null
        : shipments.findByReference(which.reference)
      : shipments.findByNumber(which.trackingNumber);
  if (!shipment) return null;
  const parcels = shipment.parcels.filter(
    (parcel) =>
      (which.package === undefined || parcel.reference === which.package) &&
      (which.trackingNumber === undefined ||
        which.trackingNumber === shipment.trackingNumber ||
        which.trackingNumber === parcel.trackingNumber),
  );
  return parcels.length === 0 ? null : { shipment, parcels };
}

/** A step out of a control request, or what is wrong with it. */
export function parseAdvance(value: unknown): Advance | { readonly error: string } {
  const status = parseStatus(at(value, 'status'));
  if (!status) return { error: '"status" must be a stage, or { code, description?, subCode?, subDescription? }' };
  const given = at(value, 'at');
  const time = typeof given === 'string' ? new Date(given) : undefined;
  if (given !== undefined && (!time || Number.isNaN(time.getTime()))) return { error: '"at" must be an ISO time' };
  const repeat = at(value, 'repeat') ?? 1;
  if (typeof repeat !== 'number' || !Number.isInteger(repeat) || repeat < 1 || repeat > 1000)
    return { error: '"repeat" must be an integer from 1 to 1000' };
  const extra = at(value, 'extra') ?? {};
  if (!isObject(extra)) return { error: '"extra" must be an object' };
  return {
    ...parseWhich(value),
    status,
    repeat,
    extra,
    push: at(value, 'push') !== false,
    ...(time ? { at: time } : {}),
  };
}

/** A journey out of a control request, or what is wrong with it. */
export function parsePlay(value: unknown): Play | { readonly error: string } {
  const journey = at(value, 'journey') ?? 'delivered';
  if (!isJourney(journey)) return { error: `"journey" must be one of ${Object.keys(journeys).join(', ')}` };
  const intervalMs = at(value, 'intervalMs') ?? 1000;
  if (typeof intervalMs !== 'number' || intervalMs < 0 || intervalMs > 3_600_000)
    return { error: '"intervalMs" must be a number from 0 to 3600000' };
  return { ...parseWhich(value), journey, intervalMs };
}

function parseWhich(value: unknown): Which {
  const which: { trackingNumber?: string; reference?: string; package?: string } = {};
  for (const key of ['trackingNumber', 'reference', 'package'] as const) {
    const text = textAt(value, key);
    if (text !== '') which[key] = text;
  }
  return which;
}

function parseStatus(value: unknown): Stage | CarrierStatus | null {
  if (isStage(value)) return value;
  const code = textAt(value, 'code');
  if (!isObject(value) || code === '') return null;
  const subCode = textAt(value, 'subCode');
  const subDescription = textAt(value, 'subDescription');
  return {
    code,
    description: textAt(value, 'description'),
    ...(subCode === '' ? {} : { subCode }),
    ...(subDescription === '' ? {} : { subDescription }),
  };
}
