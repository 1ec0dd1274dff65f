/** What the cases of a carrier show: every request that its profile sends in them, whole, with the answer to it. */
import { evaluateEnvironment } from '../../engine/dispatch/scope.ts';
import type { OperationName, Carrier } from '../../engine/profile/carrier.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import { isTimeZone } from '../../engine/time-zone.ts';
import { messageOf, type ReadBeside } from '../cases/bodies.ts';
import { type CaseFiles, caseNames, readCase } from '../cases/read.ts';
import { type OnStep, playCase } from '../cases/run.ts';
import type { Exchange, Incoming, Step } from '../cases/schema.ts';
import { itemsOf, type Story } from '../cases/story.ts';
import { type Document, leavesOf, readDocument, textOf } from './document.ts';
import { type Roles, rolesOfOrder, rolesOfResult, rolesOfShipment } from './roles.ts';
import { isSame, requestOf, saidBy, type SceneRequest, wordsOf } from './requests.ts';
import { isName, isWord } from './words.ts';

/** `undo`: what takes back a step of an operation that was not done. */
type Doing = OperationName | 'undo';
export type Refused = 'credentials' | 'repeat' | 'unknown' | 'request';

export interface Scene {
  /** Without `.yaml`. */
  readonly case: string;
  readonly do: Doing;
  readonly of: OperationName;
  /** Of a lookup: it told of the shipment. */
  readonly finds: boolean;
  readonly request: SceneRequest;
  /** undefined: the carrier gave none. */
  readonly answer:
    | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: Document }
    | undefined;
  /** The step came to a good end, and this answer was part of it. */
  readonly isGood: boolean;
  /** It was what the step was rejected for. */
  readonly isRefusal: boolean;
  /** What it does not take, as far as its words tell: the credentials, a repeat, a number, or the request itself. */
  readonly refuses: Refused | undefined;
  /** To a request of which nobody knew whether it had come before. */
  readonly isRepeat: boolean;
  /** Of a label that was not made yet, and came later in the same case. */
  readonly isEarly: boolean;
  /** What the profile made of a refusal. */
  readonly messages: readonly string[];
  readonly roles: Roles;
  /** Words that the carrier gave here for the first time. */
  readonly gives: readonly string[];
  readonly packages: number;
  readonly nowMs: number;
  /** Of a `track`, as many as this answer told; nothing where several answers told them. */
  readonly events: readonly NormalisedEvent[] | undefined;
}

/** What the carrier sent by itself. */
export interface Call {
  readonly do: 'push' | 'webhook';
  readonly body: Document;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly incoming: Incoming;
  readonly events: readonly NormalisedEvent[];
  readonly roles: Roles;
  readonly nowMs: number;
}

/** Zones that a profile names: times of its carrier without one are of these. */
const zonesOf = ({ time, tables }: Carrier): readonly string[] => [
  ...new Set(
    [time.zone, ...leavesOf(tables).map(({ text }) => text)].filter((text) => text.includes('/') && isTimeZone(text)),
  ),
];

export const readScenes = async (carrier: Carrier, files: CaseFiles) => {
  const read: Reading = { carrier, urls: new Set(), scenes: [], calls: [], labelUrls: new Set() };
  for (const name of caseNames(carrier.code, files)) await readStory(name, files, read);
  return { ...read, urls: [...read.urls], zones: zonesOf(carrier) };
};
export type Scenes = Awaited<ReturnType<typeof readScenes>>;

/** A refusal may be borne there, but it is not what is wished for. */
const MAKES: ReadonlySet<string> = new Set(['create', 'update', 'label', 'register']);
const NO_LABEL: ReadonlySet<string> = new Set(['not_yet', 'failed']);

interface Reading {
  readonly carrier: Carrier;
  /** Of the environment of the cases, without a slash at their end. */
  readonly urls: Set<string>;
  readonly scenes: Scene[];
  readonly calls: Call[];
  /** Of labels that answers named. */
  readonly labelUrls: Set<string>;
}

