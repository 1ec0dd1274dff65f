import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { orderFor } from '../../simulator/demo/order.ts';
import { partsOfToken } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { type Listening, listenLocally, textOf } from './carrier.ts';
import { ADMIN, environmentOf } from './server.ts';
import { flowWorld, plain } from './world.ts';

/** With everything that some encoding writes otherwise. */
const PLANTED = {
  apiKey: 'planted/api&key "ü" 1',
  clientSecret: 'planted<client>secret+2',
  webhookSecret: 'planted-webhook-secret-3',
  variable: 'planted-variable-value-4',
  /** No secret by the profile: a setting, which came from a variable. */
  depot: 'planted-depot-of-a-variable-7',
  accessToken: 'planted-access-token-5',
  /** Of no field that is declared secret: only its name says so. */
  stray: 'planted-stray-session-6',
} as const;

const inXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const inForm = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

/** All the spellings in which the carrier says our secrets back; made here without the code that is to mask them. */
const spellings = (secret: string): readonly string[] => [
  secret,
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
  Buffer.from(`user:${secret}`).toString('base64'),
  encodeURIComponent(secret),
  inForm(secret),
  JSON.stringify(secret).slice(1, -1),
  inXml(secret),
  inForm(inXml(secret)),
  inForm(JSON.stringify(secret).slice(1, -1)),
  Buffer.from(JSON.stringify({ secret })).toString('base64'),
];

const profile = (url: string): string => `carrier: echo
name: Echo
extends: contract
environments: { production: { url: '${url}/orders' } }
credentials:
  clientId: {}
  clientSecret: { secret: true }
  apiKey: { secret: true }
  webhookSecret: { secret: true }
  variable: { secret: true }
settings: { depot: {} }
auths:
  login:
    oauth2:
      grant: client_credentials
      tokenUrl: '${url}/token'
      clientAuth: basic
      clientId: '\${credentials.clientId}'
      clientSecret: '\${credentials.clientSecret}'
  key: { apiKey: { query: key, value: '\${credentials.apiKey}' } }
  variable: { apiKey: { header: X-Variable, value: '\${credentials.variable}' } }
  depot: { apiKey: { header: X-Depot, value: '\${settings.depot}' } }
auth: [login, key, variable, depot]
statuses:
  webhook:
    auth: { apiKey: { header: X-Hook, value: '\${credentials.webhookSecret}' } }
    events: { value: '\${request.body.number}', carrierStatusCode: '\${request.body.status}' }
`;

/** Says back all it was told, in every spelling: in its errors, its headers, its bodies. */
const echo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const text = await textOf(request);
  if (request.url?.startsWith('/token') === true) {
    const token = { access_token: PLANTED.accessToken, token_type: 'bearer', expires_in: 3_600 };
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
  }
  const said = Object.values(PLANTED)
    .filter((secret) => secret !== PLANTED.stray)
    .flatMap(spellings);
  const headers = { 'content-type': 'application/json', 'x-echo': encodeURIComponent(PLANTED.apiKey) };
  const order = JSON.parse(text) as { referenceId: string; itemList: { itemReferenceNumber: string }[] };
  const stray = { sessionToken: PLANTED.stray };
  if (order.referenceId.startsWith('REFUSED')) {
    return void response.writeHead(400, headers).end(JSON.stringify({ errors: said, ...stray }));
  }
  if (order.referenceId.startsWith('BROKEN')) {
    return void response.writeHead(500, headers).end(`<fault><password>${PLANTED.stray}</password>${said.join(' ')}`);
  }
  const itemsTrackDetails = order.itemList.map(({ itemReferenceNumber }) => ({
    itemReferenceNumber,
    trackingNumber: `T-${order.referenceId}`,
  }));
  response
    .writeHead(200, headers)
    .end(JSON.stringify({ status: 200, referenceId: order.referenceId, itemsTrackDetails, said, ...stray }));
};

