import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { directoryCaseFiles, readCase } from '../../../src/workbench/cases/read.ts';
import { formatPlace } from '../../../src/engine/failure.ts';
import { explainCase } from '../../../src/workbench/explain/explain-case.ts';
import type { Explanation } from '../../../src/workbench/explain/explain-run.ts';
import type { ExplainedValue } from '../../../src/workbench/explain/explain-values.ts';
import { explainStatus } from '../../../src/workbench/explain/explain-status.ts';
import { watchMappings } from '../../../src/workbench/explain/watch.ts';
import { directoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const homes = { home: directoryFiles(root), shipped: directoryFiles(root) };

const explained = async (code: string, name: string): Promise<Explanation> => {
  const watch = watchMappings();
  const { carrier } = loadCarrier(code, homes, undefined, watch.engine);
  const read = readCase(code, `${name}.yaml`, directoryCaseFiles(root));
  if (carrier === undefined || !read.ok) throw new Error('this should load');
  return await explainCase(read.caseFile, carrier, watch);
};

const line = (values: readonly ExplainedValue[] | undefined, path: string): string | undefined => {
  const found = values?.find((one) => one.path === path);
  return (
    found && `${JSON.stringify(found.value)} ${formatPlace(found)} ← ${found.reads.join()} ← ${found.shipper.join()}`
  );
};

test.each([
  [
    'customer_reference',
    '"REF-2001" mappings/sendle/order.jsonata:23:27 ← consignment.referenceId ← consignmentDetails.referenceNumber',
  ],
  [
    'sender.address.postcode',
    '"2000" mappings/sendle/order.jsonata:7:58 ← consignment.originPostalCode ← shipFrom.address.pincode',
  ],
])('%s on the wire leads back to the expression, the canonical field and the shipper’s field', async (path, origin) => {
  const [order] = (await explained('sendle', 'one-package')).exchanges;
  expect(line(order?.values, `body.${path}`)).toBe(origin);
});

test('values of a SOAP call stand under its header and its body, and no secret is shown', async () => {
  const { exchanges } = await explained('dpd', 'one-package');
  const create = exchanges.find(({ operation }) => operation === 'create');
  const token = create?.values.find(({ reads }) => reads.includes('auths.login.token'));
  expect(token).toMatchObject({ path: expect.stringMatching(/^header\./), value: '***' });
  expect(create?.values.some(({ path }) => path.startsWith('body.'))).toBe(true);
});

test('a path with a number in it says whose number that is', async () => {
  const { exchanges } = await explained('sendle', 'cancelled');
  const cancel = exchanges.find(({ operation }) => operation === 'cancel');
  expect(cancel?.values.filter(({ path }) => path === 'url').map(({ reads }) => reads)).toEqual([
    ['item.memo.orderId'],
  ]);
});

test('the rule that decided comes last, each before it with why it did not', async () => {
  const [refused] = (await explained('sendle', 'rejected')).exchanges;
  expect(refused?.rules.map((rule) => [formatPlace(rule), rule.matched, rule.why])).toEqual([
    ['carriers/sendle.yaml:95:5', false, 'the status is 422, not 402, 412'],
    ['carriers/sendle.yaml:97:5', true, 'response.body.error holds'],
  ]);
});

test('what a result yields leads back to the answer', async () => {
  const { results } = await explained('plain', 'one-package');
  expect(line(results, 'create.result.itemsTrackDetails.0.trackingNumber')).toMatch(
    /answer\.jsonata:\d+:\d+ ← response\.body\.itemsTrackDetails\[0\]\.trackingNumber/,
  );
});

test('a status is explained by its row, and by the rows that would fit, too', () => {
  const plain = loadCarrier('plain', homes).carrier!;
  const row = (key: string, status: 'Delayed' | 'In Transit') => ({
    ...plain.statuses.table[0]!,
    key,
    patterns: [key, '*', '*'] as const,
    status,
  });
  const table = [row('A*', 'Delayed'), row('AB', 'In Transit')];
  const acme = { ...plain, statuses: { ...plain.statuses, table } };
  const rows = ['AB', 'A*'].map((key) => ({ key, ties: false }));
  expect(explainStatus(acme, 'ab')).toMatchObject({ status: 'In Transit', rows });
  expect(explainStatus(acme, 'x/1')).toMatchObject({ code: 'x', subCode: '1', status: 'Unmapped', rows: [] });
});
