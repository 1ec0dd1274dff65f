/** Writes a recorded story as a case: what is sent for it today, what was answered, and what comes of it. */
import { stringify } from 'yaml';
import type { Account } from '../../engine/dispatch/ports.ts';
import { Failure } from '../../engine/failure.ts';
import type { AccountField, Carrier } from '../../engine/profile/carrier.ts';
import { accountOf } from '../cases/account.ts';
import { type CaseFiles, memoryCaseFiles } from '../cases/read.ts';
import { statusOf } from '../cases/events.ts';
import { type FakeCarrier, type Reply, unansweredOf } from '../cases/fake-carrier.ts';
import { type KnownAnswer, stageOf } from '../cases/pack/stage.ts';
import { isTarget } from '../cases/requests.ts';
import { type OnStep, playCase, runCaseNamed } from '../cases/run.ts';
import type { Expect } from '../cases/schema.ts';
import { shownEvent } from '../cases/shown.ts';
import type { World } from '../cases/story.ts';
import { createCleaner } from './anonymise.ts';
import { cleanBody } from './clean-body.ts';
import { performedSeen } from './observation.ts';
import { recordedCarrier } from './recorded-carrier.ts';
import { type RecordedStory, scalarsOf, storyOf } from './recorded-story.ts';
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

type RecordedCase =
  /** The case first, then what lies beside it; by their paths below the home. */
  | { readonly ok: true; readonly files: Readonly<Record<string, string | Buffer>> }
  | { readonly ok: false; readonly why: string };

/** The case passes, or none is made. */
export const recordCase = async (recorded: RecordedStory, recording: Recording): Promise<RecordedCase> => {
  const { carrier, name, files } = recording;
  const folder = `fixtures/${carrier.code}`;
  const file = `${folder}/${name}.yaml`;
  const caseFile = storyOf(cleaned(recorded, recording), { file, line: 1, column: 1 });
  const { content } = caseFile;
  const [step] = content.flow;
  if (step === undefined) return { ok: false, why: 'nothing was done' };
  // A wait after the last answer is an end like any other.
  const flow = [{ ...step, expect: { outcome: 'waiting' } } as const];
  const recorder = createRecorder(stageOf(carrier, files).answers);
  let expected: Expect = {};
  const onStep: OnStep = (played, _step, story) => {
    if ('performed' in played) expected = expectOf(played, statusOf(story));
  };
  const { ended, problems } = await playCase(
    { ...caseFile, content: { ...content, flow } },
    carrier,
    onStep,
    recorder.world,
  );
  if (ended instanceof Failure) return { ok: false, why: ended.describe() };
  const why = recorder.unanswered() ?? problems.list()[0]?.message ?? ended?.message;
  if (why !== undefined) return { ok: false, why };
  const writer = createCaseWriter(name);
  const exchanges = recorder.sent().map(writer.exchange);
  const written = { ...content, flow: [{ ...step, exchanges, expect: expected }] };
  const beside = Object.entries(writer.files).map(([path, bytes]) => [`${folder}/${path}`, bytes] as const);
  const text = stringify(written, { lineWidth: 120, defaultStringType: 'QUOTE_SINGLE', defaultKeyType: 'PLAIN' });
  return await proven({ [file]: text, ...Object.fromEntries(beside) }, recording);
};

const proven = async (
  written: Readonly<Record<string, string | Buffer>>,
  { carrier, name, files }: Recording,
): Promise<RecordedCase> => {
  const withIt: CaseFiles = { ...files, read: (path) => memoryCaseFiles(written).read(path) ?? files.read(path) };
  const { report } = await runCaseNamed(carrier, `${name}.yaml`, withIt);
  if (report.passed) return { ok: true, files: written };
  return { ok: false, why: `told again, it does not pass: ${report.problems[0]?.message ?? ''}` };
};

// What is sent ------------------------------------------------------------------------------------------------------

