/** The real engine against simulated carriers over HTTP; only records, clock and tokens are in memory. */
import type { Accepted } from '../../../src/engine/consignment/answer.ts';
import type { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { findService } from '../../../src/engine/consignment/service.ts';
import { createMemoryLog } from '../../../src/engine/dispatch/attempt-log.ts';
import { createCarrierLimits } from '../../../src/engine/dispatch/limits.ts';
import { runOperation } from '../../../src/engine/dispatch/operation.ts';
import type { Inputs, RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { createMemoryTokens } from '../../../src/engine/dispatch/token-store.ts';
import type { Carrier, OperationName } from '../../../src/engine/profile/carrier.ts';
import { normalise, type NormalisedEvent } from '../../../src/engine/statuses/normalise.ts';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import { createTransport } from '../../../src/engine/transport/transport.ts';
import { bundled, ROOT } from '../../carriers/bundled.ts';
import { directoryCaseFiles, readCase } from '../../../src/workbench/cases/read.ts';
import { movedTo } from '../../../src/workbench/engine-run.ts';
import type { Simulator, SimulatorOptions } from '../../../src/workbench/simulate/running.ts';
import { startSimulator } from '../../../src/workbench/simulate/simulator.ts';

const CASES = directoryCaseFiles(ROOT);

/** One simulator for many carriers, and the engine beside it. */
export const driving = async (codes: readonly string[], options: Partial<SimulatorOptions> = {}) => {
  let nowMs = Date.parse('2026-05-01T09:00:00Z');
  const carriers = codes.map(bundled);
  const simulator = await startSimulator({ carriers, files: CASES, nowMs: () => nowMs, ...options });
  const transport = createTransport({ userAgent: 'waybill-test', allowPrivateNetworks: true });
  const close = async (): Promise<void> => {
    transport.close();
    await simulator.close();
  };
  const wait = (ms: number): void => void (nowMs += ms);
  return {
    simulator,
    of: (code: string, secret?: string) =>
      drive(
        carriers.find((one) => one.code === code)!,
        simulator,
        transport,
        { nowMs: () => nowMs, wait, secret },
      ),
    wait,
    close,
  };
};

let runs = 0;
const cancelling = (inputs: Inputs): Inputs => ({
  ...inputs,
  consignment: { ...(inputs.consignment as Consignment), typeOfAction: 'CANCEL' },
});
const noteExchange = async (): Promise<void> => {};

const drive = (
  written: Carrier,
  simulator: Simulator,
  transport: ReturnType<typeof createTransport>,
  { nowMs, wait, secret }: { nowMs: () => number; wait: (ms: number) => void; secret: string | undefined },
) => {
  const { code } = written;
  const production = written.environments.production ?? written.environments.sandbox!;
  const carrier = movedTo({ ...written, environments: { production } }, simulator.carriers[code]!);
  const { credentials, settings } = simulator.accounts[code]!;
  const wrong = Object.entries(credentials).map(([name, value]) => [name, secret ?? value]);
  const account = { id: 1, version: 1, credentials: Object.fromEntries(wrong) as typeof credentials, settings };
  const tokens = createMemoryTokens(nowMs);
  const common = {
    tokens,
    carrierLimits: createCarrierLimits(nowMs, () => 0),
    noteExchange,
    send: transport.send,
    nowMs,
    random: () => 0,
  };
  // A run that goes on is the same dispatch, so it keeps its seed.
  const seeds = new Map<ReturnType<typeof createMemoryLog>, string>();
  const driver = {
    carrier,
    /** The inputs of the create of a case, with as many packages. */
    inputsOf: (name: string, packages?: number, reference?: string): Inputs & { readonly consignment: Consignment } => {
      const read = readCase(code, `${name}.yaml`, CASES);
      if (!read.ok) throw new Error(JSON.stringify(read.findings));
      const { content, consignment: given } = read.caseFile;
      const base = given as unknown as Consignment;
      const itemList = packages === undefined ? base.itemList : base.itemList.slice(0, packages);
      const word = content.given?.service;
      const named = [...(carrier.services?.values() ?? [])].find((row) => row.typeOfService === base.typeOfService);
      const asked = { consignmentDetails: { serviceType: word ?? base.typeOfService } } as Parameters<
        typeof findService
      >[1];
      const service = (word === undefined ? named : undefined) ?? findService(carrier, asked);
      const consignment = {
        ...base,
        carrierCode: code,
        typeOfAction: 'CREATE',
        typeOfService: service?.typeOfService ?? base.typeOfService,
        labelFormat: base.labelFormat ?? carrier.labels.formats[0],
        itemList,
        numberOfShipments: itemList.length,
        ...(reference === undefined ? {} : { referenceId: reference }),
      } as Consignment;
      return { consignment, service: service! };
    },
    run: async (
      name: OperationName,
      inputs: Inputs,
      attemptLog = createMemoryLog(noteExchange),
    ): Promise<RunOutcome> => {
      const operation = carrier.operations[name]!;
      if (!seeds.has(attemptLog)) seeds.set(attemptLog, `run ${(runs += 1)}`);
      const run = {
        seed: seeds.get(attemptLog)!,
        carrier,
        operation,
        environment: 'production' as const,
        account,
        inputs: name === 'cancel' ? cancelling(inputs) : inputs,
        nowMs: nowMs(),
      };
      return await runOperation(run, { ...common, attemptLog });
    },
    /** Runs it until it waits no longer, a minute at a time. */
    finish: async (name: OperationName, inputs: Inputs): Promise<RunOutcome> => {
      const attemptLog = createMemoryLog(noteExchange);
      let last = await driver.run(name, inputs, attemptLog);
      for (let tries = 0; last.kind === 'waiting' && tries < 4; tries += 1) {
        wait(60_000);
        last = await driver.run(name, inputs, attemptLog);
      }
      return last;
    },
    /** Creates, and fails the test unless the carrier accepts. */
    create: async (inputs: Inputs) => {
      const accepted = resultOf(await driver.run('create', inputs)) as Accepted;
      const packages = accepted.packages.map((one) => ({ ...one, trackingNumber: one.trackingNumber ?? '' }));
      const shipment = {
        trackingNumber: accepted.masterTrackingNumber ?? packages[0]?.trackingNumber,
        memo: accepted.memo,
        packages,
      };
      return { accepted, packages, inputs: { ...inputs, shipment } };
    },
    track: async (inputs: Inputs): Promise<readonly NormalisedEvent[]> =>
      (resultOf(await driver.run('track', inputs)) as StatusUpdate[]).map((update) =>
        normalise(carrier, update, nowMs()),
      ),
  };
  return driver;
};

const resultOf = (outcome: RunOutcome): unknown => {
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.result;
};
