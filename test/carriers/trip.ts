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

interface Asked {
  /** Goes on with this attempt log's run; a new run unless given. */
  readonly attemptLog?: AttemptLog;
}

export interface Trip {
  readonly simulator: Simulator;
  readonly carrier: Carrier;
  /** A consignment of `fixtures/_consignments`, as the translation would give it to this carrier. */
  consignment(name: string, change?: Partial<Consignment>): Consignment;
  run(operation: OperationName, inputs: Inputs, asked?: Asked): Promise<RunOutcome>;
  /** Creates, and fails the test unless the carrier accepts. */
  create(consignment: Consignment, service: string): Promise<Accepted>;
  /** Inputs of a create, with the row of the shipper's word for the service. */
  inputsOf(consignment: Consignment, service: string): Inputs;
  attemptLog(): AttemptLog;
  wait(ms: number): void;
  close(): Promise<void>;
}

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
    consignment: (name, change = {}) => {
      const text = readFileSync(`${ROOT}/fixtures/_consignments/${name}.yaml`, 'utf8');
      const given = parse(text) as Consignment;
      const [labelFormat] = carrier.labels.formats;
      const common: Partial<Consignment> = { carrierCode: code, typeOfAction: 'CREATE', labelFormat };
      return { ...given, numberOfShipments: given.itemList.length, ...common, ...change };
    },
    run: async (name, inputs, { attemptLog = createMemoryLog(noteExchange) } = {}) => {
      const operation = carrier.operations[name];
      if (operation === undefined) throw new Error(`${code} has no operation ${name}`);
      runs += 1;
      const seed = seeds.get(attemptLog) ?? `trip ${runs}`;
      seeds.set(attemptLog, seed);
      const run = { seed, carrier, operation, environment: 'production' as const, account, inputs };
      return await runOperation({ ...run, nowMs }, { ...common, attemptLog });
    },
    create: async (consignment, service) => {
      const outcome = await trip.run('create', trip.inputsOf(consignment, service));
      if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
      return outcome.result as Accepted;
    },
    inputsOf: (consignment, service) => {
      const asked = { consignmentDetails: { serviceType: service } } as Parameters<typeof findService>[1];
      const row = findService(carrier, asked);
      if (row === undefined) throw new Error(`${code} has no service ${service}`);
      return { consignment: { ...consignment, typeOfService: row.typeOfService }, service: row };
    },
    attemptLog: () => createMemoryLog(noteExchange),
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
export const shipmentOf = ({ packages, masterTrackingNumber, memo }: Accepted) => ({
  trackingNumber: masterTrackingNumber ?? packages[0]?.trackingNumber,
  memo,
  packages: packages.map(({ itemReferenceNumber, trackingNumber, memo: own }) => ({
    itemReferenceNumber,
    trackingNumber,
    memo: own,
  })),
});

/** The first bytes of the labels, or their URLs. */
export const labelsOf = ({ packages }: Accepted): readonly string[] =>
  packages.map(({ label }) =>
    label === undefined
      ? 'none'
      : 'url' in label && label.url !== undefined
        ? label.url
        : Buffer.from(String(label.content), 'base64').subarray(0, 4).toString(),
  );
