// The whole journey of one carrier, told as it happens. Every promise is a check that can fail.
import { setTimeout as wait } from 'node:timers/promises';
import type { Simulator } from '../../src/workbench/simulate/running.ts';
import type { DemoCarrier } from './carriers.ts';
import type { Receiver, ReceivedNotice } from './receiver.ts';
import type { Platform, Reply } from './server.ts';
import { orderFor } from './order.ts';
import type { Story } from './story.ts';

export interface Stage {
  readonly platform: Platform;
  readonly simulator: Simulator;
  readonly receiver: Receiver;
  readonly shipperToken: string;
  readonly story: Story;
}

interface Tracked {
  readonly packageId: string;
  readonly trackingNumber: string;
  readonly label: string;
}

interface Consignment {
  readonly status?: string;
  readonly events?: readonly { readonly status: string }[];
}

const PATIENCE_MS = 30_000;

export async function travel(stage: Stage, carrier: DemoCarrier): Promise<void> {
  const { platform, story } = stage;
  story.chapter(carrier.code);
  await openAccount(stage, carrier);

  const reference = `DEMO-${carrier.code}-1`;
  const created = await platform.call('POST', '/v2/consignments', stage.shipperToken, orderFor(carrier, reference, 2));
  story.check(`created ${reference}: 200`, created.status === 200, created.body);
  const tracked = trackedIn(created);
  story.check(
    'a tracking number for each of two packages',
    tracked.length === 2 && tracked.every(({ trackingNumber }) => trackingNumber !== ''),
    created.body,
  );
  for (const { packageId, trackingNumber } of tracked) story.tell(`  ${packageId} → ${trackingNumber}`);
  await checkLabels(stage, carrier, tracked);
  await checkDuplicate(stage, carrier, reference);
  await checkRejection(stage, carrier, reference);
  await checkCancel(stage, carrier);
  await deliver(stage, carrier, reference, tracked);
  await checkOthersTold(stage, carrier);
}

async function openAccount({ platform, simulator, story }: Stage, carrier: DemoCarrier): Promise<void> {
  const saved = await platform.call('PUT', '/admin/accounts', platform.adminToken, {
    shipper: 'demo',
    carrier: carrier.code,
    environment: 'production',
    ...accountOf(carrier, simulator),
  });
  story.check('account saved', saved.status === 200, saved.body);
}

/** What the simulated carrier accepts, with what the demo's orders need. */
const accountOf = ({ code, settings }: DemoCarrier, { accounts }: Simulator) => ({
  credentials: accounts[code]?.credentials,
  settings: { ...accounts[code]?.settings, ...settings },
});

/** An error's `data` is one object, a success's a list. */
const entriesIn = <T>(reply: Reply): T[] => [reply.body['data'] ?? []].flat() as T[];

const trackedIn = (reply: Reply): Tracked[] => {
  const [entry] = entriesIn<{ readonly trackingDetails?: readonly Tracked[] }>(reply);
  return [...(entry?.trackingDetails ?? [])];
};

async function checkLabels(stage: Stage, carrier: DemoCarrier, tracked: readonly Tracked[]): Promise<void> {
  for (const { packageId, label } of tracked) {
    const ask = async () => await stage.platform.call('GET', new URL(label).pathname, stage.shipperToken);
    let fetched = await ask();
    // Some are made only after a while.
    for (let tries = 0; fetched.status !== 200 && tries < 40; tries += 1) {
      await wait(250);
      fetched = await ask();
    }
    const isLabel =
      carrier.labelFormat === 'PDF'
        ? fetched.bytes.subarray(0, 5).toString() === '%PDF-'
        : fetched.bytes.includes('^XA');
    stage.story.check(
      `label of ${packageId}: ${fetched.bytes.length} bytes of ${fetched.type}`,
      fetched.status === 200 && isLabel,
      fetched.body,
    );
  }
}

async function checkDuplicate(
  { platform, shipperToken, story }: Stage,
  carrier: DemoCarrier,
  reference: string,
): Promise<void> {
  const again = await platform.call('POST', '/v2/consignments', shipperToken, orderFor(carrier, reference, 2));
  story.check('the same reference again: 409 with the existing tracking', again.status === 409, again.body);
}

async function checkRejection(
  { platform, simulator, shipperToken, story }: Stage,
  carrier: DemoCarrier,
  createdBefore: string,
): Promise<void> {
  // Refused where the first was created: it may be asked for statuses meanwhile.
  const created = simulator.requests.find(
    ({ carrier: code, body }) => code === carrier.code && body.includes(createdBefore),
  );
  simulator.behave(carrier.code, { do: 'refuse', path: created?.path.split('?')[0] ?? '' });
  const reply = await platform.call(
    'POST',
    '/v2/consignments',
    shipperToken,
    orderFor(carrier, `DEMO-${carrier.code}-2`, 1),
  );
  story.check('a refusal by the carrier: 422 with its message', reply.status === 422, reply.body);
}