const readStory = async (name: string, files: CaseFiles, read: Reading): Promise<void> => {
  const { carrier } = read;
  const found = readCase(carrier.code, name, files);
  if (!found.ok) return;
  const { caseFile } = found;
  let before = rolesOfShipment(caseFile.content.given?.shipment);
  const steps: Played[] = [];
  const { story } = await playCase(caseFile, carrier, (played, step, story) => {
    const nowMs = story.clock.nowMs();
    if ('received' in played) {
      const incoming = step.request ?? {};
      const { bytes, headers } = messageOf(incoming, caseFile.beside);
      const body = readDocument(bytes, headers['content-type']);
      const kind = step.do === 'push' ? 'push' : 'webhook';
      const roles = new Map([...rolesOfOrder(story.consignment), ...before]);
      if (body.tree !== undefined && played.received.why === undefined)
        read.calls.push({ do: kind, body, headers, incoming, events: played.events, roles, nowMs });
      return;
    }
    const one = playedOf(played, step, story, before);
    steps.push(one);
    const labels = [...story.labelUrls.values(), ...Object.values(played.performed.labels)];
    for (const url of labels.filter((label) => URL.canParse(label))) read.labelUrls.add(url);
    before = one.known;
  });
  if (story === undefined) return;
  const urls = await urlsOf(story);
  for (const url of urls) read.urls.add(url);
  for (const scene of scenesOf(name.replace(/\.yaml$/, ''), steps, urls, caseFile.beside)) read.scenes.push(scene);
};

const playedOf = (
  { performed, operation, events }: Extract<Parameters<OnStep>[0], { performed: unknown }>,
  step: Step,
  { consignment, shipment, exchanges, clock }: Story,
  before: Roles,
) => {
  const { outcome, result, sent, labels } = performed;
  const roles = [...before, ...rolesOfShipment(shipment), ...rolesOfResult(result)];
  // A memo of what the order says names no shipment.
  const ofOrder = new Set(leavesOf(consignment).map(({ text }) => text));
  const known = new Map(roles.filter(([role, word]) => !/(?:^|\.)memo\./.test(role) || !ofOrder.has(word)));
  return {
    step,
    name: operation,
    /** Of each that was sent; of what was not sure of its outcome lookups are among them, and undos. */
    exchanges: exchanges.splice(0),
    sent,
    // An answer that a label is not made yet is not what is wished for.
    isDone:
      outcome.kind === 'done' && (step.do !== 'label' || Object.values(labels).some((label) => !NO_LABEL.has(label))),
    isRejected: outcome.kind === 'rejected',
    messages: outcome.kind === 'done' ? [] : outcome.problem.messages,
    before,
    known,
    after: new Map([...rolesOfOrder(consignment), ...known]),
    packages: itemsOf(consignment).length || Math.max(1, shipment?.packages.length ?? 1),
    nowMs: clock.nowMs(),
    events: operation === 'track' ? events : undefined,
  };
};
type Played = ReturnType<typeof playedOf>;

const urlsOf = async ({ carrier, environment, account, clock }: Story): Promise<readonly string[]> => {
  const context = { tables: carrier.tables, time: carrier.time, nowMs: clock.nowMs(), drawn: () => '' };
  const values = await evaluateEnvironment({ carrier, environment, account }, context, true);
  const urls = Object.values(values).filter((value) => typeof value === 'string' && /^https?:/.test(value));
  return (urls as string[]).map((url) => url.replace(/\/+$/, ''));
};

