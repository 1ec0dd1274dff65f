/** Explains a recorded dispatch: it is run again on an engine that watches, against the answers of then. No network. */
import { createMemoryLog } from '../../engine/dispatch/attempt-log.ts';
import type {
  Account,
  AttemptLog,
  CallKey,
  Exchange,
  RecordedDispatch,
  RunOutcome,
  TokenStore,
} from '../../engine/dispatch/ports.ts';
import { Failure } from '../../engine/failure.ts';
import type { Auth, Carrier, Step } from '../../engine/profile/carrier.ts';
import type { AmbiguousCode, NotSentCode, WireOutcome } from '../../engine/transport/wire.ts';
import { createClock, createFakeCarrier } from '../cases/fake-carrier.ts';
import { oneByOne, performerOf, repeatablePorts, withSteps } from '../engine-run.ts';
import { type Explanation, recordRun } from './explain-run.ts';
import type { Watch } from './watch.ts';

/** What a secret is, wherever the replay needs one. */
const MASKED = '***';

/** `carrier` was compiled with the engine of `watch`. No secret of `account` is evaluated. */
export const explainDispatch = async (
  dispatch: RecordedDispatch,
  carrier: Carrier,
  account: Account,
  watch: Watch,
): Promise<Explanation> => {
  const { id, seed, environment, inputs, state, failure } = dispatch;
  const watched = replayable(watch.over(carrier));
  const { operation, perform } = performerOf(watched, dispatch.operation);
  if (operation === undefined) {
    const message = `${carrier.code} has no operation ${dispatch.operation}`;
    throw new Failure(message, { code: 'operation_missing', place: carrier.place });
  }
  const told = recordRun(watch);
  // Nothing is kept of what logins said.
  const recording = startRecording(
    dispatch.exchanges.filter((one) => one.operation !== 'login'),
    told,
  );
  const attemptLog = attemptLogOf(dispatch, recording);
  const ports = repeatablePorts({
    attemptLog,
    tokens: maskedTokens(watched),
    noteExchange: () => Promise.resolve(),
    send: recording.fake.send,
    nowMs: () => recording.nowMs() ?? dispatch.startedAtMs,
  });
  const run = {
    seed,
    carrier: watched,
    operation,
    environment,
    account: withoutSecrets(account, carrier),
    inputs,
    nowMs: dispatch.startedAtMs,
  };
  const outcome = await replay(async () => await perform(run, ports), recording, attemptLog);
  told.onEnd(dispatch.operation, outcome, []);
  const missing = dispatch.exchanges.length === 0 ? [`no exchange is recorded: ${NOTHING_RECORDED}`] : [];
  const left = recording.open().map((one) => `${one.operation}/${one.step}, attempt ${one.attempt}`);
  return {
    carrier: carrier.code,
    dispatch: { id, operation: dispatch.operation, state, profileHash: carrier.hash },
    notes: [
      ...(failure === undefined ? [] : [`it is ${state} (${failure.why}): ${failure.problem.messages.join('; ')}`]),
      ...missing,
      ...left.map((one) => `${one}, is recorded, and not asked again`),
    ],
    ...told.explain(watched, run.account),
  };
};

const NOTHING_RECORDED = 'the carrier was not asked, or they are deleted; this is what it would be asked';

// The answers of then -----------------------------------------------------------------------------------------------

type Recording = ReturnType<typeof startRecording>;

const startRecording = (
  exchanges: readonly Exchange[],
  told: Pick<ReturnType<typeof recordRun>, 'onSend' | 'onExchange'>,
) => {
  const answered: Exchange[] = [];
  let announced: CallKey | undefined;
  const open = (): readonly Exchange[] => exchanges.filter((exchange) => !answered.includes(exchange));
  const isNext = (exchange: Exchange): boolean =>
    announced === undefined ? exchange.operation === 'lookup' : isOf(exchange, announced);
  const fake = createFakeCarrier({
    clock: createClock(0),
    answer: (request) => {
      told.onSend(request);
      const exchange = open().find(isNext);
      announced = undefined;
      if (exchange !== undefined) {
        answered.push(exchange);
        told.onExchange(exchange);
      }
      return exchange && outcomeOf(exchange);
    },
  });
  return {
    fake,
    /** What is left. */
    open,
    /** This call is what the next request is for; without it, the next request is a lookup's. */
    announce: (key: CallKey): void => {
      announced = key;
    },
    /** When the next request left; undefined where none is recorded. */
    nowMs: (): number | undefined => (open()[0] ?? exchanges.at(-1))?.atMs,
  };
};