async function checkCancel(stage: Stage, carrier: DemoCarrier): Promise<void> {
  const { platform, shipperToken, story } = stage;
  const reference = `DEMO-${carrier.code}-3`;
  const created = await platform.call('POST', '/v2/consignments', shipperToken, orderFor(carrier, reference, 1));
  await checkLabels(stage, carrier, trackedIn(created));
  const reply = await platform.call('POST', '/v2/consignments-cancel', shipperToken, {
    consignments: [{ referenceNumber: reference, remark: 'Example change of mind' }],
  });
  const [entry] = entriesIn<{ readonly status?: string; readonly message?: string }>(reply);
  story.check(`cancel of ${reference}: ${entry?.status} (${entry?.message})`, entry?.status === 'Success', reply.body);
}

/** From pickup to the door, through the carrier's own statuses, until the shipper has heard that all is delivered. */
async function deliver(
  stage: Stage,
  carrier: DemoCarrier,
  reference: string,
  tracked: readonly Tracked[],
): Promise<void> {
  const { simulator, receiver, story, platform, shipperToken } = stage;
  // One number may stand for all packages.
  const underWay = new Set<string>();
  for (const { trackingNumber } of tracked) {
    if (underWay.has(trackingNumber)) continue;
    const events = await simulator.play(carrier.code, { number: trackingNumber, journey: 'delivered', intervalMs: 50 });
    for (const event of events) underWay.add(event.number);
  }
  const mine = (): ReceivedNotice[] => toldOf(receiver, reference);
  const delivered = (): string[] =>
    mine()
      .filter(({ event }) => event.startsWith('consignment.order_delivered'))
      .map(({ trackingNumber }) => trackingNumber ?? '');
  const all =
    tracked.length > 0 &&
    (await until(() => tracked.every(({ trackingNumber }) => delivered().includes(trackingNumber))));
  const stored = await platform.call('GET', `/v2/consignments?referenceNumber=${reference}`, shipperToken);
  const [{ status, events = [] } = {}] = entriesIn<Consignment>(stored);
  const worthTelling = events.filter((event) => event.status !== 'No Change');
  const statuses = (): ReceivedNotice[] => mine().filter(({ carrierStatus }) => carrierStatus !== undefined);
  const complete = await until(() => isComplete(mine()) && statuses().length >= worthTelling.length);
  const told = mine().map((notice) => `  webhook ${notice.event} ${notice.trackingNumber}: ${notice.status}`);
  for (const line of told) story.tell(line);
  story.check('signed webhooks up to Order Delivered for every package', all, { received: told.length });
  story.check('a webhook for every event, in an unbroken sequence', complete, { worthTelling, told });
  story.check(
    'tracking numbers were told by webhook',
    mine().some(({ event }) => event === 'consignment.tracking'),
    {},
  );
  story.check('GET says Order Delivered', stored.status === 200 && status === 'Order Delivered', stored.body);
  story.check('no webhook had a wrong signature', receiver.forged() === 0, {});
}

/** The refusal and the cancel are told as well. */
async function checkOthersTold({ receiver, story }: Stage, carrier: DemoCarrier): Promise<void> {
  const refused = (): ReceivedNotice[] => toldOf(receiver, `DEMO-${carrier.code}-2`);
  const cancelled = (): ReceivedNotice[] => toldOf(receiver, `DEMO-${carrier.code}-3`);
  const told = await until(
    () =>
      refused().some(({ event }) => event.startsWith('consignment.rejected')) &&
      cancelled().some(({ status }) => status === 'Cancelled') &&
      isComplete(cancelled()),
  );
  story.check('the refusal and the cancel were told by webhook', told, [...refused(), ...cancelled()]);
}

const toldOf = ({ received }: Receiver, reference: string): ReceivedNotice[] =>
  received.filter(({ referenceNumber }) => referenceNumber === reference);

/** Nothing that is told of a consignment is left out; it may come in another order. */
const isComplete = (notices: readonly ReceivedNotice[]): boolean => {
  const sequences = new Set(notices.map(({ sequence }) => sequence));
  return sequences.size === Math.max(...sequences);
};

async function until(holds: () => boolean): Promise<boolean> {
  const end = Date.now() + PATIENCE_MS;
  while (!holds() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
  return holds();
}
