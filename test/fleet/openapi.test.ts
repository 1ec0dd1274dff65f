/** What operators may ask of the own fleet, in the description of the server's API. */
import { expect, it } from 'vitest';
import { servedFleet } from './served.ts';

const world = servedFleet({ orders: 0 });

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

it('is told of operators’ routes, and of no driver’s, with what they take', async () => {
  const { body } = await world.asAdmin('GET', '/openapi.json');
  const paths = body['paths'] as unknown as Paths;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  const own = Object.keys(paths).filter((path) => path.startsWith('/fleet/'));
  expect(own).toHaveLength(19);
  expect(own.filter((path) => /\/fleet\/v1\/(?:driver|carrier|proofs)/.test(path))).toEqual([]);
  expect(paths['/fleet/v1/board']?.['get']).toMatchObject({
    operationId: 'fleetGetBoard',
    tags: ['Admin'],
    security: [{ admin: ['read'] }],
    parameters: [
      { name: 'depot', in: 'query', required: true },
      { name: 'day', in: 'query', required: true },
    ],
  });
  expect(paths['/fleet/v1/resources/{kind}/{code}']?.['put']).toMatchObject({
    security: [{ admin: ['administer'] }],
    parameters: [
      { name: 'kind', in: 'path' },
      { name: 'code', in: 'path' },
    ],
  });
  expect(paths['/fleet/v1/plans']?.['post']).toMatchObject({
    requestBody: { content: { 'application/json': { schema: { required: ['depot', 'day'] } } } },
    responses: {
      '4XX': { content: { 'application/json': { schema: { required: expect.arrayContaining(['findings']) } } } },
    },
  });
  expect((await world.asAdmin('GET', '/docs')).status).toBe(200);
});