/** What is said at logins is never recorded: `known`, answers that other cases show, stand in. */
const createRecorder = (known: readonly KnownAnswer[]) => {
  const fakes: FakeCarrier[] = [];
  let logins = 0;
  const loginAnswer = (request: Parameters<typeof isTarget>[1]): Reply | undefined => {
    if (logins === 0) return undefined;
    const login = known.find(({ method, url }) => isTarget({ [method.toLowerCase()]: url }, request));
    return { response: login?.answer ?? USUAL_LOGIN, beside: login?.caseFile.beside ?? (() => undefined) };
  };
  const world: World = {
    tokensFrom: (tokens) => ({
      drop: tokens.drop,
      get: async (wanted, login) =>
        await tokens.get(wanted, async (refreshToken) => {
          logins += 1;
          try {
            return await login(refreshToken);
          } finally {
            logins -= 1;
          }
        }),
    }),
    carrierFor: (script) => {
      const fake = recordedCarrier(script, loginAnswer);
      fakes.push(fake);
      return fake;
    },
  };
  return {
    world,
    sent: (): FakeCarrier['sent'] => fakes.flatMap(({ sent }) => sent),
    unanswered: (): string | undefined => {
      const [first] = fakes.flatMap(unansweredOf);
      return first && `no answer is recorded for ${first.method} ${first.url.split('?')[0] ?? ''}`;
    },
  };
};

/** What most logins answer. */
const USUAL_LOGIN = {
  status: 200,
  json: {
    access_token: 'example-token-1',
    token: 'example-token-1',
    refresh_token: 'example-refresh-token-1',
    token_type: 'Bearer',
    expires_in: 3600,
  },
};

// What may be shown -------------------------------------------------------------------------------------------------

const cleaned = (recorded: RecordedStory, { carrier, account, keepPeople }: Recording): RecordedStory => {
  const own = account ?? { credentials: {}, settings: recorded.settings };
  const cleaner = createCleaner(examplesFor(carrier, own), keepPeople);
  const cleanHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        DULL.test(name) ? [] : [[name, String(cleaner.value(value, name))]],
      ),
    );
  return {
    ...recorded,
    inputs: cleaner.inputs(recorded.inputs),
    settings: ownSettings(carrier, own.settings),
    exchanges: recorded.exchanges.map(({ responseHeaders, responseBody, ...exchange }) => {
      const contentType = responseHeaders['content-type'];
      const cleanedBody = responseBody && cleanBody(responseBody, { contentType, cleaner, keepPeople });
      return { ...exchange, responseHeaders: cleanHeaders(responseHeaders), responseBody: cleanedBody };
    }),
  };
};

const DULL =
  /^(?:date|server|via|connection|keep-alive|content-(?:length|encoding)|transfer-encoding|set-cookie|cf-.*|x-.*-(?:id|trace))$/i;

/** What an account chooses among is part of the story; what it is called is not. */
const ownSettings = (carrier: Carrier, settings: Readonly<Record<string, unknown>>) =>
  scalarsOf(Object.fromEntries(Object.entries(settings).filter(([name]) => isChoice(carrier.settings[name]))));

const isChoice = (field: AccountField | undefined): boolean =>
  field !== undefined && !field.secret && (field.type !== 'text' || field.oneOf !== undefined);

/** Each value of the account, and what stands in its place. */
const examplesFor = (
  carrier: Carrier,
  account: Pick<Account, 'credentials' | 'settings'>,
): ReadonlyMap<string, string> => {
  const examples = accountOf(carrier, undefined);
  const pairs = (['credentials', 'settings'] as const).flatMap((section) =>
    Object.entries(account[section]).flatMap(([name, value]): [string, string][] => {
      const text = asText(value);
      if (isChoice(carrier[section][name]) || text === undefined || text === '') return [];
      return [[text, asText(examples[section][name]) ?? `example-${name}`]];
    }),
  );
  return new Map(pairs);
};

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

// What comes of it --------------------------------------------------------------------------------------------------

/** Without what is missing: there, null is a word of its own. */
const expectOf = (played: Extract<Parameters<OnStep>[0], { performed: unknown }>, status: string): Expect => {
  const { events, performed } = played;
  const isTold = performed.outcome.kind === 'done' && events.length > 0;
  const told = isTold ? { events: events.map(shownEvent), status } : {};
  const expected = JSON.stringify({ ...performedSeen(played), ...told }, (_, value: unknown) => value ?? undefined);
  return JSON.parse(expected) as Expect;
};
