/** Where a scenario plays: the carrier with a consignment, and the double that answers. */
import { formatPlace, type Problem } from '../../../engine/failure.ts';
import type { RunOutcome } from '../../../engine/dispatch/ports.ts';
import type { Carrier, OperationName } from '../../../engine/profile/carrier.ts';
import type { WireRequest } from '../../../engine/transport/wire.ts';
import { performWith } from '../operation.ts';
import { overlay } from '../overlay.ts';
import type { CaseFile } from '../read.ts';
import { CaseEnded, collectProblems } from '../report.ts';
import type { Step } from '../schema.ts';
import { beginStory, type Story } from '../story.ts';
import { createDouble, type Double, type Doubling, type Instead } from './double.ts';
import { answersOf, type KnownAnswer, type Material } from './material.ts';
import { ownCase } from './own-consignment.ts';

export interface Stage {
  readonly carrier: Carrier;
  readonly material: Material;
}

/** Ends a scenario without a verdict of its own. */
export class Pending extends Error {
  override readonly name = 'Pending';
}

export interface Act {
  readonly change?: unknown;
  /** Whose consignment and answers; the first case that fits unless said. */
  readonly from?: CaseFile;
  readonly instead?: Instead;
  readonly alter?: Doubling['alter'];
  readonly enough?: number;
}

export interface Acted {
  readonly story: Story;
  readonly outcome: RunOutcome;
  /** What was asked of the carrier, logins left out. */
  readonly requests: readonly WireRequest[];
  /** Logins among it. */
  readonly sent: readonly WireRequest[];
  /** What was made of the answer to each of them. */
  readonly words: readonly string[];
  readonly double: Double;
}

/** The case a scenario starts from: the first that fits, else the platform's own. */
export const baseCase = (
  { carrier, material }: Stage,
  fits: (consignment: Readonly<Record<string, unknown>>) => boolean = hasOnePackage,
): CaseFile =>
  material.creates.find(({ consignment = {} }) => fits(consignment)) ?? material.creates[0] ?? ownCase(carrier);

export const packagesOf = (consignment: Readonly<Record<string, unknown>> | undefined): readonly unknown[] => {
  const items = consignment?.['itemList'];
  return Array.isArray(items) ? items : [];
};
const hasOnePackage = (consignment: Readonly<Record<string, unknown>>): boolean => packagesOf(consignment).length === 1;

const answersFor = (base: CaseFile, material: Material): readonly KnownAnswer[] => [
  ...answersOf(base),
  ...material.answers.filter(({ caseFile }) => caseFile !== base),
];

/** Begins a story; what makes that impossible is for the carrier's author to know, not for the pack to judge. */
export const begin = ({ carrier }: Stage, base: CaseFile, change?: unknown): Story => {
  const problems = collectProblems();
  try {
    const consignment = overlay(base.consignment, change) as CaseFile['consignment'];
    return beginStory({ ...base, consignment }, carrier, problems);
  } catch (thrown) {
    if (!(thrown instanceof CaseEnded)) throw thrown;
    throw new Pending(problems.list()[0]?.message ?? thrown.message);
  }
};

export const create = async (stage: Stage, act: Act = {}): Promise<Acted> => {
  const base = act.from ?? baseCase(stage);
  const story = begin(stage, base, act.change);
  return await perform(stage, story, { do: 'create' }, { ...act, from: base });
};

/** A create that comes through: what later operations stand on. */
export const created = async (stage: Stage, from: CaseFile = baseCase(stage)): Promise<Story> => {
  const acted = await create(stage, { from });
  if (acted.outcome.kind === 'done') return acted.story;
  throw new Pending(whyNot(acted, 'no create succeeds'));
};

export const perform = async (stage: Stage, story: Story, step: Step, act: Act): Promise<Acted> => {
  const { from = baseCase(stage), instead, alter, enough } = act;
  const before = story.exchanges.length;
  const double = createDouble({
    answers: answersFor(from, stage.material),
    clock: story.clock,
    instead,
    alter,
    enough,
  });
  const waiting = { ...step, expect: { outcome: 'waiting' } } as const;
  const { outcome } = await performWith(story, waiting, {
    name: step.do as OperationName,
    path: [],
    script: double,
  });
  const noted = story.exchanges.slice(before);
  const requests = double.sent.filter((_, at) => noted[at]?.operation !== 'login');
  return { story, outcome, requests, sent: double.sent, words: noted.map((one) => one.outcome), double };
};

/** Why nothing could be seen, in words for a pending scenario. */
export const whyNot = ({ outcome, double }: Pick<Acted, 'outcome' | 'double'>, otherwise: string): string => {
  const unknown = double.unknown();
  if (unknown !== undefined) return `no case shows what the carrier answers to ${unknown}`;
  return outcome.kind === 'done' ? otherwise : `${otherwise}: ${describe(outcome.problem)}`;
};

export const describe = ({ code, messages, place }: Problem): string =>
  `${code}: ${messages.join('; ')}${place === undefined ? '' : ` (${formatPlace(place)})`}`;
