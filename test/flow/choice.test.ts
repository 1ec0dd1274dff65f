/** Orders that name a policy, at carriers that refuse, are silent or not there, and a server that dies meanwhile. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leastOrder } from '../engine/consignment/orders.ts';
import { until } from '../support/until.ts';
import { type Listening, listenLocally, textOf } from './carrier.ts';
import { flowWorld, onBothQueues } from './world.ts';

const NOBODY = 'http://127.0.0.1:9';

const profileOf = (code: string, url: string): string => `
carrier: ${code}
environments: { production: { url: '${url}/${code}' } }
auth: none
limits: { timeout: 400ms }
operations:
  create:
    post: /orders
    body: { json: { reference: '\${consignment.referenceId}', carrier: '\${consignment.carrierCode}' } }
    outcomes: [{ status: 422, do: reject, messages: response.body.message }]
    result: { itemsTrackDetails: { trackingNumber: '\${response.body.number}' } }
`;
const policyOf = (name: string, carriers: string, more = ''): string =>
  `policy: ${name}\ncarriers: [${carriers}]\n${more}\n`;

onBothQueues('An order that names a policy', (options) => {
  let carriers: Listening;
  const asked: string[] = [];
  const askedOf = (reference: string) =>
    asked.filter((one) => one.endsWith(` ${reference}`)).map((one) => one.split(' ')[0]);
  const flow = flowWorld({
    ...options,
    profiles: async () => {
      carriers = await listenLocally(async (request, response) => {
        const code = request.url?.split('/')[1] ?? '';
        const { reference, carrier } = JSON.parse(await textOf(request)) as Record<string, string>;
        asked.push(`${code} ${reference}`);
        if (code === 'silent') return;
        response.writeHead(code === 'strict' ? 422 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ message: 'too bulky', number: `T-${carrier}-${reference}` }));
      });
      const codes = ['strict', 'silent', 'kind'];
      return {
        ...Object.fromEntries(codes.map((code) => [code, profileOf(code, carriers.url)])),
        gone: profileOf('gone', NOBODY),
        'policies/strictly': policyOf('strictly', 'strict, kind'),
        'policies/silently': policyOf('silently', 'silent, kind'),
        'policies/impatiently': policyOf('impatiently', 'gone, kind', 'fallback: { after: 0s }'),
      };
    },
    isServing: false,
  });
  const create = async (policy: string, reference: string, headers = {}) => {
    const names = { referenceNumber: reference, consignmentNumber: reference };
    const least = leastOrder();
    const consignmentDetails = { ...least.consignmentDetails, ...names };
    const order = { ...least, consignmentDetails, carrier: { code: policy } };
    const { status, body } = await flow.asShop('POST', '/v2/consignments', order, headers);
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('OK')]);
    return (body as unknown as { data: readonly object[] }).data[0];
  };
  const read = async (reference: string) =>
    ((await flow.read(reference)).body as unknown as { data: readonly Record<string, unknown>[] }).data[0];
  afterAll(async () => await carriers.close());

  beforeAll(async () => {
    const server = await flow.spawn();
    const { body } = await flow.asAdmin('POST', '/admin/shippers', { code: 'shop', name: 'Example Shop' });
    flow.shop = String(body['token']);
    for (const code of ['strict', 'silent', 'kind', 'gone']) await flow.openAccount(code, {});
    // It dies while the first carrier is asked.
    await create('silently', 'KILLED', { prefer: 'respond-async' });
    await until('the carrier is asked', () => askedOf('KILLED').length > 0);
    server.kill('SIGKILL');
    await once(server, 'exit');
    await flow.database.pool.query(`update dispatches set lease_until = now() where state = 'sending'`);
    await flow.serve();
  });

  it('goes to the next where the carrier refuses', async () => {
    expect(await create('strictly', 'STRICT')).toMatchObject({
      acceptance: 'accepted',
      trackingDetails: [
        { trackingNumber: 'T-kind-STRICT', carrierDetails: { code: 'kind', info: { policy: 'strictly' } } },
      ],
      choice: { tried: [{ carrierCode: 'strict', messages: ['too bulky'] }] },
    });
    expect(askedOf('STRICT')).toEqual(['strict', 'kind']);
  });

  it('goes to the next where nobody listens and its policy does not wait', async () => {
    expect(await create('impatiently', 'GONE')).toMatchObject({
      acceptance: 'accepted',
      trackingDetails: [{ trackingNumber: 'T-kind-GONE' }],
      choice: { tried: [{ carrierCode: 'gone', code: expect.stringContaining('refused') }] },
    });
  });

  it('stays where it is when the carrier is silent, as nobody knows whether it has it', async () => {
    expect(await create('silently', 'SILENT')).toMatchObject({
      acceptance: 'held',
      choice: { carrierCode: 'silent', tried: [] },
    });
    expect(askedOf('SILENT')).toEqual(['silent']);
  });

  it('stays where it is when the server died while the carrier was asked', async () => {
    await until('it is held', async () => (await read('KILLED'))?.['acceptance'] === 'held');
    expect([askedOf('KILLED'), (await read('KILLED'))?.['carrierCode']]).toEqual([['silent'], 'silent']);
  });
});
