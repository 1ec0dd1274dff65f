/** Where a scenario plays: the carrier, consignments that its cases show it taking, and a fake carrier that answers as they do. */
import { isAsked } from '../../../engine/ask/operations.ts';
import { describeProblem, type Place } from '../../../engine/failure.ts';
import type { Carrier, OperationName, ServiceRow } from '../../../engine/profile/carrier.ts';
import type { WireOutcome, WireRequest } from '../../../engine/transport/wire.ts';
import { type CaseFile, type CaseFiles, caseNames, overlay, readCase } from '../read.ts';
import { createFakeCarrier, type FakeCarrier, unansweredOf } from '../fake-carrier.ts';
import { performStep } from '../perform.ts';
import { CaseEnded, collectProblems, type Used } from '../report.ts';
import { targetOf } from '../requests.ts';
import type { Answer, Step } from '../schema.ts';
import { requestsOf } from '../scripted-carrier.ts';
import { beginStory, type Fields, itemsOf, type Story } from '../story.ts';
import { ownCase } from './own-consignment.ts';

/** What is wrong; a text alone stands at the scenario's place. */
export type Complaint = string | { readonly message: string; readonly place: Place };

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** Whether there is anything to it; default: for every carrier. */
  isFor?(carrier: Carrier): boolean;
  /** Where complaints of it stand. */
  place(carrier: Carrier): Place | undefined;
  /** Empty: it holds. Throws `Pending` where there is nothing to see yet. */
  run(stage: Stage): readonly Complaint[] | Promise<readonly Complaint[]>;
}

/** Makes scenarios whose complaints stand at one place, unless they say where else. */
export const scenariosAt =
  (place: Scenario['place']) =>
  (name: string, title: string, run: Scenario['run']): Scenario => ({ name, title, place, run });

/** Ends a scenario without a verdict of its own. */
export class Pending extends Error {
  override readonly name = 'Pending';
}

export interface KnownAnswer {
  readonly do: Step['do'];
  readonly method: string;
  readonly url: string;
  readonly answer: Answer;
  /** Whose files it names. */
  readonly caseFile: CaseFile;
}

// What the carrier's own cases show ---------------------------------------------------------------------------------

export const stageOf = (carrier: Carrier, files: CaseFiles) => {
  const cases = caseNames(carrier.code, files).flatMap((name) => {
    const read = readCase(carrier.code, name, files);
    return read.ok ? [read.caseFile] : [];
  });
  const beginning = cases.filter(
    ({ content: { flow } }) => flow[0] !== undefined && succeeds(flow[0]) && isPlain(flow[0]),
  );
  return {
    carrier,
    /** Cases that begin with a create which succeeds. */
    creates: beginning.filter(
      ({ content, consignment }) => consignment !== undefined && content.flow[0]?.do === 'create',
    ),
    /** Those that begin so with an operation that is asked for by itself. */
    asks: beginning.filter(({ content }) => isAsked(content.flow[0]?.do)),
    answers: cases.flatMap(answersOf),
    /** What the scenario under way has created, for its report. */
    used: [] as Used[],
  };
};
export type Stage = ReturnType<typeof stageOf>;

const succeeds = ({ expect }: Step): boolean => (expect?.outcome ?? 'succeed') === 'succeed';

/** Nothing goes wrong on its way. */
const isPlain = ({ exchanges = [] }: Step): boolean =>
  exchanges.every(({ response, wait }) => isGood(response) && wait === undefined);

const isGood = (response: string | Answer): response is Answer =>
  typeof response !== 'string' && response.status >= 200 && response.status < 300 && response.delay === undefined;

/** A label that is not there yet, and comes in a later step. */
const isEarly = (step: Step, at: number, flow: readonly Step[]): boolean =>
  step.do === 'label' &&
  flow.slice(at + 1).some((later) => later.do === 'label') &&
  Object.values(step.expect?.labels ?? { '*': 'PDF' }).every((label) => label === 'not_yet');

/** What was answered to steps that succeeded, but for what made the engine, or the server, ask again. */
const answersOf = (caseFile: CaseFile): readonly KnownAnswer[] =>
  caseFile.content.flow.flatMap((step, index, flow) => {
    const { exchanges = [] } = step;
    if (!succeeds(step) || isEarly(step, index, flow)) return [];
    const requests = requestsOf(exchanges);
    return exchanges.flatMap(({ response }, at) => {
      const { method, url } = targetOf(requests[at] ?? {});
      const isFinal = isGood(response) && exchanges[at + 1]?.request !== 'same';
      return isFinal ? [{ do: step.do, method, url, answer: response, caseFile }] : [];
    });
  });

/** The case a scenario starts from: the first that fits, else the platform's own. */
export const baseCase = (
  { carrier, creates }: Stage,
  fits: (consignment: Fields) => boolean = (consignment) => itemsOf(consignment).length === 1,
): CaseFile => creates.find(({ consignment = {} }) => fits(consignment)) ?? creates[0] ?? ownCase(carrier);

/** A scenario that compares what a profile makes of two orders needs one that the carrier takes. */
export const needCases = ({ creates }: Stage): void => {
  if (creates.length === 0) throw new Pending('no case shows a create that succeeds');
};

/** The case with a service that takes such orders: its own where that does. */
export const withOrders = ({ carrier }: Stage, base: CaseFile, orders: 'FORWARD' | 'REVERSE'): CaseFile => {
  const takes = (row: ServiceRow): boolean => row.orders?.includes(orders) ?? true;
  const rows = [...(carrier.services?.values() ?? [])];
  const { service } = begin({ carrier }, base);
  if (service === undefined || takes(service) || rows.length === 0) return base;
  const row = rows.find((one) => takes(one) && one.typeOfService === service.typeOfService) ?? rows.find(takes);
  if (row === undefined) throw new Pending(`no service takes ${orders}`);
  return { ...base, content: { ...base.content, given: { ...base.content.given, service: row.name } } };
};