describe('planted secrets', () => {
  beforeAll(() => {
    vi.stubEnv('WAYBILL_CARRIER_ECHO', PLANTED.variable);
    vi.stubEnv('WAYBILL_CARRIER_DEPOT', PLANTED.depot);
  });
  const received: string[] = [];
  const opened: Listening[] = [];
  let log = '';
  const flow = flowWorld({
    profiles: async () => {
      const carrier = await listenLocally(echo);
      opened.push(carrier);
      return { echo: profile(carrier.url) };
    },
    env: { LOG_LEVEL: 'debug' },
    logTo: { write: (line) => (log += line) },
  });
  const { asShop, asAdmin, database } = flow;
  const written = new Map<string, string>();
  const secrets: Record<string, string> = { ...PLANTED };
  afterAll(async () => {
    for (const one of opened) await one.close();
    vi.unstubAllEnvs();
  });

  beforeAll(async () => {
    const receiver = await listenLocally(async (request, response) => {
      received.push(JSON.stringify(request.headers) + (await textOf(request)));
      response.writeHead(500).end(JSON.stringify(request.headers));
    });
    opened.push(receiver);
    const { apiKey, clientSecret, webhookSecret } = PLANTED;
    const credentials = { clientId: 'user', clientSecret, apiKey, webhookSecret, variable: 'env:WAYBILL_CARRIER_ECHO' };
    const account = await flow.openAccount('echo', credentials, { settings: { depot: 'env:WAYBILL_CARRIER_DEPOT' } });
    expect(account.status).toBe(200);
    const hook = await asShop('POST', '/v2/webhooks', { url: `${receiver.url}/hook`, orderTypes: ['FORWARD'] });
    const pushing = String((await asAdmin('POST', '/admin/carriers/echo/tokens', {})).body['token']);
    Object.assign(secrets, {
      shipperToken: partsOfToken(flow.shop).secret,
      carrierToken: partsOfToken(pushing).secret,
      webhookSigning: String(hook.body['secret']).slice('whsec_'.length),
      adminToken: ADMIN,
      sealingKey: environmentOf(await flow.where(), 0)['WAYBILL_SECRET_KEY'] ?? '',
    });

    for (const [reference, headers, says] of [
      ['GOOD-1', {}, 'T-GOOD-1'],
      ['REFUSED-1', {}, 'UNPROCESSABLE_ENTITY'],
      ['BROKEN-1', { prefer: 'respond-async' }, ''],
    ] as const) {
      const order = orderFor({ ...plain, code: 'echo' }, reference, 1);
      const reply = JSON.stringify(await asShop('POST', '/v2/consignments', order, headers));
      written.set(`reply ${reference}`, reply);
      expect(reply).toContain(says);
    }
    await fetch(`${flow.server.url}/v2/carriers/echo/webhook?secret=${webhookSecret}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hook': webhookSecret, 'x-other': `a ${webhookSecret}` },
      body: JSON.stringify({ number: 'T-GOOD-1', status: 'PICKED_UP', proof: webhookSecret, from: PLANTED.depot }),
    });
    const update = { value: 'T-GOOD-1', carrierStatusCode: 'IN_TRANSIT', statusReceivedAt: '2026-05-03 10:00:00' };
    await flow.as(() => pushing)('POST', '/v2/carriers/echo/statuses', update);
    await until('all was tried', async () => {
      const { rows } = await database.pool.query<{ exchanges: number; tries: number }>(
        `select (select count(*) from exchanges where status = 500) as exchanges,
           (select count(*) from delivery_attempts) as tries`,
      );
      return (rows[0]?.exchanges ?? 0) > 0 && (rows[0]?.tries ?? 0) >= 4 && received.length >= 4;
    });
    const headers = { authorization: `Bearer ${ADMIN}` };
    for (const route of ['/metrics', '/openapi.json', '/readyz', '/admin/exchanges', '/admin/audit', '/admin/tokens'])
      written.set(route, await (await fetch(`${flow.server.url}${route}`, { headers })).text());
    written.set('a consignment', JSON.stringify(await flow.read('BROKEN-1')));
    written.set('the delivery log', JSON.stringify(await asShop('GET', '/v2/webhooks/deliveries')));
    // What goes wrong is logged by name, and here the name is a secret of ours.
    await writeFile(path.join(flow.home, 'carriers', `${ADMIN}.yaml`), 'carrier: [');
    await asAdmin('POST', '/admin/reload');
    await flow.server.close();
    written.set('the log', log);
    written.set('webhooks', received.join('\n'));
    await dump();
  });

  /** Everything the database holds, bytes as characters. */
  const dump = async (): Promise<void> => {
    const tables = await database.pool.query<{ name: string }>(
      `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
       where table_schema not in ('pg_catalog', 'information_schema')`,
    );
    for (const { name } of tables.rows) {
      const { rows } = await database.pool.query<Record<string, unknown>>(`select * from ${name}`);
      const shown = rows.map((row) =>
        Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value))),
      );
      written.set(`table ${name}`, shown.flat().join('\n'));
    }
  };

  it('were all used, so that there was something to hide', () => {
    const exchanges = written.get('table public.exchanges') ?? '';
    for (const name of ['apiKey', 'clientSecret', 'variable', 'depot', 'webhookSecret', 'sessionToken', 'password'])
      expect(exchanges).toContain(`***${name}***`);
    expect(written.get('the log')).toContain('***WAYBILL_ADMIN_TOKEN***');
    expect(written.get('/metrics')).toContain('waybill_');
    expect(written.size).toBeGreaterThan(25);
  });

  it('are written nowhere, in no spelling', () => {
    const found = [...written].flatMap(([where, text]) =>
      Object.entries(secrets).flatMap(([name, secret]) =>
        [...spellings(secret), Buffer.from(secret, 'utf8').toString('latin1')]
          .filter((spelling) => text.includes(spelling) || text.includes(JSON.stringify(spelling).slice(1, -1)))
          .map((spelling) => `${name} as ${spelling} in ${where}`),
      ),
    );
    expect(found).toEqual([]);
  });
});
