/** What a case says of labels is what a server makes of them. */
import { expect, test } from 'vitest';
import { createConcurrencyLimiter } from '../../../src/engine/dispatch/limits.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { fetchedLabels } from '../../../src/engine/dispatch/result.ts';
import { fetchLabels } from '../../../src/engine/labels/fetch.ts';
import type { Case } from '../../../src/workbench/cases/schema.ts';
import { unwrittenCase } from '../../../src/workbench/cases/read.ts';
import { playCase } from '../../../src/workbench/cases/run.ts';
import { carrierOf } from '../../engine/dispatch/world.ts';
import { runText, said } from './running.ts';

const acme = carrierOf(`
carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  label:
    get: '/labels/\${shipment.trackingNumber}'
    result: '{ "itemsTrackDetails": [{ "itemReferenceNumber": "PKG-1", "labelUrl": response.body.url, "label": response.body.pdf ? { "content": response.body.pdf } }] }'
outcomes:
  - { status: 409, do: fail, messages: response.body.error }
  - { status: 4xx, do: reject, messages: response.body.error }
`);
const PDF = 'JVBERi0xLjQKJSVFT0YK';
const GET = { get: 'https://api.acme.example/labels/A1' };
const SHIPMENT = { packages: [{ itemReferenceNumber: 'PKG-1', trackingNumber: 'A1' }] };
const text = (response: string, expected: string, more = ''): string => `case: a label
given: { shipment: ${JSON.stringify(SHIPMENT)} }
flow:
  - do: label
    exchanges: [ { request: ${JSON.stringify(GET)}, response: ${response} }${more} ]
    expect: ${expected}
`;

/** The same answer, in a server: how the one try to fetch the label ends. */
const onServer = async (response: object): Promise<string | undefined> => {
  const flow = [{ do: 'label', exchanges: [{ request: GET, response }] }];
  const content = { case: 'a label', given: { shipment: SHIPMENT }, flow } as unknown as Case;
  let outcome: RunOutcome | undefined;
  await playCase(unwrittenCase(content, acme.place, 'acme'), acme, (played) => {
    if ('performed' in played) ({ outcome } = played.performed);
  });
  const label = { id: '1', position: 0, itemReferenceNumber: 'PKG-1' };
  const endings = await fetchLabels(
    {
      lease: '',
      labels: [label],
      consignmentId: 1,
      carrierCode: 'acme',
      environment: 'production',
      accountId: 1,
      sourceUrl: undefined,
      tries: 1,
      untilAtMs: undefined,
    },
    {
      labels: { claimOnDemand: async () => await Promise.resolve(undefined), conclude: async () => {} },
      limiter: createConcurrencyLimiter(
        1,
        () => 0,
        () => 0,
      ),
      send: async () => await Promise.reject(new Error('nothing is downloaded')),
      nowMs: () => 0,
      random: () => 0,
      retryOf: async () => await Promise.resolve(acme.labels.retry),
      authHeaders: async () => await Promise.resolve({}),
      runLabelOperation: async () => await Promise.resolve(fetchedLabels(outcome!)),
    },
  );
  return endings === 'lease_lost' ? endings : endings[0]?.next?.state;
};

test.each([
  ['a label', { status: 200, json: { pdf: PDF } }, '{ labels: { PKG-1: PDF } }', 'stored'],
  ['none yet', { status: 200, json: {} }, '{ labels: {} }', 'pending'],
  ['a refusal', { status: 400, json: { error: 'no' } }, '{ outcome: reject, labels: { PKG-1: not_yet } }', 'pending'],
  ['a failure', { status: 409, json: { error: 'no' } }, '{ outcome: fail, labels: { PKG-1: not_yet } }', 'pending'],
])('%s', async (_, response, expected, state) => {
  expect(said(await runText(acme, text(JSON.stringify(response), expected)))).toEqual([]);
  expect(await onServer(response)).toBe(state);
});

test('a case that only says that the operation refuses does not say enough', async () => {
  const [problem] = said(await runText(acme, text('{ status: 400 }', '{ outcome: reject }')));
  expect(problem).toContain('the server asks for the label again');
  expect(problem).toContain('labels: - → {"PKG-1":"not_yet"}');
});

test('what the operation names by URL is downloaded where the exchanges go on', async () => {
  const url = 'https://api.acme.example/1.pdf';
  const named = `{ status: 200, json: { url: '${url}' } }`;
  const download = (response: string) => `, { request: { get: '${url}' }, response: ${response} }`;
  const rows = [
    ['', `'${url}'`],
    [download(`{ status: 200, base64: ${PDF} }`), 'PDF'],
    [download('{ status: 404 }'), 'not_yet'],
  ];
  for (const [more = '', label = ''] of rows)
    expect(said(await runText(acme, text(named, `{ labels: { PKG-1: ${label} } }`, more)))).toEqual([]);
});
