/** Runs one payload through a profile, with the server's own engine. */
import { webhookUrl } from '../cases/perform.ts';
import { type CaseFile, unwrittenCase } from '../cases/read.ts';
import type { Case } from '../cases/schema.ts';
import { accountOf } from '../cases/account.ts';
import { itemsOf } from '../cases/story.ts';
import { isMap } from '../../engine/value.ts';
import { Failure } from '../../engine/failure.ts';
import { readPush, type StatusUpdate } from '../../engine/statuses/status-update.ts';
import { takeOrder } from '../../engine/consignment/intake.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { normalise } from '../../engine/statuses/normalise.ts';
import { mapWebhook } from '../../engine/statuses/carrier-webhook.ts';
import { environmentOf } from '../engine-run.ts';
import { classifyAnswer } from './classify-answer.ts';
import { endedEarly, type Observation, seenEvent } from './observation.ts';
import type { Payload } from './payload.ts';
import { stepOf, targetOf } from './target.ts';
import { observeCase, type Observing } from './observe-case.ts';

export interface Running extends Observing {
  /** What the clock shows where the payload does not say. */
  readonly nowMs: number;
  /** The shipper's word for the service, for consignments whose typeOfService is that of several. */
  readonly service?: string | undefined;
  /** The account, where it is not the profile's examples. */
  readonly given?: Pick<NonNullable<Case['given']>, 'environment' | 'credentials' | 'settings'>;
}

/** Throws a `Failure` when the payload does not fit the carrier: it is not to be used with it. */
export const runPayload = async (
  payload: Payload,
  carrier: Carrier,
  running: Running,
): Promise<readonly Observation[]> => {
  const { nowMs } = running;
  switch (payload.kind) {
    case 'order':
      return await runOrder(payload, carrier, running);
    case 'consignment':
      return await observeCase(caseOf(payload, payload.consignment, running.service, running), carrier, running);
    case 'case':
      return await observeCase(withGiven(payload.caseFile, running), carrier, running);
    case 'push':
      return [runPush(payload.body, carrier, nowMs)];
    case 'webhook':
      return [await runWebhook(payload, carrier, nowMs)];
    case 'answer':
      return [await classifyAnswer({ carrier, ...stepOf(carrier, payload.target), answer: payload.answer, nowMs })];
    case 'call':
      return [
        await classifyAnswer({ carrier, ...targetOf(carrier, payload.call), answer: payload.call.answer, nowMs }),
      ];
  }
};

const withGiven = (caseFile: CaseFile, { given }: Running): CaseFile =>
  given === undefined
    ? caseFile
    : { ...caseFile, content: { ...caseFile.content, given: { ...caseFile.content.given, ...given } } };

// Orders and consignments --------------------------------------------------------------------------------------------

const runOrder = async (
  payload: Extract<Payload, { kind: 'order' }>,
  carrier: Carrier,
  running: Running,
): Promise<readonly Observation[]> => {
  const taken = await takeOrder(payload.body, carrier, { nowMs: running.nowMs });
  if (taken.kind !== 'ready') {
    const code = taken.kind === 'invalid' ? 'http_400' : 'http_422';
    const messages = taken.issues.map(({ message }) => message);
    return [endedEarly('order', 'reject', code, messages)];
  }
  const { consignment, service } = taken;
  return await observeCase(caseOf(payload, consignment, service.name, running), carrier, running);
};

const ACTIONS: Readonly<Record<string, 'update' | 'cancel'>> = { UPDATE: 'update', CANCEL: 'cancel' };

/** A case that asks for what the consignment's `typeOfAction` says, and of which nothing is expected. */
const caseOf = (
  { place }: Pick<Payload, 'place'>,
  consignment: Readonly<Record<string, unknown>>,
  service: string | undefined,
  { nowMs, given }: Running,
): CaseFile => {
  const action = ACTIONS[String(consignment['typeOfAction'])] ?? 'create';
  const content: Case = {
    case: 'replayed',
    given: {
      now: new Date(nowMs).toISOString(),
      consignment,
      ...(service === undefined ? {} : { service }),
      ...(action === 'create' ? {} : { shipment: { packages: packagesOf(consignment) } }),
      ...given,
    },
    flow: [{ do: action }],
  };
  return unwrittenCase(content, place, '');
};

/** A later action names its packages by the numbers that the carrier gave them. */
const packagesOf = (consignment: Readonly<Record<string, unknown>>) =>
  itemsOf(consignment)
    .filter(isMap)
    .map(({ itemReferenceNumber, itemTrackingNumber: trackingNumber }) => ({
      itemReferenceNumber: String(itemReferenceNumber),
      ...(typeof trackingNumber === 'string' ? { trackingNumber } : {}),
    }));

// What carriers send -------------------------------------------------------------------------------------------------

const runPush = (body: unknown, carrier: Carrier, nowMs: number): Observation => {
  const read = (Array.isArray(body) ? (body as readonly unknown[]) : [body]).map(readPush);
  const updates = read.filter((one) => one !== undefined);
  if (updates.length < read.length) throw new Failure('a status update must be a map', { code: 'payload_unusable' });
  return eventsSeen('push', updates, carrier, nowMs);
};

const eventsSeen = (action: string, updates: readonly StatusUpdate[], carrier: Carrier, nowMs: number): Observation => {
  const events = updates.map((update) => seenEvent(normalise(carrier, update, nowMs)));
  return { action, outcome: 'admitted', requests: [], events };
};

/** Authentication is not tried: a recorded call's has lapsed, or is masked. */
const runWebhook = async (
  payload: Extract<Payload, { kind: 'webhook' }>,
  carrier: Carrier,
  nowMs: number,
): Promise<Observation> => {
  const { webhook } = carrier.statuses;
  if (webhook === undefined) throw new Failure(`${carrier.code} has no statuses.webhook`, { code: 'payload_unusable' });
  const receivedMs = payload.receivedAtMs ?? nowMs;
  const scene = {
    carrier,
    webhook,
    account: accountOf(carrier, undefined),
    environment: environmentOf(carrier),
    webhookUrl: webhookUrl(carrier.code),
    nowMs: receivedMs,
  };
  try {
    return eventsSeen('webhook', await mapWebhook(scene, payload.came), carrier, receivedMs);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return endedEarly('webhook', 'config_error', thrown.code, [thrown.describe()]);
  }
};

const UNUSABLE = 'payload_unusable';

/** As `runPayload`; that a version of the carrier cannot use a payload is an observation, too. */
export const tryPayload = async (
  payload: Payload,
  carrier: Carrier,
  running: Running,
): Promise<readonly Observation[]> => {
  try {
    return await runPayload(payload, carrier, running);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return [endedEarly(payload.kind, 'invalid', UNUSABLE, [thrown.message])];
  }
};

export const isUsable = (observations: readonly Observation[]): boolean =>
  observations.some(({ outcome, code }) => outcome !== 'invalid' || code !== UNUSABLE);
