/** Steps of a case that ask the carrier: which operation runs with which inputs, how it ends, and what it leaves behind. */
import { ABOUT, type AskedName, ASKED_ROOTS, askedOf, isAsked } from '../../engine/ask/operations.ts';
import { batchesOf } from '../../engine/dispatch/batches.ts';
import type { Accepted } from '../../engine/consignment/answer.ts';
import { type Consignment, seenOfMany } from '../../engine/consignment/consignment.ts';
import { lackingIssues } from '../../engine/consignment/required.ts';
import { createMemoryLog, takeFromMemory } from '../../engine/dispatch/attempt-log.ts';
import { authHeadersFor } from '../../engine/dispatch/auth/headers.ts';
import type { Exchange, Inputs, Ports, Run, RunOutcome } from '../../engine/dispatch/ports.ts';
import { formatDuration } from '../../engine/duration.ts';
import { type FetchedLabel, fetchedLabels } from '../../engine/dispatch/result.ts';
import { formatPlace, problem } from '../../engine/failure.ts';
import { downloadLabel } from '../../engine/labels/fetch.ts';
import { ownLabel } from '../../engine/labels/make.ts';
import type { Operation, OperationName, ServiceRow } from '../../engine/profile/carrier.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { Root } from '../../engine/mapping/roots.ts';
import { type Validated, validator } from '../../engine/validate.ts';
import { isMap, type ValuePath } from '../../engine/value.ts';
import { performerOf, repeatablePorts, tariffOutcome } from '../engine-run.ts';
import type { FakeCarrier } from './fake-carrier.ts';
import { overlay } from './read.ts';
import { CaseEnded } from './report.ts';
import type { Step } from './schema.ts';
import { scriptedCarrier } from './scripted-carrier.ts';
import { labelsOf, shownResult } from './shown.ts';
import { acceptShipment, type ShipmentPackage, type Story } from './story.ts';

/** Runs a step's operation; afterwards the story is as the records would be. */
export const performStep = async (story: Story, step: Step, name: OperationName, path: ValuePath) => {
  const { carrier, caseFile, clock, problems, world } = story;
  const { operation, perform } = performerOf(carrier, name);
  const fetchesUrls = operation === undefined && name === 'label' && story.labelUrls.size > 0;
  const hasPrices = operation === undefined && name === 'rates' && carrier.tariffs.length > 0;
  if (operation === undefined && !fetchesUrls && !hasPrices) {
    problems.add([...path, 'do'], `${carrier.code} has no operation ${name}`);
    throw new CaseEnded('no operation');
  }
  const fake = (world.carrierFor ?? scriptedCarrier)({
    exchanges: step.exchanges ?? [],
    path: [...path, 'exchanges'],
    beside: caseFile.beside,
    clock,
    problems,
    parallel: operation?.steps.some(({ parallel }) => parallel > 1) ?? false,
  });
  const ask = async (inputs: Inputs): Promise<RunOutcome> => {
    if (hasPrices) return await tariffOutcome(carrier, inputs, clock.nowMs());
    if (operation === undefined) return { kind: 'done', result: [], answers: {} };
    const lacking = await lackingMessages(story, name, inputs);
    if (lacking.length > 0) return { kind: 'rejected', problem: problem('rules_broken', lacking) };
    const number = (story.runs.get(operation.name) ?? 0) + 1;
    story.runs.set(operation.name, number);
    // The same whenever the case runs, so that drawn values and keys can be written into it.
    const run = runOf(story, operation, inputs, `case/${operation.name}/${number}`);
    const ports = portsOf(story, fake);
    let awaySinceMs: number | undefined;
    return await untilEnded(story, step, path, fake, async () => {
      const outcome = await perform({ ...run, awaySinceMs }, ports);
      awaySinceMs = outcome.kind === 'waiting' ? outcome.awaySinceMs : undefined;
      return outcome;
    });
  };
  const { outcome, updates } =
    name === 'track'
      ? await trackAll(story, ask)
      : { outcome: await ask(isAsked(name) ? askedInputs(story, name) : inputsOf(story, step, name)), updates: [] };
  const fetched = operation === undefined || name !== 'label' ? undefined : fetchedLabels(outcome);
  // The server downloads what the operation names by URL at once: so does a case that goes on.
  const urls = Array.isArray(fetched) && !fake.isAtEnd() ? urlsOf(fetched) : fetchesUrls ? story.labelUrls : undefined;
  const downloaded = urls && (await downloadLabels(story, fake, urls));
  fake.end();
  const partial = outcome.kind === 'held' ? outcome.accepted : undefined;
  const result = outcome.kind === 'done' ? outcome.result : partial;
  if (outcome.kind === 'done' || partial !== undefined) leaveBehind(story, step, name, result);
  return {
    outcome,
    sent: fake.sent,
    /** In the contract's words. */
    result: shownResult(name, result),
    /** By package, `*` for all: format, URL, or what is wrong with it. */
    labels: {
      ...(outcome.kind === 'done' && (await ownLabels(story, name))),
      ...(outcome.kind === 'done' ? labelsOf(name, result) : awaited(story, name)),
      ...downloaded,
    },
    /** A server asks for the label again, whatever the operation came to. */
    asksAgain: fetched !== undefined && outcome.kind !== 'done',
    /** Of a `track`. */
    updates,
  };
};
export type Performed = Awaited<ReturnType<typeof performStep>>;