// Acting ------------------------------------------------------------------------------------------------------------

export interface Act {
  readonly change?: unknown;
  /** Whose consignment and answers; by default the first case that fits. */
  readonly from?: CaseFile;
  /** What comes in the place of an answer to the request with that number, counted from 1; undefined: the answer of the cases. */
  readonly instead?: (count: number) => WireOutcome | undefined;
  /** What becomes of each answer on its way. */
  readonly alter?: (outcome: WireOutcome) => WireOutcome;
  /** After so many requests the scenario has seen enough: the engine does not go on after a wait. */
  readonly enough?: number;
}

/** Begins a story; what makes that impossible is for the carrier's author to know, not for the pack to judge. */
export const begin = ({ carrier }: Pick<Stage, 'carrier'>, base: CaseFile, change?: unknown): Story => {
  const problems = collectProblems(base.placeAt);
  try {
    const consignment = overlay(base.consignment, change) as CaseFile['consignment'];
    return beginStory({ ...base, consignment }, carrier, problems);
  } catch (thrown) {
    if (!(thrown instanceof CaseEnded)) throw thrown;
    throw new Pending(problems.list()[0]?.message ?? thrown.message);
  }
};

export const create = async (stage: Stage, act: Act = {}): Promise<Acted> => {
  const from = act.from ?? baseCase(stage);
  const story = begin(stage, from, act.change);
  stage.used.push({
    case: stage.creates.some(({ file }) => file === from.file) ? from.file : undefined,
    service: story.service?.name,
    environment: story.environment,
    change: (act.change ?? {}) as Fields,
  });
  return await perform(stage, story, { do: 'create' }, { ...act, from });
};

export const perform = async (stage: Stage, story: Story, step: Step, act: Act = {}) => {
  const before = story.exchanges.length;
  const fake = knownAnswers(stage, story, step.do, act);
  story.world = { carrierFor: () => fake };
  const waiting = { ...step, expect: { outcome: 'waiting' } } as const;
  const { outcome, labels } = await performStep(story, waiting, step.do as OperationName, []);
  const noted = story.exchanges.slice(before);
  const sent = fake.sent.map(({ request }) => request);
  const [unknown] = unansweredOf(fake);
  return {
    story,
    outcome,
    labels,
    /** What was asked of the carrier, logins left out. */
    requests: sent.filter((_, at) => noted[at]?.operation !== 'login'),
    /** Logins among it. */
    sent,
    /** What was made of the answer to each of them. */
    words: noted.map((one) => one.outcome),
    /** The step that asked each. */
    steps: noted.map((one) => one.step),
    waitsMs: fake.sent.flatMap(({ waitMs }) => waitMs ?? []),
    /** The first request that no case shows an answer to, as `POST https://…`. */
    unknown: unknown && `${unknown.method} ${unknown.url.split('?')[0]}`,
  };
};
export type Acted = Awaited<ReturnType<typeof perform>>;

/** Answers as the cases show it, first those of the case that the scenario starts from, but where the scenario says otherwise. */
const knownAnswers = (stage: Stage, { clock }: Story, doing: Step['do'], act: Act): FakeCarrier => {
  const { from = baseCase(stage), instead, alter, enough = Infinity } = act;
  const all = [...answersOf(from), ...stage.answers.filter(({ caseFile }) => caseFile !== from)];
  // All operations may have one URL.
  const answers = [...all.filter((one) => one.do === doing), ...all.filter((one) => one.do !== doing)];
  const used = new Set<KnownAnswer>();
  let count = 0;
  return createFakeCarrier({
    clock,
    alter,
    isAtEnd: () => count >= enough,
    unanswered: {
      kind: 'not_sent',
      code: 'request_invalid',
      message: 'no case shows what the carrier answers to this',
    },
    answer: (request) => {
      count += 1;
      const other = instead?.(count);
      if (other !== undefined) return other;
      const fitting = bestOf(answers, request);
      const found = fitting.find((one) => !used.has(one)) ?? fitting.at(-1);
      if (found === undefined) return undefined;
      used.add(found);
      return { response: found.answer, beside: found.caseFile.beside };
    },
  });
};

/** Answers to the same URL, else to one that differs only where numbers stand. */
const bestOf = (answers: readonly KnownAnswer[], request: WireRequest): readonly KnownAnswer[] => {
  const ofMethod = answers.filter(({ method }) => method === request.method);
  const same = ofMethod.filter(({ url }) => url === request.url);
  return same.length > 0 ? same : ofMethod.filter(({ url }) => shapeOf(url) === shapeOf(request.url));
};

const shapeOf = (text: string): string => {
  const url = URL.parse(text);
  if (url === null) return text;
  const path = url.pathname.split('/').map((part) => (/\d/.test(part) && !/^v\d/i.test(part) ? '#' : part));
  return `${url.origin}${path.join('/')}`;
};

// Words -------------------------------------------------------------------------------------------------------------

/** Why nothing could be seen, for a pending scenario. */
export const whyNot = ({ outcome, unknown }: Pick<Acted, 'outcome' | 'unknown'>, otherwise: string): string => {
  if (unknown !== undefined) return `no case shows what the carrier answers to ${unknown}`;
  return outcome.kind === 'done' ? otherwise : `${otherwise}: ${describeProblem(outcome.problem)}`;
};
