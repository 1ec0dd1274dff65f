/** Explains a recorded dispatch: it is run again on an engine that watches, against the answers of then. */
import { oneByOne } from '../cases/one-by-one.ts';
import { createMemoryLog } from '../../engine/dispatch/attempt-log.ts';
import { UNLIMITED } from '../../engine/dispatch/limits.ts';
import type {
  Account,
  AttemptLog,
  Ports,
  RecordedDispatch,
  Run,
  RunOutcome,
  TokenStore,
} from '../../engine/dispatch/ports.ts';
import { runRecreate } from '../../engine/dispatch/recreate.ts';
import { runOperation } from '../../engine/dispatch/operation.ts';
import { Failure } from '../../engine/failure.ts';
import type { Evaluation } from '../../engine/mapping/tracing-engine.ts';
import type { Auth, Carrier, Operation, Step } from '../../engine/profile/carrier.ts';
import { explainExchange, explainResults } from './explain-exchange.ts';
import type { Explanation } from './explanation.ts';
import { createRecordedCarrier, type RecordedCarrier, RecordEnded } from './recorded-carrier.ts';

/** What a secret is, wherever the replay needs one. */
const MASKED = '***';

/** `carrier` was compiled with an engine that adds to `evaluations`. No secret of `account` is evaluated. */
export const explainDispatch = async (
  dispatch: RecordedDispatch,
  carrier: Carrier,
  account: Account,
  evaluations: readonly Evaluation[],
): Promise<Explanation> => {
  const recorded = createRecordedCarrier(dispatch.exchanges.filter(({ operation }) => operation !== 'login'));
  /** How many evaluations there had been when each request left. */
  const sentAt: number[] = [];
  const attemptLog = attemptLogOf(dispatch, recorded);
  const ports: Ports = {
    attemptLog,
    tokens: maskedTokens(carrier),
    carrierLimits: UNLIMITED,
    noteExchange: () => Promise.resolve(),
    send: () => {
      sentAt.push(evaluations.length);
      return Promise.resolve().then(recorded.answer);
    },
    nowMs: recorded.nowMs,
    random: () => 0,
  };
  const recreates = dispatch.operation === 'update' && carrier.recreate;
  const played = replayable(carrier);
  const operation = played.operations[recreates ? 'create' : dispatch.operation];
  if (operation === undefined) {
    const message = `${carrier.code} has no operation ${dispatch.operation}`;
    throw new Failure(message, { code: 'operation_missing', place: carrier.place });
  }
  const run: Run = {
    seed: dispatch.seed,
    carrier: played,
    operation,
    environment: dispatch.environment,
    account: withoutSecrets(account, carrier),
    inputs: dispatch.inputs,
    nowMs: dispatch.startedAtMs,
  };
  await replay(async () => await (recreates ? runRecreate : runOperation)(run, ports), recorded, attemptLog);
  return {
    carrier: carrier.code,
    dispatch: { id: dispatch.id, operation: dispatch.operation, profileHash: carrier.hash },
    notes: recorded
      .open()
      .map(
        ({ operation, step, attempt }) => `${operation}/${step}, attempt ${attempt}, is recorded, and not asked again`,
      ),
    exchanges: dispatch.exchanges.map((exchange) => {
      const at = recorded.answered.indexOf(exchange);
      const before = at === -1 ? [] : evaluations.slice(sentAt[at - 1] ?? 0, sentAt[at]);
      const after = at === -1 ? [] : evaluations.slice(sentAt[at], sentAt[at + 1]);
      return explainExchange(carrier, { exchange, before, after });
    }),
    results: explainResults(carrier, evaluations),
  };
};

/** As often as the worker took it up, until the record is at its end. */
const replay = async (
  perform: () => Promise<RunOutcome>,
  recorded: RecordedCarrier,
  attemptLog: AttemptLog,
): Promise<void> => {
  for (let left = recorded.open().length; ; left = recorded.open().length) {
    const outcome = await untilEnded(perform);
    const isStuck = recorded.open().length === 0 || recorded.open().length === left;
    if (isStuck) return;
    if (outcome?.kind === 'held' && outcome.why === 'unknown_outcome') await reopen(attemptLog);
    else if (outcome?.kind !== 'waiting') return;
  }
};

const untilEnded = async (perform: () => Promise<RunOutcome>): Promise<RunOutcome | undefined> => {
  try {
    return await perform();
  } catch (thrown) {
    if (thrown instanceof RecordEnded) return undefined;
    throw thrown;
  }
};

/** As an operator's retry of what nobody knows: under the keys it has, with all attempts again. */
const reopen = async (attemptLog: AttemptLog): Promise<void> => {
  const open = attemptLog.calls.filter(({ state }) => /^(?:unknown|sending|retry)$/.test(state));
  for (const call of open) await attemptLog.commit({ ...call, attempt: 0 }, undefined);
};

const attemptLogOf = ({ draws: drawn }: RecordedDispatch, recorded: RecordedCarrier): AttemptLog => {
  const draws = new Map(drawn);
  const attemptLog = createMemoryLog(() => Promise.resolve());
  return {
    ...attemptLog,
    draws,
    fence: async (key, ...rest) => {
      recorded.announce(key);
      await attemptLog.fence(key, ...rest);
    },
    // Only a version that draws what that of then did not comes here.
    drawSequence: (key, _name, { pad = 1 }) => {
      const value = '0'.repeat(pad);
      draws.set(key, value);
      return Promise.resolve(value);
    },
  };
};

const authsOf = (carrier: Carrier): readonly Auth[] => [
  ...Object.values(carrier.auths),
  ...Object.values(carrier.operations).flatMap(({ steps }) => steps.flatMap(({ auth }) => auth)),
];

/** What a login brought was never written down. */
const maskedTokens = (carrier: Carrier): TokenStore => {
  const names = authsOf(carrier).flatMap((auth) => (auth.kind === 'session' ? Object.keys(auth.save) : []));
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
const replayable = (carrier: Carrier): Carrier => {
  const single = oneByOne(carrier);
  const operations = Object.entries(single.operations).map(([name, operation]) => [name, unsigned(operation)]);
  return { ...single, operations: Object.fromEntries(operations) as Carrier['operations'] };
};

const unsigned = (operation: Operation): Operation => {
  const [first, ...rest] = operation.steps;
  return { ...operation, steps: [withoutSignature(first), ...rest.map(withoutSignature)] };
};

const withoutSignature = (step: Step): Step => ({
  ...step,
  auth: step.auth.filter(({ kind }) => kind !== 'signature'),
  undo: step.undo === undefined ? undefined : withoutSignature(step.undo),
});