// Running -----------------------------------------------------------------------------------------------------------

const WAITS_MAX = 200;

/** The clock stands still but for waits, delays and time-outs. Throws `CaseEnded` on a request that the script does not know. */
const untilEnded = async (
  { clock, problems, touched }: Story,
  { expect }: Step,
  path: ValuePath,
  fake: FakeCarrier,
  perform: () => Promise<RunOutcome>,
): Promise<RunOutcome> => {
  for (let waits = 0; waits < WAITS_MAX; waits += 1) {
    const outcome = await perform();
    const place = outcome.kind === 'done' ? undefined : outcome.problem.place;
    if (place !== undefined) touched.rules.add(formatPlace(place));
    if (outcome.kind !== 'waiting') return outcome;
    const waitMs = outcome.dueAtMs - clock.nowMs();
    const isOver = fake.isAtEnd();
    // The step may end while the engine waits for another try.
    if (!isOver || expect?.outcome === 'waiting') fake.waited(waitMs);
    else {
      const why = outcome.problem.messages.join('; ');
      const message = `after the last exchange the engine waits ${formatDuration(waitMs)} and asks again (${why})`;
      problems.add(path, `${message}: add that exchange, or expect the outcome "waiting"`);
    }
    if (isOver) return outcome;
    clock.advanceTo(outcome.dueAtMs);
  }
  problems.add(path, `the engine waited more than ${WAITS_MAX} times`);
  throw new CaseEnded('no end');
};

/** What the profile requires and the order lacks: the server refuses it before the carrier is asked. */
const lackingMessages = async ({ carrier, clock }: Story, name: OperationName, { consignment, service }: Inputs) => {
  if (name !== 'create' && name !== 'update') return [];
  const asked = [consignment as Consignment, service as ServiceRow, clock.nowMs()] as const;
  return (await lackingIssues(carrier, ...asked)).map(({ message }) => message);
};

const runOf = (story: Story, operation: Operation, inputs: Inputs, seed: string): Run => {
  const { carrier, environment, account, clock } = story;
  return { seed, carrier, operation, environment, account, inputs, nowMs: clock.nowMs() };
};

