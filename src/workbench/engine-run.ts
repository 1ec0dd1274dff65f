/** How the workbench runs operations of the engine: the server's own runner, without a server's limits and chance. */
import { createMemoryLog } from '../engine/dispatch/attempt-log.ts';
import { createCarrierLimits, UNLIMITED } from '../engine/dispatch/limits.ts';
import type { Inputs, Ports, RunOutcome } from '../engine/dispatch/ports.ts';
import { createMemoryTokens } from '../engine/dispatch/token-store.ts';
import { runRecreate } from '../engine/dispatch/recreate.ts';
import { runOperation } from '../engine/dispatch/operation.ts';
import { Failure } from '../engine/failure.ts';
import type {
  Carrier,
  EnvironmentName,
  Operation,
  OperationName,
  ServiceRow,
  Step,
} from '../engine/profile/carrier.ts';
import { quoteByTariff } from '../engine/rates/quote.ts';

/**
 * Without jitter, so the same whenever it runs. Rates and breakers belong to the traffic of a server, not to one story.
 * Customs documents are their names: what they look like belongs to no carrier.
 */
export const repeatablePorts = (ports: Omit<Ports, 'carrierLimits' | 'random' | 'drawCustoms'>): Ports => ({
  drawCustoms: (kind) => Promise.resolve(Buffer.from(`%PDF ${kind}`)),
  ...ports,
  carrierLimits: UNLIMITED,
  random: () => 0,
});

/** For a question or two to a carrier: nothing of it is kept. */
export const portsOnce = (
  send: Ports['send'],
  noteExchange: Ports['noteExchange'] = () => Promise.resolve(),
): Ports => ({
  attemptLog: createMemoryLog(noteExchange),
  tokens: createMemoryTokens(Date.now),
  carrierLimits: createCarrierLimits(Date.now, Math.random),
  noteExchange,
  send,
  nowMs: Date.now,
  random: Math.random,
});

/** What performs an operation: with `update: recreate` the engine cancels by itself, then creates. */
export const performerOf = (
  carrier: Carrier,
  name: OperationName,
): { readonly operation: Operation | undefined; readonly perform: typeof runOperation } => {
  const recreates = name === 'update' && carrier.recreate;
  return {
    operation: carrier.operations[recreates ? 'create' : name],
    perform: recreates ? runRecreate : runOperation,
  };
};

/** Where a carrier can be tried, else where it is real: nothing is sent. */
export const environmentOf = ({ environments }: Carrier): EnvironmentName =>
  environments.sandbox === undefined ? 'production' : 'sandbox';

/** The carrier with every step of its operations changed, those that look up or undo others too. */
export const withSteps = (carrier: Carrier, change: (step: Step) => Step): Carrier => {
  const ofStep = (step: Step): Step => {
    const { lookup, undo } = step;
    return { ...change(step), lookup: lookup && ofOperation(lookup), undo: undo.map(ofStep) };
  };
  const ofOperation = (operation: Operation): Operation => {
    const [first, ...rest] = operation.steps;
    const variants = operation.variants.map((one) => ({ ...one, operation: ofOperation(one.operation) }));
    return { ...operation, steps: [ofStep(first), ...rest.map(ofStep)], variants };
  };
  const operations = Object.entries(carrier.operations).map(([name, one]) => [name, ofOperation(one)] as const);
  return { ...carrier, operations: Object.fromEntries(operations) };
};

/** Calls one after another, so that requests and what is noted of them are in the same order. */
export const oneByOne = (carrier: Carrier): Carrier => withSteps(carrier, (step) => ({ ...step, parallel: 1 }));

/** The carrier with its production at another URL, a simulator's, and whatever further hosts it names there too. */
export const movedTo = (carrier: Carrier, url: string): Carrier => {
  const { production } = carrier.environments;
  if (production === undefined) throw new Failure(`${carrier.code} has no production`, { code: 'environment_missing' });
  const at = { place: carrier.place, text: url, constant: true, evaluate: () => url };
  const values = Object.entries(production.values).map(([key, value]) => [
    key,
    /^['"]?https?:/.test(value.text) ? at : value,
  ]);
  const moved = { url: at, values: Object.fromEntries(values) as typeof production.values };
  return { ...carrier, hash: `${carrier.hash} at ${url}`, environments: { production: moved } };
};

/** Without a call: what the tariff says. */
export const tariffOutcome = async (
  carrier: Carrier,
  { consignment, service }: Inputs,
  nowMs: number,
): Promise<RunOutcome> => {
  const quoted = await quoteByTariff(
    carrier,
    consignment as Readonly<Record<string, unknown>>,
    service as ServiceRow | undefined,
    nowMs,
  );
  if (quoted !== undefined && 'failed' in quoted) return { kind: 'rejected', problem: quoted.failed };
  return { kind: 'done', result: quoted?.offers ?? [], answers: {} };
};
