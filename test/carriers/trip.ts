import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { start } from '../../simulator/server.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { createCarrierLimits } from '../../src/engine/dispatch/limits.ts';
import { createMemoryLog } from '../../src/engine/dispatch/attempt-log.ts';
import { createMemoryTokens } from '../../src/engine/dispatch/token-store.ts';
import type { Inputs, AttemptLog, RunOutcome } from '../../src/engine/dispatch/ports.ts';
import { runOperation } from '../../src/engine/dispatch/operation.ts';
import type { FetchedLabel } from '../../src/engine/dispatch/result.ts';
import { labelOfContent } from '../../src/engine/labels/fetch.ts';
import { normalise, type NormalisedEvent } from '../../src/engine/statuses/normalise.ts';
import { readContractPush, type StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { readPdf, readPng, readZpl } from '../simulator/barcode.ts';
import type { Accepted } from '../../src/engine/consignment/answer.ts';
import type { Consignment } from '../../src/engine/consignment/consignment.ts';
import { findService } from '../../src/engine/consignment/service.ts';
import { checkAccount } from '../../src/engine/profile/account.ts';
import type { Carrier, EnvironmentDefinition, OperationName } from '../../src/engine/profile/carrier.ts';
import { directoryFiles } from '../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../src/engine/profile/load.ts';
import { createTransport } from '../../src/engine/transport/transport.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A bundled carrier; throws with its findings when it does not load. */
export const bundled = (code: string): Carrier => {
  const files = directoryFiles(ROOT);
  const { carrier, findings } = loadCarrier(code, { home: files, shipped: files });
  if (carrier === undefined) throw new Error(JSON.stringify(findings, undefined, 1));
  return carrier;
};

/** Production at the simulator's URL, and whatever further hosts it names at the same. */
const simulated = ({ place, environments }: Carrier, url: string): EnvironmentDefinition => {
  const at = { place, text: url, constant: true, evaluate: () => url };
  const values = Object.entries(environments['production']?.values ?? {});
  return {
    url: at,
    values: Object.fromEntries(
      values.map(([key, value]) => [key, value.text.replaceAll("'", '').startsWith('https:') ? at : value]),
    ),
  };
};

/** The first moment of every trip. The simulator's clock and the engine's are one. */
export const NOW = '2026-05-01T09:00:00Z';

/** What differs from a consignment of `fixtures/_consignments`, and from the last of its items. */
type Change = Partial<Consignment> & { readonly lastItem?: Partial<Consignment['itemList'][number]> };

/** A consignment of `fixtures/_consignments`, and the shipper's word for the service. */
export type Given = readonly [consignment: string, service: string, change?: Change];

interface Sent {
  readonly accepted: Accepted;
  readonly packages: ReturnType<typeof shipmentOf>['packages'];
  /** Of the operations that follow. */
  readonly inputs: Inputs & { readonly consignment: Consignment; readonly shipment: ReturnType<typeof shipmentOf> };
}

export interface Trip {
  readonly simulator: Simulator;
  readonly carrier: Carrier;
  /** The consignment as the translation would give it to this carrier. */
  consignment(name: string, change?: Change): Consignment;
  /** Inputs of a create. */
  inputsOf(...given: Given): Inputs & { readonly consignment: Consignment };
  run(operation: OperationName, inputs: Inputs, attemptLog?: AttemptLog): Promise<RunOutcome>;
  /** Runs it until it waits no longer, a minute at a time; and how it came out at first. */
  finish(operation: OperationName, inputs: Inputs): Promise<{ first: RunOutcome; last: RunOutcome }>;
  /** Creates, and fails the test unless the carrier accepts. */
  send(...given: Given): Promise<Sent>;
  /** What `track` yields, and what the platform makes of it. */
  track(inputs: Inputs): Promise<readonly (NormalisedEvent & { readonly update: StatusUpdate })[]>;
  fetchLabels(inputs: Inputs): Promise<readonly FetchedLabel[]>;
  /** Requests so far whose path contains this. */
  requestsTo(path: string): Trip['simulator']['requests'];
  wait(ms: number): void;
  close(): Promise<void>;
}

const resultOf = (outcome: RunOutcome): unknown => {
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.result;
};

const noteExchange = async (): Promise<void> => {};

/** The real engine against the simulated carrier over HTTP; only records, clock and tokens are in memory. */
export const openTrip = async (code: string, settings: Readonly<Record<string, unknown>> = {}): Promise<Trip> => {
  let nowMs = Date.parse(NOW);
  const clock = (): number => nowMs;
  const simulator = await start({ carriers: [code], now: () => new Date(nowMs) });
  const written = bundled(code);
  const url = simulator.carriers[code] ?? '';
  const carrier: Carrier = {
    ...written,
    hash: `${written.hash} at ${url}`,
    environments: { production: simulated(written, url) },
  };
  const checked = checkAccount(carrier, 'production', { credentials: simulator.credentials[code] ?? {}, settings });
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
  const account = { id: 1, version: 1, credentials: checked.credentials, settings: checked.settings };
  const transport = createTransport({ userAgent: 'waybill-test', allowPrivateNetworks: true });
  const common = {
    tokens: createMemoryTokens(clock),
    carrierLimits: createCarrierLimits(clock, () => 0),
    noteExchange,
    send: transport.send,
    nowMs: clock,
    random: () => 0,
  };
  let runs = 0;
  // A run that goes on is the same dispatch, so it keeps its seed.
  const seeds = new WeakMap<AttemptLog, string>();
  const trip: Trip = {
    simulator,
    carrier,
    consignment: (name, { lastItem, ...change } = {}) => {
      const given = parse(readFileSync(`${ROOT}/fixtures/_consignments/${name}.yaml`, 'utf8')) as Consignment;
      const [labelFormat] = carrier.labels.formats;
      const itemList = given.itemList.map((item, at, { length }) =>
        at === length - 1 ? { ...item, ...lastItem } : item,
      );
      const own: Partial<Consignment> = { carrierCode: code, typeOfAction: 'CREATE', labelFormat, itemList };
      return { ...given, numberOfShipments: itemList.length, ...own, ...change };
    },
    inputsOf: (name, service, change) => {
      const asked = { consignmentDetails: { serviceType: service } } as Parameters<typeof findService>[1];
      const row = findService(carrier, asked);
      if (row === undefined) throw new Error(`${code} has no service ${service}`);
      return { consignment: { ...trip.consignment(name, change), typeOfService: row.typeOfService }, service: row };
    },
    run: async (name, inputs, attemptLog = createMemoryLog(noteExchange)) => {
      const operation = carrier.operations[name];
      if (operation === undefined) throw new Error(`${code} has no operation ${name}`);
      runs += 1;
      const seed = seeds.get(attemptLog) ?? `trip ${runs}`;
      seeds.set(attemptLog, seed);
      const run = { seed, carrier, operation, environment: 'production' as const, account, inputs };
      return await runOperation({ ...run, nowMs }, { ...common, attemptLog });
    },
    finish: async (name, inputs) => {
      const attemptLog = createMemoryLog(noteExchange);
      const first = await trip.run(name, inputs, attemptLog);
      let last = first;
      for (let tries = 0; last.kind === 'waiting' && tries < 4; tries += 1) {
        trip.wait(60_000);
        last = await trip.run(name, inputs, attemptLog);
      }
      return { first, last };
    },
    send: async (...given) => {
      const inputs = trip.inputsOf(...given);
      const accepted = resultOf(await trip.run('create', inputs)) as Accepted;
      const shipment = shipmentOf(accepted);
      return { accepted, packages: shipment.packages, inputs: { ...inputs, shipment } };
    },
    track: async (inputs) =>
      (resultOf(await trip.run('track', inputs)) as StatusUpdate[]).map((update) => ({
        ...normalise(carrier, update, 0),
        update,
      })),
    fetchLabels: async (inputs) => resultOf((await trip.finish('label', inputs)).last) as FetchedLabel[],
    requestsTo: (path) => simulator.requests.filter((request) => request.path.includes(path)),
    wait: (ms) => {
      nowMs += ms;
    },
    close: async () => {
      transport.close();
      await simulator.close();
    },
  };
  return trip;
};

/** The root `shipment` that later operations see. */
const shipmentOf = ({ packages, masterTrackingNumber, memo }: Accepted) => ({
  trackingNumber: masterTrackingNumber ?? packages[0]?.trackingNumber,
  memo,
  packages: packages.map(({ itemReferenceNumber, trackingNumber, memo: own }) => ({
    itemReferenceNumber,
    trackingNumber: trackingNumber ?? '',
    memo: own,
  })),
});

/** The format of a label as the platform would store it, and the numbers in its barcodes: `PDF 123 124`. */
export const readLabel = async (label: Accepted['label']): Promise<string> => {
  if (label === undefined) return 'none';
  const isLink = 'url' in label && label.url !== undefined;
  const stored = labelOfContent(isLink ? Buffer.from(await (await fetch(label.url)).arrayBuffer()) : label.content);
  if (stored.kind !== 'stored') return stored.kind;
  const read = { PDF: readPdf, PNG: readPng, ZPL: async (zpl: Buffer) => await readZpl(zpl.toString()) };
  const numbers = await read[stored.format as keyof typeof read](stored.bytes);
  return [stored.format, ...numbers.flat()].join(' ');
};

export const labelsOf = async ({ packages }: Accepted): Promise<readonly string[]> =>
  await Promise.all(packages.map(async ({ label }) => await readLabel(label)));

/** What the platform makes of the pushes that the carrier tried to send by the contract. */
export const pushedTo = ({ simulator, carrier }: Trip) =>
  simulator.pushes.flatMap(({ body }) =>
    readContractPush(Buffer.from(body)).updates.map((update) => ({
      ...normalise(carrier, update, Date.parse(NOW)),
      update,
    })),
  );