const portsOf = ({ exchanges, touched, world, sequences, tokens, clock }: Story, fake: FakeCarrier): Ports => {
  const send: FakeCarrier['send'] = (request, limits) => {
    world.onSend?.(request);
    return fake.send(request, limits);
  };
  const noteExchange = (exchange: Exchange): Promise<void> => {
    exchanges.push(exchange);
    touched.steps.add(`${exchange.operation}/${exchange.step}`);
    world.onExchange?.(exchange);
    return Promise.resolve();
  };
  // Sequences go on through the whole case: they are the account's.
  const attemptLog = createMemoryLog(noteExchange, takeFromMemory(sequences));
  return repeatablePorts({ attemptLog, tokens, noteExchange, send, nowMs: clock.nowMs });
};

// Inputs ------------------------------------------------------------------------------------------------------------

const inputsOf = (story: Story, step: Step, name: OperationName): Inputs => {
  const { consignment, service, shipment, carrier } = story;
  const isLater = name === 'update' || name === 'cancel';
  const given = {
    ...(name === 'update' ? (overlay(consignment, step.change) as typeof consignment) : consignment),
    ...(isLater ? { typeOfAction: name.toUpperCase() } : {}),
  };
  return {
    ...(consignment === undefined ? {} : { consignment: given, service }),
    ...(shipment === undefined || name === 'create' ? {} : { shipment }),
    ...(name === 'cancel' ? { remark: step.remark } : {}),
    ...(name === 'register' || name === 'unregister' ? { webhook: { url: webhookUrl(carrier.code) } } : {}),
  };
};

const checks = Object.fromEntries(ASKED_ROOTS.map((root) => [root, validator(ABOUT[root], root)] as const));

/** What it sees, as the case gives it. Throws `CaseEnded` where that is not what the engine would be given. */
const askedInputs = ({ consignment, service, about, caseFile, problems }: Story, name: AskedName): Inputs => {
  const { sees } = askedOf(name);
  const wished = caseFile.content.given?.service === undefined ? undefined : service;
  const inputs: Inputs = Object.fromEntries(
    Object.entries({ ...about, consignment, service: wished }).filter(([root]) => sees.includes(root as Root)),
  );
  for (const root of sees) {
    const value = inputs[root as keyof Inputs];
    const checked = checks[root]?.(value);
    const isMissing = value === undefined && root !== 'service';
    if (!isMissing && checked?.ok !== false) continue;
    problems.add(['given', root], isMissing ? `${name} needs given.${root}` : issuesShown(checked));
    throw new CaseEnded(`no ${root}`);
  }
  return inputs;
};

const issuesShown = (checked: Validated<unknown> | undefined): string =>
  checked?.ok === false ? checked.issues.map(({ message }) => message).join('; ') : '';

/** Ours, as the carrier of a case is told it. */
export const webhookUrl = (carrierCode: string): string =>
  `https://waybill.example/v2/carriers/${carrierCode}/webhook/1`;

/** Once per tracked number, or per so many; a batch that is rejected is asked for again one by one. */
const trackAll = async (
  { shipment, consignment, clock, ...about }: Story,
  ask: (inputs: Inputs) => Promise<RunOutcome>,
): Promise<{ readonly outcome: RunOutcome; readonly updates: readonly StatusUpdate[] }> => {
  const tracked = (shipment?.packages ?? []).filter(({ trackingNumber }) => trackingNumber !== undefined);
  const operation = about.carrier.operations.track;
  const isMany = (operation?.batch ?? 1) > 1;
  const updates: StatusUpdate[] = [];
  let failed: RunOutcome | undefined;
  const ofMany = (one: ShipmentPackage) => ({ ...one, consignment: seenOfMany(consignment) });
  const askFor = async (packages: readonly ShipmentPackage[]): Promise<void> => {
    const outcome = await ask(isMany ? { items: packages.map(ofMany) } : { consignment, shipment, item: packages[0] });
    if (outcome.kind === 'done') updates.push(...(outcome.result as StatusUpdate[]));
    else if (outcome.kind === 'rejected' && packages.length > 1) for (const one of packages) await askFor([one]);
    else failed ??= outcome;
  };
  const batches = operation ? await batchesOf({ ...about, operation }, tracked, ofMany, clock.nowMs()) : [];
  for (const batch of batches) await askFor(batch);
  return { outcome: failed ?? { kind: 'done', result: updates, answers: {} }, updates };
};

