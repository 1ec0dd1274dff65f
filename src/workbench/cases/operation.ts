/** Steps of a case that ask the carrier: which operation runs with which inputs, and what it leaves behind. */
import type { Accepted } from '../../engine/consignment/accepted.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { Inputs, RunOutcome } from '../../engine/dispatch/ports.ts';
import { runRecreate } from '../../engine/dispatch/recreate.ts';
import { runOperation } from '../../engine/dispatch/operation.ts';
import type { Carrier, Operation, OperationName } from '../../engine/profile/carrier.ts';
import { downloadLabels, labelUrlsOf } from './label-urls.ts';
import { overlay } from './overlay.ts';
import { perform } from './perform.ts';
import type { Path } from './read.ts';
import { CaseEnded } from './report.ts';
import type { Script } from './script.ts';
import type { Step } from './schema.ts';
import { acceptShipment, type ShipmentPackage, type Story } from './story.ts';

export interface Performed {
  readonly operation: OperationName;
  readonly outcome: RunOutcome;
  /** Of a `track`. */
  readonly updates: readonly StatusUpdate[];
  /** Of a `label` that fetched what earlier answers named by URL. */
  readonly downloaded?: Readonly<Record<string, string>>;
}

/** Runs a step's operation against the exchanges it expects. The story is as the records would be after it. */
export const performStep = async (story: Story, step: Step, name: OperationName, path: Path): Promise<Performed> => {
  const { carrier, caseFile, clock, problems } = story;
  const script = story.scriptFor({
    exchanges: step.exchanges ?? [],
    path: [...path, 'exchanges'],
    placeAt: caseFile.placeAt,
    beside: caseFile.beside,
    clock,
    problems,
    parallel: asked(carrier, name)?.steps.some(({ parallel }) => parallel > 1) ?? false,
  });
  return await performWith(story, step, { name, path, script });
};

/** What is asked of the carrier: with `update: recreate` the cancel is the engine's own affair. */
const asked = (carrier: Carrier, name: OperationName): Operation | undefined =>
  carrier.operations[name === 'update' && carrier.recreate ? 'create' : name];

export interface Enacting {
  readonly name: OperationName;
  readonly path: Path;
  readonly script: Script;
}

/** The same, whoever answers. */
export const performWith = async (story: Story, step: Step, { name, path, script }: Enacting): Promise<Performed> => {
  const { carrier, caseFile, problems } = story;
  const isRecreate = name === 'update' && carrier.recreate;
  const operation = asked(carrier, name);
  const fetchesUrls = operation === undefined && name === 'label' && story.labelUrls.size > 0;
  if (operation === undefined && !fetchesUrls) {
    problems.add(caseFile.placeAt([...path, 'do']), `${carrier.code} has no operation ${name}`);
    throw new CaseEnded('no operation');
  }
  const mayWait = step.expect?.outcome === 'waiting';
  const ask = async (inputs: Inputs): Promise<RunOutcome> =>
    operation === undefined
      ? FETCHED
      : await perform({
          story,
          operation,
          inputs,
          script,
          path,
          mayWait,
          runs: isRecreate ? runRecreate : runOperation,
        });
  const performed = await askAs(story, step, name, ask);
  const downloaded = fetchesUrls ? await downloadLabels(story, script) : undefined;
  script.end();
  if (performed.outcome.kind === 'done') leaveBehind(story, step, performed);
  return downloaded === undefined ? performed : { ...performed, downloaded };
};

const FETCHED: RunOutcome = { kind: 'done', result: [], answers: {} };

type Ask = (inputs: Inputs) => Promise<RunOutcome>;

const askAs = async (story: Story, step: Step, name: OperationName, ask: Ask): Promise<Performed> =>
  name === 'track'
    ? await trackAll(story, ask)
    : { operation: name, outcome: await ask(inputsOf(story, step, name)), updates: [] };

const ACTIONS: Readonly<Partial<Record<OperationName, string>>> = { update: 'UPDATE', cancel: 'CANCEL' };

const inputsOf = (story: Story, step: Step, name: OperationName): Inputs => {
  const { consignment, service, shipment, carrier } = story;
  const changed = name === 'update' ? overlay(consignment, step.change) : consignment;
  const action = ACTIONS[name];
  return {
    ...(consignment === undefined
      ? {}
      : { consignment: action === undefined ? changed : { ...(changed as object), typeOfAction: action }, service }),
    ...(shipment === undefined || name === 'create' ? {} : { shipment }),
    ...(name === 'cancel' ? { remark: step.remark } : {}),
    ...(name === 'register' || name === 'unregister' ? { webhook: { url: webhookUrl(carrier.code) } } : {}),
  };
};

/** Ours, as the carrier of a case is told it. */
export const webhookUrl = (carrierCode: string): string =>
  `https://waybill.example/v2/carriers/${carrierCode}/webhook/1`;

/** Once per tracked number, or per so many; a batch that is rejected is asked again one by one (§2.5). */
const trackAll = async (story: Story, ask: Ask): Promise<Performed> => {
  const tracked = (story.shipment?.packages ?? []).filter(({ trackingNumber }) => trackingNumber !== undefined);
  const size = story.carrier.operations.track?.batch ?? 1;
  const updates: StatusUpdate[] = [];
  let failed: RunOutcome | undefined;
  const askFor = async (packages: readonly ShipmentPackage[]): Promise<void> => {
    const [item] = packages;
    const { consignment, shipment } = story;
    const outcome = await ask(size > 1 ? { items: packages } : { consignment, shipment, item });
    if (outcome.kind === 'done') updates.push(...(outcome.result as StatusUpdate[]));
    else if (outcome.kind === 'rejected' && packages.length > 1) for (const one of packages) await askFor([one]);
    else failed ??= outcome;
  };
  for (let at = 0; at < tracked.length; at += size) await askFor(tracked.slice(at, at + size));
  return { operation: 'track', outcome: failed ?? { kind: 'done', result: updates, answers: {} }, updates };
};

interface Registered {
  readonly credentials?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

const leaveBehind = (story: Story, step: Step, { operation, outcome }: Performed): void => {
  if (outcome.kind !== 'done') return;
  const { result } = outcome;
  switch (operation) {
    case 'create':
      acceptShipment(story, result as Accepted);
      story.labelUrls = labelUrlsOf(result as Accepted);
      break;
    case 'update':
      story.consignment = overlay(story.consignment, step.change) as Record<string, unknown>;
      if (result === undefined) break;
      acceptShipment(story, result as Accepted);
      story.labelUrls = labelUrlsOf(result as Accepted);
      break;
    case 'cancel':
      story.base = 'Cancelled';
      story.events.clear();
      break;
    case 'register': {
      const { credentials, settings } = (result ?? {}) as Registered;
      story.account = {
        ...story.account,
        version: story.account.version + 1,
        credentials: { ...story.account.credentials, ...credentials },
        settings: { ...story.account.settings, ...settings },
      };
      break;
    }
    case 'track':
    case 'label':
    case 'lookup':
    case 'probe':
    case 'unregister':
  }
};
