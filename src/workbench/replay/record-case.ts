/** Writes a recorded story as a case: what is sent for it today, what was answered, and what comes of it. */
import { stringify } from 'yaml';
import { accountOf } from '../cases/account.ts';
import type { CaseFiles } from '../cases/case-files.ts';
import { recordUpdates, statusOf } from '../cases/events.ts';
import { labelsOf, outcomeName, shownEvent, shownResult } from '../cases/expectation.ts';
import { type Performed, performStep } from '../cases/operation.ts';
import { readMaterial } from '../cases/pack/material.ts';
import { CaseEnded, collectProblems } from '../cases/report.ts';
import type { Expect } from '../cases/schema.ts';
import { beginStory, type Story } from '../cases/story.ts';
import { runCaseNamed } from '../cases/suite.ts';
import type { Account } from '../../engine/dispatch/ports.ts';
import { Failure } from '../../engine/failure.ts';
import type { AccountField, Carrier } from '../../engine/profile/carrier.ts';
import { cleanBody } from './clean-answer.ts';
import { type RecordedStory, scalarsOf, storyOf } from './recorded-story.ts';
import { createCleaner } from './without-people.ts';
import { createWitness } from './witness.ts';
import { createCaseWriter } from './write-exchanges.ts';

export interface Recording {
  readonly carrier: Carrier;
  /** Of the home: the cases that are there show how logins are answered. */
  readonly files: CaseFiles;
  /** Of the case, without `.yaml`. */
  readonly name: string;
  /** Whose it was: its values become the profile's examples. */
  readonly account: Pick<Account, 'credentials' | 'settings'> | undefined;
  readonly keepPeople: boolean;
}

export type RecordedCase =
  /** The case first, then what lies beside it; by their paths below the home. */
  | { readonly ok: true; readonly files: Readonly<Record<string, string | Buffer>> }
  | { readonly ok: false; readonly why: string };

/** The case passes, or none is made. */
export const recordCase = async (recorded: RecordedStory, recording: Recording): Promise<RecordedCase> => {
  const { carrier, name, files } = recording;
  const file = `fixtures/${carrier.code}/${name}.yaml`;
  const told = storyOf(cleaned(recorded, recording), { file, line: 1, column: 1 });
  const [asked] = told.content.flow;
  if (asked === undefined) return { ok: false, why: 'nothing was done' };
  // A wait after the last answer is an end like any other.
  const step = { ...asked, expect: { outcome: 'waiting' } } as const;
  const problems = collectProblems();
  const witness = createWitness(readMaterial(carrier, files).answers);
  try {
    const story = beginStory(told, carrier, problems, witness.world);
    const performed = await performStep(story, step, recorded.operation, ['flow', 0]);
    const stuck = witness.unanswered() ?? problems.list()[0]?.message;
    if (stuck !== undefined) return { ok: false, why: stuck };
    const writer = createCaseWriter(name);
    const exchanges = witness.seen().map(writer.exchange);
    const content = { ...told.content, flow: [{ ...asked, exchanges, expect: present(expectOf(story, performed)) }] };
    const written = {
      [file]: stringify(content, { lineWidth: 120, defaultStringType: 'QUOTE_SINGLE', defaultKeyType: 'PLAIN' }),
      ...Object.fromEntries(
        Object.entries(writer.files()).map(([beside, bytes]) => [`fixtures/${carrier.code}/${beside}`, bytes]),
      ),
    };
    return await proven(written, recording);
  } catch (thrown) {
    if (thrown instanceof CaseEnded) {
      return { ok: false, why: witness.unanswered() ?? problems.list()[0]?.message ?? thrown.message };
    }
    if (!(thrown instanceof Failure)) throw thrown;
    return { ok: false, why: thrown.describe() };
  }
};