// What it leaves behind ---------------------------------------------------------------------------------------------

const leaveBehind = (story: Story, step: Step, name: OperationName, result: unknown): void => {
  if (name === 'update') story.consignment = overlay(story.consignment, step.change) as Record<string, unknown>;
  if ((name === 'create' || name === 'update') && result !== undefined) acceptShipment(story, result as Accepted);
  else if (isAsked(name)) {
    const { sees, effect } = askedOf(name);
    const root = ASKED_ROOTS.find((one) => one === sees[0]);
    // What is booked is cancelled by its number.
    if (effect !== undefined && root !== undefined && isMap(result)) {
      const known = Object.entries(result).filter(([key]) => key in ABOUT[root].properties);
      story.about[root] = { ...(story.about[root] as object), ...Object.fromEntries(known) };
    }
  } else if (name === 'cancel') {
    story.base = 'Cancelled';
    story.events.clear();
  } else if (name === 'register') {
    const { version, credentials, settings } = story.account;
    const registered = (result ?? {}) as Partial<Story['account']>;
    story.account = {
      ...story.account,
      version: version + 1,
      credentials: { ...credentials, ...registered.credentials },
      settings: { ...settings, ...registered.settings },
    };
  }
};

const urlsOf = (labels: readonly FetchedLabel[]): ReadonlyMap<string, string> =>
  new Map(
    labels.flatMap(({ itemReferenceNumber = '*', label: { url } }) =>
      url === undefined ? [] : [[itemReferenceNumber, url]],
    ),
  );

/** Of a `label` operation that brings none. */
const awaited = ({ shipment }: Story, name: OperationName): Readonly<Record<string, string>> => {
  const names = (shipment?.packages ?? []).map(({ itemReferenceNumber }) => itemReferenceNumber);
  return name === 'label'
    ? Object.fromEntries((names.length === 0 ? ['*'] : names).map((one) => [one, 'not_yet']))
    : {};
};

/** Labels of our own, made as the server does: format, or why not. */
const ownLabels = async (story: Story, name: OperationName): Promise<Readonly<Record<string, string>>> => {
  const { carrier, shipment, account, clock } = story;
  const { labelTemplate: template } = carrier;
  if (template === undefined || (name !== 'create' && name !== 'update')) return {};
  const { createFonts } = await import('../../engine/labels/fonts.ts');
  const made = { carrier, inputs: story, settings: account.settings, nowMs: clock.nowMs() };
  const labels: Record<string, string> = {};
  for (const [position, { itemReferenceNumber }] of (shipment?.packages ?? []).entries()) {
    const label = await ownLabel(template, made, position, createFonts());
    labels[itemReferenceNumber] = label.kind === 'stored' ? label.format : label.message;
  }
  return labels;
};

/** Labels that an answer named by URL, fetched as the server does: format, `not_yet` for a placeholder, or `failed`. */
const downloadLabels = async (
  story: Story,
  fake: FakeCarrier,
  urls: ReadonlyMap<string, string>,
): Promise<Readonly<Record<string, string>>> => {
  const labels: Record<string, string> = {};
  const { create } = story.carrier.operations;
  const ports = portsOf(story, fake);
  for (const [reference, url] of urls) {
    const outcome = await downloadLabel(url, {
      send: async (request, limits) => await ports.send(request, limits, story.carrier.code),
      nowMs: story.clock.nowMs,
      // Each at its own time: a delay of one label moves the clock for the next.
      authHeaders: async (at) =>
        create === undefined ? {} : await authHeadersFor(runOf(story, create, {}, 'case/label'), ports, at),
    });
    labels[reference] = outcome.kind === 'stored' ? outcome.format : outcome.kind;
  }
  return labels;
};