/** The calls of a recreate are named `cancel/<step>` and `create/<step>`. */
const isOf = ({ operation, step, element }: Exchange, key: CallKey): boolean => {
  const [part, name] = key.step.includes('/') ? key.step.split('/') : [undefined, key.step];
  return step === name && element === key.element && operation !== 'lookup' && (part ?? operation) === operation;
};

const outcomeOf = (exchange: Exchange): WireOutcome => {
  const { status, responseHeaders, responseBody, outcome, message = '' } = exchange;
  if (status !== undefined && responseHeaders !== undefined) {
    const body = responseBody ?? Buffer.alloc(0);
    return { kind: 'answer', status, headers: responseHeaders, body };
  }
  // Messages begin with their code.
  const [code = '', ...rest] = message.split(': ');
  return outcome === 'not_sent'
    ? { kind: 'not_sent', code: code as NotSentCode, message: rest.join(': ') }
    : { kind: 'ambiguous', code: code as AmbiguousCode, message: rest.join(': ') };
};

/** As often as the worker took it up, until the record is at its end. */
const replay = async (
  perform: () => Promise<RunOutcome>,
  recording: Recording,
  attemptLog: AttemptLog,
): Promise<RunOutcome> => {
  for (let left = recording.open().length; ; left = recording.open().length) {
    const outcome = await perform();
    const isStuck = recording.open().length === 0 || recording.open().length === left;
    if (isStuck) return outcome;
    if (outcome.kind === 'held' && outcome.why === 'unknown_outcome') await reopen(attemptLog);
    else if (outcome.kind !== 'waiting') return outcome;
  }
};

/** As an operator's retry of what nobody knows: under the keys it has, with all attempts again. */
const reopen = async (attemptLog: AttemptLog): Promise<void> => {
  const open = attemptLog.calls.filter(({ state }) => /^(?:unknown|sending|retry)$/.test(state));
  for (const call of open) await attemptLog.commit({ ...call, attempt: 0 }, undefined);
};

const attemptLogOf = ({ draws: drawn }: RecordedDispatch, recording: Recording): AttemptLog => {
  const draws = new Map(drawn);
  const log = createMemoryLog(() => Promise.resolve());
  return {
    ...log,
    draws,
    fence: async (key, ...rest) => {
      recording.announce(key);
      await log.fence(key, ...rest);
    },
    // Only a version that draws what that of then did not comes here.
    drawSequence: (key, _name, { pad = 1 }) => {
      const value = '0'.repeat(pad);
      draws.set(key, value);
      return Promise.resolve(value);
    },
  };
};

// Without secrets ---------------------------------------------------------------------------------------------------

/** What a login brought was never written down. */
const maskedTokens = (carrier: Carrier): TokenStore => {
  const auths: readonly Auth[] = [
    ...Object.values(carrier.auths),
    ...Object.values(carrier.operations).flatMap(({ steps }) => steps.flatMap(({ auth }) => auth)),
  ];
  const names = auths.flatMap((auth) => (auth.kind === 'session' ? Object.keys(auth.save) : []));
  const saved = Object.fromEntries(names.map((name) => [name, MASKED]));
  return {
    get: () => Promise.resolve({ kind: 'token', token: { token: MASKED, saved }, expiresAtMs: undefined }),
    drop: () => Promise.resolve(),
  };
};

const withoutSecrets = (account: Account, carrier: Carrier): Account => {
  const hidden = new Set<unknown>(account.fromVariables?.map(({ value }) => value));
  const masked = (values: Account['settings'], isShown: (name: string) => boolean): Account['settings'] =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, isShown(name) && !hidden.has(value) ? value : MASKED]),
    );
  return {
    ...account,
    credentials: masked(account.credentials, (name) => carrier.credentials[name]?.secret === false),
    settings: masked(account.settings, () => true),
  };
};

/** Nothing is sent, and no key is at hand to sign with; calls go one after another, as the record has them. */
const replayable = (carrier: Carrier): Carrier => withSteps(oneByOne(carrier), withoutSignature);

const withoutSignature = (step: Step): Step => ({
  ...step,
  auth: step.auth.filter(({ kind }) => kind !== 'signature'),
});
