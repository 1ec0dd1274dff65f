import { expect, test } from 'vitest';
import type { Exchange } from '../../src/dispatch/ports.ts';
import { explainDispatch } from '../../src/explain/explain-dispatch.ts';
import { type Evaluation, tracingEngine } from '../../src/mapping/tracing-engine.ts';
import { memoryFiles } from '../../src/profile/home-files.ts';
import { loadCarrier } from '../../src/profile/load.ts';

const PROFILE = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create:
    idempotency: reference
    post: '/o/\${consignment.referenceId}'
    result: '{ "itemsTrackDetails": [{ "trackingNumber": response.body.number }] }'
`;

const exchange = (attempt: number, answer: Partial<Exchange>): Exchange => ({
  operation: 'create',
  step: 'create',
  element: 0,
  attempt,
  atMs: Date.UTC(2026, 4, 1) + attempt * 60_000,
  durationMs: 5,
  method: 'POST',
  url: 'https://api.acme.example/o/R1',
  requestHeaders: {},
  requestBody: undefined,
  status: undefined,
  responseHeaders: undefined,
  responseBody: undefined,
  outcome: 'retry',
  message: undefined,
  ...answer,
});

const succeeded = {
  status: 200,
  responseHeaders: { 'content-type': 'application/json' },
  responseBody: Buffer.from('{"number":"T1"}'),
  outcome: 'succeed',
};
const timedOut = { outcome: 'unknown_outcome', message: 'timeout: no answer in time' };

const explain = async (profile: string, exchanges: readonly Exchange[]) => {
  const evaluations: Evaluation[] = [];
  const homes = { home: memoryFiles({ 'carriers/acme.yaml': profile }), shipped: memoryFiles({}) };
  const engine = tracingEngine({ evaluated: (one) => evaluations.push(one) });
  const { carrier } = loadCarrier('acme', homes, undefined, engine);
  if (carrier === undefined) throw new Error('this should load');
  return await explainDispatch(
    {
      id: 1,
      operation: 'create',
      state: 'done',
      carrierCode: 'acme',
      profileHash: carrier.hash,
      environment: 'production',
      accountId: 1,
      seed: 'seed',
      inputs: { consignment: { referenceId: 'R1', itemList: [{ itemReferenceNumber: 'P1' }] } },
      startedAtMs: Date.UTC(2026, 4, 1),
      draws: new Map(),
      exchanges,
    },
    carrier,
    { id: 1, version: 1, credentials: {}, settings: {} },
    evaluations,
  );
};

test.each([
  [
    'by itself',
    PROFILE,
    [
      exchange(1, { outcome: 'not_sent', message: 'connection_refused: nobody listens' }),
      exchange(2, timedOut),
      exchange(3, succeeded),
    ],
  ],
  [
    'by hand, its attempts used up',
    `${PROFILE}retry: { attempts: 2 }\n`,
    [exchange(1, timedOut), exchange(2, timedOut), exchange(1, succeeded)],
  ],
])('a dispatch that was taken up again %s is replayed try by try', async (_, profile, recorded) => {
  const { exchanges, notes, results } = await explain(profile, recorded);
  expect(notes).toEqual([]);
  expect(exchanges.map(({ values }) => values.map(({ value }) => value))).toEqual([['R1'], ['R1'], ['R1']]);
  expect(results).toContainEqual(expect.objectContaining({ value: 'T1', reads: ['response.body.number'] }));
});
