import { expect, it } from 'vitest';
import { createMemoryLog } from '../../../src/engine/dispatch/attempt-log.ts';
import { createConcurrencyLimiter } from '../../../src/engine/dispatch/limits.ts';
import { type DispatchClaim, performDispatch, type Performing } from '../../../src/engine/dispatch/perform.ts';
import { LeaseLost } from '../../../src/engine/dispatch/ports.ts';
import { Failure } from '../../../src/engine/failure.ts';
import { carrierOf, numbers, single, worldOf } from './world.ts';

const carrier = carrierOf(single());
const later =
  <Value>(value: Value) =>
  async (): Promise<Value> =>
    await Promise.resolve(value);
const failing = (thrown: Error) => async () => await Promise.reject(thrown);
const zero = (): number => 0;
const limiterOf = () => createConcurrencyLimiter(1, zero, zero);
const full = limiterOf();
full.enter('acme');

/** What became of one dispatch: what was concluded, and which defects were noted. */
const perform = async (claimed: Partial<DispatchClaim>, own: Partial<Performing> = {}) => {
  const world = worldOf(single(), numbers);
  const concluded: string[] = [];
  const defects: unknown[] = [];
  const claim = {
    operation: 'create',
    carrierCode: 'acme',
    environment: 'production',
    seed: 's',
    inputs: { consignment: world.consignment },
    startedAtMs: world.clock.now(),
    attemptLog: () => createMemoryLog(later(undefined)),
    account: later({ id: 1, version: 1, credentials: {}, settings: {} }),
    ...claimed,
  } as DispatchClaim;
  const performed = performDispatch(claim, {
    ...world.ports,
    limiter: limiterOf(),
    noteExchange: () => later(undefined),
    carrierVersion: later(carrier),
    noteLeft: () => {},
    noteDefect: (_, thrown) => void defects.push(thrown),
    dispatches: {
      conclude: async (_, { dispatch: { state, failure } }) => {
        concluded.push(`${state} ${failure?.why ?? ''} ${failure?.problem.code ?? ''}`.trim());
        await Promise.resolve();
      },
      isConnectionError: (thrown) => thrown instanceof Error && thrown.message === 'no database',
    },
    ...own,
  });
  return { performed: await performed.catch((thrown: Error) => thrown.message), concluded, defects };
};

const unreadable = (): never => {
  throw new Failure('its key is lost', { code: 'secret_unreadable' });
};
const keyless = failing(new Failure('another has its key', { code: 'secret_key_missing' }));
const disconnected = failing(new Error('no database'));
const mistake = new TypeError('x is not a function');

it.each<[string, Partial<DispatchClaim>, Partial<Performing>, string, string?]>([
  ['that goes well is done', {}, {}, 'done', 'done'],
  ['without an account is held', { account: later(undefined) }, {}, 'held', 'held config_error account_missing'],
  ['of an operation that is gone is held', { operation: 'cancel' }, {}, 'held', 'held config_error operation_missing'],
  ['without its log is held', { attemptLog: unreadable }, {}, 'held', 'held unknown_outcome secret_unreadable'],
  ['whose key another has is left to it', { account: keyless }, {}, 'waiting', 'waiting waiting secret_key_missing'],
  ['that is taken over changes nothing', { account: failing(new LeaseLost('taken over')) }, {}, 'lease_lost'],
  ['beyond its carrier’s share waits for its turn', {}, { limiter: full }, 'waiting', 'waiting waiting held_back'],
  ['without a database is left to be taken up again', { account: disconnected }, {}, 'no database'],
  ['that a bug stops is held', {}, { carrierVersion: failing(mistake) }, 'held', 'held config_error internal_error'],
])('a dispatch %s', async (_, claim, own, performed, concluded) => {
  const defects = concluded?.endsWith('internal_error') === true ? [mistake] : [];
  const conclusions = concluded === undefined ? [] : [concluded];
  expect(await perform(claim, own)).toEqual({ performed, concluded: conclusions, defects });
});
