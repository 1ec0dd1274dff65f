import { expect, it } from 'vitest';
import { createMemoryLog } from '../../../src/engine/dispatch/attempt-log.ts';
import { createConcurrencyLimiter } from '../../../src/engine/dispatch/limits.ts';
import { type Claim, performDispatch, type Performing } from '../../../src/engine/dispatch/perform.ts';
import { LeaseLost } from '../../../src/engine/dispatch/ports.ts';
import { Failure } from '../../../src/engine/failure.ts';
import { answer, worldOf, carrierOf } from './world.ts';

const profile = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create: { post: /orders, result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }' }
`;
const failing = (thrown: Error) => async () => await Promise.reject(thrown);
const unreadable = new Failure('its key is lost', { code: 'secret_unreadable' });

/** What became of one dispatch: what was concluded, and which defects were noted. */
const perform = async (claimed: Partial<Claim> | undefined = {}, own: Partial<Performing> = {}) => {
  const world = worldOf(profile, answer(200, { number: 'T1' }));
  const concluded: string[] = [];
  const defects: unknown[] = [];
  const attemptLog = createMemoryLog(() => Promise.resolve());
  const account = { id: 1, version: 1, credentials: {}, settings: {} };
  const claim = {
    operation: 'create',
    carrierCode: 'acme',
    environment: 'production',
    seed: 's',
    inputs: { consignment: world.consignment },
    startedAtMs: world.clock.now(),
    attemptLog: async () => await Promise.resolve(attemptLog),
    account: async () => await Promise.resolve(account),
    ...claimed,
  } as Claim;
  const dispatches: Performing['dispatches'] = {
    claim: async () => await Promise.resolve(own.dispatches === undefined && claimed === NOBODYS ? undefined : claim),
    conclude: async (_, { dispatch: { state, failure } }) => {
      concluded.push(`${state} ${failure?.why ?? ''} ${failure?.problem.code ?? ''}`.trim());
      await Promise.resolve();
    },
    isConnectionError: (thrown) => thrown instanceof Error && thrown.message === 'no database',
    ...own.dispatches,
  };
  const performed = performDispatch(1, {
    ...world.ports,
    limiter: createConcurrencyLimiter(1, world.clock.now, () => 0),
    noteExchange: () => () => Promise.resolve(),
    carrierVersion: async () => await Promise.resolve(carrierOf(profile)),
    noteDefect: (_, thrown) => void defects.push(thrown),
    ...own,
    dispatches,
  });
  return { performed: await performed.catch((thrown: Error) => thrown.message), concluded, defects };
};
const NOBODYS: Partial<Claim> = {};

it.each<[string, Partial<Claim>, string, string]>([
  ['that goes well is done', {}, 'done', 'done'],
  [
    'without an account is held',
    { account: () => Promise.resolve(undefined) },
    'held',
    'held config_error account_missing',
  ],
  ['of an operation that is gone is held', { operation: 'cancel' }, 'held', 'held config_error operation_missing'],
  [
    'whose log cannot be read is held as one that nobody knows of',
    { attemptLog: failing(unreadable) },
    'held',
    'held unknown_outcome secret_unreadable',
  ],
])('a dispatch %s', async (_, claim, performed, concluded) => {
  expect(await perform(claim)).toEqual({ performed, concluded: [concluded], defects: [] });
});

it('a dispatch that nobody hands out, or that is taken over meanwhile, changes nothing', async () => {
  expect(await perform(NOBODYS)).toMatchObject({ performed: 'not_ours', concluded: [] });
  expect(await perform({ account: failing(new LeaseLost('taken over')) })).toMatchObject({
    performed: 'lease_lost',
    concluded: [],
  });
});

it('a dispatch beyond its carrier’s share waits for its turn', async () => {
  const limiter = createConcurrencyLimiter(
    1,
    () => 0,
    () => 0,
  );
  limiter.enter('acme');
  expect(await perform({}, { limiter })).toMatchObject({
    performed: 'waiting',
    concluded: ['waiting waiting held_back'],
  });
});

it('a dispatch that a mistake of ours stops is held, and the mistake is noted', async () => {
  const mistake = new TypeError('x is not a function');
  const { performed, concluded, defects } = await perform({}, { carrierVersion: failing(mistake) });
  expect([performed, concluded, defects]).toEqual(['held', ['held config_error internal_error'], [mistake]]);
});

it('a dispatch whose records cannot be reached is left to be taken up again', async () => {
  expect(await perform({ account: failing(new Error('no database')) })).toMatchObject({
    performed: 'no database',
    concluded: [],
  });
});