/** Runs what would be written. */
const proven = async (
  written: Readonly<Record<string, string | Buffer>>,
  { carrier, name, files }: Recording,
): Promise<RecordedCase> => {
  const withIt: CaseFiles = {
    ...files,
    read: (path) => {
      const content = Object.hasOwn(written, path) ? written[path] : undefined;
      return content === undefined ? files.read(path) : Buffer.from(content);
    },
  };
  const { report } = await runCaseNamed(carrier, `${name}.yaml`, withIt);
  if (report.passed) return { ok: true, files: written };
  return { ok: false, why: `told again, it does not pass: ${report.problems[0]?.message ?? ''}` };
};

// What may be shown -------------------------------------------------------------------------------------------------

const cleaned = (recorded: RecordedStory, { carrier, account, keepPeople }: Recording): RecordedStory => {
  const settings = ownSettings(carrier, account?.settings ?? recorded.settings);
  const cleaner = createCleaner(
    examplesFor(carrier, account ?? { credentials: {}, settings: recorded.settings }),
    keepPeople,
  );
  return {
    ...recorded,
    inputs: cleaner.inputs(recorded.inputs),
    settings,
    exchanges: recorded.exchanges.map((exchange) => {
      const { responseHeaders, responseBody } = exchange;
      const contentType = responseHeaders['content-type'];
      return {
        ...exchange,
        responseHeaders: Object.fromEntries(
          Object.entries(responseHeaders)
            .filter(([name]) => !DULL.test(name))
            .map(([name, value]) => [name, String(cleaner.value(value, name))]),
        ),
        responseBody: responseBody && cleanBody(responseBody, { contentType, cleaner, keepPeople }),
      };
    }),
  };
};

/** Headers that say nothing of the answer. */
const DULL =
  /^(?:date|server|via|connection|keep-alive|content-(?:length|encoding)|transfer-encoding|set-cookie|cf-.*|x-.*-(?:id|trace))$/i;

/** What an account chooses among is part of the story; what it is called is not. */
const ownSettings = (carrier: Carrier, settings: Readonly<Record<string, unknown>>) =>
  scalarsOf(
    Object.fromEntries(
      Object.entries(settings).filter(([name]) => {
        const field = carrier.settings[name];
        return field !== undefined && isChoice(field);
      }),
    ),
  );
const isChoice = ({ type, oneOf, secret }: AccountField): boolean =>
  !secret && (type !== 'text' || oneOf !== undefined);

const examplesFor = (
  carrier: Carrier,
  account: Pick<Account, 'credentials' | 'settings'>,
): ReadonlyMap<string, string> => {
  const examples = accountOf(carrier, undefined);
  const pairs = (['credentials', 'settings'] as const).flatMap((section) =>
    Object.entries(account[section]).flatMap(([name, value]): [string, string][] => {
      const field = carrier[section][name];
      if (field !== undefined && isChoice(field)) return [];
      if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return [];
      return [[String(value), asText(examples[section][name]) ?? `example-${name}`]];
    }),
  );
  return new Map(pairs);
};

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

// What comes of it --------------------------------------------------------------------------------------------------

const expectOf = (story: Story, { operation, outcome, updates, downloaded }: Performed): Expect => {
  if (outcome.kind !== 'done') {
    const { code, messages } = outcome.problem;
    return { outcome: outcomeName(outcome), code, messages: [...messages] };
  }
  const labels = downloaded ?? labelsOf(operation, outcome.result);
  const events = recordUpdates(story, updates);
  const result = operation === 'track' || operation === 'label' ? undefined : shownResult(operation, outcome.result);
  return {
    outcome: 'succeed',
    ...(result === undefined ? {} : { result }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(events.length === 0
      ? {}
      : { events: events.map(shownEvent) as NonNullable<Expect['events']>, status: statusOf(story) }),
  };
};

/** What is expected, without what is missing: there, null is a word of its own. */
const present = (expected: Expect): Expect =>
  JSON.parse(JSON.stringify(expected, (_, value: unknown) => (value === null ? undefined : value))) as Expect;
