import { expect, test } from 'vitest';
import type { Account, Exchange } from '../../../src/engine/dispatch/ports.ts';
import { explainDispatch } from '../../../src/workbench/explain/explain-dispatch.ts';
import { watchMappings } from '../../../src/workbench/explain/watch.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';

const PROFILE = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create:
    idempotency: reference
    post: '/o/\${consignment.referenceId}'
    result: '{ "itemsTrackDetails": [{ "trackingNumber": response.body.number }] }'
`;

const exchange = (attempt: number, answer: Partial<Exchange>) =>
  ({
    operation: 'create',
    step: 'create',
    element: 0,
    attempt,
    atMs: Date.UTC(2026, 4, 1) + attempt * 60_000,
    method: 'POST',
    url: 'https://api.acme.example/o/R1',
    requestHeaders: {},
    ...answer,
  }) as Exchange;

const succeeded = {
  status: 200,
  responseHeaders: { 'content-type': 'application/json' },
  responseBody: Buffer.from('{"number":"T1"}'),
  outcome: 'succeed',
};
const timedOut = { outcome: 'unknown_outcome', message: 'timeout: no answer in time' };

const NOBODY: Account = { id: 1, version: 1, credentials: {}, settings: {} };

/** A create that was answered after these tries. */
const explained = async (profile: string, exchanges: readonly Exchange[], account: Account = NOBODY) => {
  const watch = watchMappings();
  const homes = { home: memoryFiles({ 'carriers/acme.yaml': profile }), shipped: memoryFiles({}) };
  const { carrier } = loadCarrier('acme', homes, undefined, watch.engine);
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
    account,
    watch,
  );
};

const unsent = { outcome: 'not_sent', message: 'connection_refused: nobody listens' };
test.each([
  ['by itself', PROFILE, [exchange(1, unsent), exchange(2, timedOut), exchange(3, succeeded)]],
  [
    'by hand, its attempts used up',
    `${PROFILE}retry: { attempts: 2 }\n`,
    [exchange(1, timedOut), exchange(2, timedOut), exchange(1, succeeded)],
  ],
])('a dispatch that was taken up again %s is replayed try by try', async (_, profile, recorded) => {
  const { exchanges, notes, results } = await explained(profile, recorded);
  expect(notes).toEqual([]);
  expect(exchanges.map(({ values }) => values.map(({ value }) => value))).toEqual([['R1'], ['R1'], ['R1']]);
  expect(results).toContainEqual(expect.objectContaining({ value: 'T1', reads: ['response.body.number'] }));
});

test('what came from a variable is not shown, whatever it is', async () => {
  const profile = `${PROFILE.replace('${consignment.referenceId}', '${settings.depot}/${settings.site}')}settings: { depot: {}, site: {} }\n`;
  const settings = { depot: 'depot-in-a-variable', site: 'north' };
  const fromVariables = [{ name: 'depot', value: settings.depot }];
  const said = await explained(profile, [exchange(1, succeeded)], { ...NOBODY, settings, fromVariables });
  expect(said.exchanges[0]?.values.map(({ value }) => value)).toEqual(['***', 'north']);
  expect(JSON.stringify(said)).not.toContain(settings.depot);
});

test.each([
  ['a rejection', '$reject("no parcels to PO boxes", "po_box")', 'rejected', 'no parcels to PO boxes'],
  ['a value that cannot be used', '$number(consignment.referenceId)', 'rejected', 'number'],
])(
  'a dispatch that ended in %s before anything was sent is told with where and why',
  async (_, expression, word, message) => {
    const profile = PROFILE.replace(
      "post: '/o/${consignment.referenceId}'",
      `post: /o\n    body: { json: '{ "no": consignment.referenceId = "R1" ? ${expression} }' }`,
    );
    const { ended, exchanges, notes } = await explained(profile, []);
    expect(notes).toEqual([expect.stringContaining('no exchange is recorded')]);
    expect(exchanges).toMatchObject([{ operation: 'create', outcome: 'not_sent' }]);
    expect(ended).toMatchObject([
      {
        outcome: word,
        messages: [expect.stringContaining(message)],
        path: 'body.no',
        shipper: ['consignmentDetails.referenceNumber'],
      },
    ]);
  },
);