function* scenesOf(
  name: string,
  steps: readonly Played[],
  urls: readonly string[],
  beside: ReadBeside,
): Generator<Scene> {
  const later = steps.map(({ sent }) => sent.map(({ request }) => requestOf(request, urls)));
  for (const [at, played] of steps.entries()) {
    const requests = later[at] ?? [];
    const following = later.slice(at + 1).flat();
    const { sent, step, isDone, isRejected, messages, after, before, packages, nowMs, events } = played;
    const doing = sent.map((_, index) => doingOf(played, index));
    const asker = doing.findLastIndex((one) => one !== 'undo');
    for (const [index, { response, isAnswered }] of sent.entries()) {
      const request = requests[index];
      const own = doing[index];
      if (request === undefined || own === undefined || !isAnswered || response === undefined) continue;
      const isLast = index === sent.length - 1;
      // What a repeat is told may not be what a first one is, unless that one was plainly refused.
      const repeats = sent
        .slice(0, index)
        .some((other, nth) => isSame(requests[nth] ?? request, request) && !isRefused(other.response));
      const stepOf = (at: number) => played.exchanges[at]?.step;
      const isRepeated = requests
        .slice(index + 1)
        .some((other, nth) => isSame(other, request) && stepOf(index + 1 + nth) === stepOf(index));
      const answer = answerOf(response, beside);
      const asked = textOf(request.said);
      const told = textOf(answer?.body.tree);
      const asks = [...requests.slice(index + 1), ...following].flatMap(wordsOf);
      const words = [...[...after.values()].filter(isName), ...asks.filter(isWord)];
      const ofOrder = [...after].flatMap(([role, word]) => (role.startsWith('order.') ? [word] : []));
      const known = new Set([...before.values(), ...ofOrder, ...requests.slice(0, index).flatMap(wordsOf)]);
      const names = [...after].flatMap(([role, word]) => (role.startsWith('order.') ? [] : [word]));
      const finds = own === 'lookup' && names.some((word) => told.includes(word));
      // Of a lookup that is asked again, only the last time tells how it is.
      const said = saidBy(request);
      const isEarly = step.do === 'label' && !isDone && !isRejected && following.some((one) => saidBy(one) === said);
      const isRepeat = sent
        .slice(0, index)
        .some((other, nth) => typeof other.response === 'string' && isSame(requests[nth] ?? request, request));
      const isRefusal = isRejected && index === asker && answer !== undefined && (isLast || answer.status >= 400);
      const isTold = own === 'undo' || (isDone && !(isRepeated && (finds || own !== 'lookup')));
      yield {
        case: name,
        do: own,
        of: played.name,
        finds,
        request,
        answer,
        isGood:
          isTold &&
          answer !== undefined &&
          (own === 'lookup' || own === 'undo' || !repeats) &&
          answer.status < (own === 'undo' || MAKES.has(played.name) ? 400 : 500),
        isRefusal,
        refuses:
          !isEarly && (isRefusal || (answer?.status ?? 0) >= 400)
            ? refusedBy(answer, own, isRepeat && isDone)
            : undefined,
        isRepeat,
        isEarly,
        messages,
        roles: after,
        gives: [...new Set(words)].filter((word) => !known.has(word) && told.includes(word) && !asked.includes(word)),
        packages,
        nowMs,
        events: isDone && isLast && step.do === 'track' ? events : undefined,
      };
    }
  }
}

const REFUSED: readonly (readonly [Refused, RegExp])[] = [
  ['repeat', /duplicate|already (?:exist|been|used|created)/i],
  ['credentials', /password|credential|unauthori[sz]ed|not authori[sz]ed|authenticat|access.?token|api.?key/i],
  ['unknown', /unknown|not found|no such/i],
];

const refusedBy = (answer: Scene['answer'], own: Doing, isKnownRepeat: boolean): Refused => {
  if (isKnownRepeat) return 'repeat';
  if (answer?.status === 401 || answer?.status === 403) return 'credentials';
  const texts = leavesOf(answer?.body.tree).map(({ text }) => text);
  const [why = 'request'] = REFUSED.find(([, words]) => texts.some((text) => words.test(text))) ?? [];
  // A create names nothing that could be unknown.
  return why === 'unknown' && own === 'create' ? 'request' : why;
};

const doingOf = ({ exchanges, name }: Played, index: number): Doing => {
  const { operation = name } = exchanges[index] ?? {};
  return operation === 'lookup' ? 'lookup' : operation.includes('~undo') ? 'undo' : name;
};

const isRefused = (response: Exchange['response'] | undefined): boolean =>
  typeof response === 'object' && response.status >= 400;

const answerOf = (response: Exchange['response'], beside: ReadBeside): Scene['answer'] => {
  if (typeof response === 'string') return undefined;
  const { bytes, headers } = messageOf(response, beside);
  return { status: response.status, headers, body: readDocument(bytes, headers['content-type']) };
};
