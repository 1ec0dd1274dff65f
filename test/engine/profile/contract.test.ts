import { expect, test } from 'vitest';
import { buildRequest } from '../../../src/engine/dispatch/request.ts';
import type { Roots } from '../../../src/engine/mapping/mapping.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { context, shipped } from './profiles.ts';

const { carrier } = loadCarrier('plain', { home: shipped, shipped });
const create = carrier?.operations.create;
const resultOf = async (body: unknown): Promise<unknown> =>
  await create?.result?.evaluate({ response: { body } }, context);

const entry = {
  itemReferenceNumber: 'PKG-1',
  trackingNumber: 'T1',
  labelUrl: 'https://plain.example/T1.pdf',
  carrierCode: 'plain',
  orderNumber: 'O-1',
};

test('the consignment travels as it is', async () => {
  const step = create?.steps[0];
  const consignment = { referenceId: 'R-1', itemList: [{ itemReferenceNumber: 'PKG-1' }], info: { a: null } };
  const roots: Roots = {
    consignment,
    environment: { url: 'https://plain.example/consignments' },
    credentials: { token: 'a-long-token' },
  };
  expect(step?.method).toBe('POST');
  expect(await step?.url.evaluate(roots, context)).toBe('https://plain.example/consignments');
  expect(await step?.body?.content.evaluate(roots, context)).toEqual(consignment);
});

test('its free fields travel as they are, whatever their keys', async () => {
  const nested = Array.from({ length: 16 }).reduce<unknown>((held) => ({ '#json': held }), '"'.repeat(20));
  const consignment = { referenceId: 'R-1', additionalInformation: nested, info: { '#xml': { 'a b': 1 } } };
  const roots: Roots = { consignment, environment: { url: 'https://plain.example/' }, credentials: { token: 't' } };
  const { body } = await buildRequest(create?.steps[0] ?? expect.fail(), roots, context, '');
  expect(JSON.parse(String(body))).toEqual(consignment);
});

test('numbers, labels and echoes are picked from the answer, what else it holds is not', async () => {
  const body = {
    status: 200,
    referenceId: 'R-1',
    timestamp: 1,
    vendor: 'x',
    itemsTrackDetails: [
      { ...entry, extra: true },
      { ...entry, itemReferenceNumber: 'PKG-2', trackingNumber: 'T2' },
    ],
  };
  expect(await resultOf(body)).toEqual({
    referenceId: 'R-1',
    itemsTrackDetails: [entry, { ...entry, itemReferenceNumber: 'PKG-2', trackingNumber: 'T2' }],
  });
});

test('one package is an array of one, and a label that is not there is left out', async () => {
  const { labelUrl: _, ...bare } = entry;
  expect(await resultOf({ referenceId: 'R-1', itemsTrackDetails: [bare] })).toEqual({
    referenceId: 'R-1',
    itemsTrackDetails: [bare],
  });
});

test('an answer of another kind has no packages, which is an unknown outcome and no success', async () => {
  expect(await resultOf({ ok: true })).toEqual({ itemsTrackDetails: [] });
});

test('400 is a rejection with the carrier’s messages', async () => {
  const [rule] = create?.steps[0].outcomes ?? [];
  expect(rule).toMatchObject({ status: [{ from: 400, to: 400 }], do: 'reject' });
  expect(await rule?.messages?.evaluate({ response: { body: { errors: ['a', 'b'] } } }, context)).toEqual(['a', 'b']);
});
