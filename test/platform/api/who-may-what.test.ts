import { beforeAll, describe, expect, it } from 'vitest';
import { leastOrder } from '../../engine/consignment/orders.ts';
import { accepts, apiUnderTest, readyLabel, type Called } from './harness.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Scope = 'shipper' | 'carrier' | 'admin' | 'open';

/** What a shipper has, as far as paths and bodies name it. */
interface Things {
  readonly reference: string;
  readonly facility: string;
  readonly webhook: string;
  readonly delivery: string;
  readonly redelivery: string;
  readonly label: string;
}

interface Row {
  readonly scope: Scope;
  /** A request that names the thing; routes that name none have no such thing to hide. */
  readonly names?: (things: Things) => { readonly url: string; readonly body?: unknown };
}

const shipper = (names?: Row['names']): Row => ({ scope: 'shipper', ...(names === undefined ? {} : { names }) });
const admin: Row = { scope: 'admin' };
const open: Row = { scope: 'open' };
const reading = ({ reference }: Things) => ({ url: `/v2/consignments?referenceNumber=${reference}` });
const updating = (url: string) =>
  shipper(({ reference }) => ({
    url,
    body: { consignmentDetails: { referenceNumber: reference, deliveryInstructions: 'Ring' } },
  }));
const webhook = (what = '') => shipper(({ webhook: id }) => ({ url: `/v2/webhooks/${id}${what}` }));

/** Every route there is, by whose token it takes. */
const ROUTES: Readonly<Record<string, Row>> = {
  'GET /v2/consignments': shipper(reading),
  'POST /v2/consignments': shipper(),
  'PUT /v2/consignments': updating('/v2/consignments'),
  'PUT /api/v2/consignments': updating('/api/v2/consignments'),
  'POST /v2/consignments-cancel': shipper(({ reference }) => ({
    url: '/v2/consignments-cancel',
    body: { consignments: [{ referenceNumber: reference }] },
  })),
  'POST /v2/consignments/:referenceNumber/dispatch': shipper(({ reference }) => ({
    url: `/v2/consignments/${reference}/dispatch`,
  })),
  'GET /v2/labels/:id': shipper(({ label }) => ({ url: `/v2/labels/${label}` })),
  'GET /v2/facilities': shipper(),
  'GET /v2/facilities/:code': shipper(({ facility }) => ({ url: `/v2/facilities/${facility}` })),
  'PUT /v2/facilities/:code': shipper(),
  'DELETE /v2/facilities/:code': shipper(({ facility }) => ({ url: `/v2/facilities/${facility}` })),
  'GET /v2/webhooks': shipper(),
  'POST /v2/webhooks': shipper(),
  'GET /v2/webhooks/:id': webhook(),
  'POST /v2/webhooks/:id/rotate': webhook('/rotate'),
  'POST /v2/webhooks/:id/pause': webhook('/pause'),
  'POST /v2/webhooks/:id/resume': webhook('/resume'),
  'POST /v2/webhooks/:id/test': webhook('/test'),
  'DELETE /v2/webhooks/:id': webhook(),
  'GET /v2/webhooks/deliveries': shipper(),
  'GET /v2/webhooks/deliveries/:id': shipper(({ delivery }) => ({ url: `/v2/webhooks/deliveries/${delivery}` })),
  'POST /v2/webhooks/deliveries/:id/redeliver': shipper(({ delivery }) => ({
    url: `/v2/webhooks/deliveries/${delivery}/redeliver`,
  })),
  'POST /v2/webhooks/redeliveries': shipper(),
  'GET /v2/webhooks/redeliveries/:id': shipper(({ redelivery }) => ({
    url: `/v2/webhooks/redeliveries/${redelivery}`,
  })),
  'POST /v2/carriers/:carrierCode/statuses': { scope: 'carrier' },
  // A carrier's own webhook proves itself by its profile: test/flow/native-webhook.test.ts.
  'POST /v2/carriers/:carrierCode/webhook': open,
  'POST /v2/carriers/:carrierCode/webhook/:account': open,
  'POST /admin/shippers': admin,
  'POST /admin/shippers/:code/tokens': admin,
  'POST /admin/carriers/:carrierCode/tokens': admin,
  'GET /admin/tokens': admin,
  'POST /admin/tokens/:id/rotate': admin,
  'DELETE /admin/tokens/:id': admin,
  'PUT /admin/accounts': admin,
  'POST /admin/accounts/:id/register': admin,
  'POST /admin/accounts/:id/unregister': admin,
  'GET /admin/carriers': admin,
  'POST /admin/reload': admin,
  'GET /admin/statuses/unmapped': admin,
  'GET /admin/exchanges': admin,
  'GET /admin/audit': admin,
  'GET /admin/dispatches/held': admin,
  'POST /admin/dispatches/:id/resolve': admin,
  'GET /healthz': open,
  'GET /readyz': open,
  'GET /metrics': open,
  'GET /openapi.json': open,
  'GET /docs': open,
};

const NOTHING: Things = {
  reference: 'REF-0',
  facility: 'DC-0',
  webhook: 'sub_AAAAAAAAAAAAAAAAAAAAAAAA',
  delivery: '999999999',
  redelivery: '999999999',
  label: 'A'.repeat(32),
};

/** Byte for byte, but for what the request itself says. */
const shape = ({ statusCode, body }: Called, things: Things): string => {
  // Ids of one digit are part of other numbers, too; no answer names one.
  const values = Object.values(things).filter((value) => value.length > 3);
  const named = values.reduce((text, value) => text.replaceAll(value, '<it>'), body);
  return `${statusCode} ${named.replaceAll(/"timestamp":"[^"]*"/g, '"timestamp":"<now>"')}`;
};

/** A path with something in it, whatever it is. */
const concrete = (url: string): string => url.replace(':carrierCode', 'acme').replaceAll(/:\w+/g, '1');

describe('who may do what', () => {
  const api = apiUnderTest();
  const routes: { method: Method; url: string; row: Row | undefined }[] = [];
  /** Tokens of the one who owns the things, of another shipper, and of nobody any more. */
  const tokens: Record<string, string> = {};
  let owned: Things;

  const issue = async (path: string, body: object = {}): Promise<{ id: string; token: string }> =>
    (await api.admin('POST', path, body)).data as { id: string; token: string };

  beforeAll(async () => {
    const a = await api.newShipper('shop-a');
    tokens['other shipper'] = (await api.newShipper('shop-b')).token;
    tokens['other environment'] = (await issue('/admin/shippers/shop-a/tokens', { environment: 'sandbox' })).token;
    const expiresAt = new Date(api.clock.now() + 1_000).toISOString();
    tokens['expired'] = (await issue('/admin/shippers/shop-a/tokens', { expiresAt })).token;
    const revoked = await issue('/admin/shippers/shop-a/tokens');
    tokens['revoked'] = revoked.token;
    await api.admin('DELETE', `/admin/tokens/${revoked.id}`);
    tokens['carrier'] = (await issue('/admin/carriers/acme/tokens')).token;
    tokens['other carrier'] = (await issue('/admin/carriers/solo/tokens')).token;
    tokens['owner'] = a.token;
    tokens['unknown'] = `wb_shipper_AAAAAAAAAAAA_${'x'.repeat(43)}`;
    tokens['known id'] = `${a.token.slice(0, -4)}${a.token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    tokens['malformed'] = 'abc';
    api.clock.advance(2_000);

    const hook = await a('POST', '/v2/webhooks', { url: 'https://shop.example/hook', orderTypes: ['FORWARD'] });
    api.state.answering = accepts();
    await a.create(leastOrder());
    await a('PUT', '/v2/facilities/DC-A', FACILITY);
    const redelivery = await a('POST', '/v2/webhooks/redeliveries', { state: 'pending' });
    const { rows } = await api.database.pool.query(
      'select (select min(id) from deliveries) as delivery, (select min(id) from labels) as label',
    );
    api.state.served.set(rows[0].label, readyLabel('%PDF-1.4 of A'));
    owned = {
      reference: 'REF-1',
      facility: 'DC-A',
      webhook: hook.data.id,
      delivery: String(rows[0].delivery),
      redelivery: String(redelivery.data.id),
      label: rows[0].label,
    };
    expect(Object.values(owned)).not.toContain('undefined');

    // From the server itself: a route that is new has no row here, and fails.
    const { paths } = (await api.call({ url: '/openapi.json' })).data as { paths: Record<string, object> };
    for (const [path, methods] of Object.entries(paths)) {
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
      for (const word of Object.keys(methods)) {
        const method = word.toUpperCase() as Method;
        routes.push({ method, url, row: ROUTES[`${method} ${url}`] });
      }
    }
  }, 120_000);

  const ask = async (method: Method, url: string, token: string | undefined, body?: unknown): Promise<Called> =>
    token === undefined
      ? await api.call({ method, url, ...(body === undefined ? {} : { payload: body as object }) })
      : await api.as(token)(method, url, body);
  const each = async (scope: Scope, check: (route: (typeof routes)[number], url: string) => Promise<void>) => {
    const those = routes.filter(({ row }) => row?.scope === scope);
    expect(those.length).toBeGreaterThan(0);
    for (const route of those) await check(route, concrete(route.url));
  };

  const status = async (method: Method, url: string, which: string): Promise<string> =>
    `${method} ${url} ${(await ask(method, url, tokens[which] ?? '')).statusCode}`;

  it('is said of every route that the server has, and of no other', () => {
    const there = routes.map(({ method, url }) => `${method} ${url}`);
    expect(there.toSorted()).toEqual(Object.keys(ROUTES).toSorted());
    // One that is kept out of the document is counted all the same.
    const printed = [
      ...api
        .app()
        .printRoutes({ commonPrefix: false })
        .matchAll(/\(([A-Z, ]+)\)/g),
    ];
    const methods = printed.flatMap(([, words = '']) => words.split(', ').filter((word) => word !== 'HEAD'));
    expect(methods.length).toBe(routes.length);
  });

  it('is nothing without a token, the same for every token that is none', async () => {
    for (const scope of ['shipper', 'carrier', 'admin'] as const)
      await each(scope, async ({ method }, url) => {
        if (url === '/v2/labels/1') return;
        const none = await ask(method, url, undefined);
        expect(none.statusCode, `${method} ${url}`).toBe(401);
        const answers = await Promise.all(
          ['expired', 'revoked', 'unknown', 'known id', 'malformed'].map(
            async (which) => await ask(method, url, tokens[which] ?? ''),
          ),
        );
        for (const answer of answers) {
          expect(answer.statusCode).toBe(401);
          expect(answer.body).toBe(answers[0]?.body);
          expect(answer.headers['www-authenticate']).toBe('Bearer realm="waybill", error="invalid_token"');
        }
      });
  });

  it('is nothing with a token of another kind', async () => {
    await each('shipper', async ({ method, url: named }, url) => {
      if (named.startsWith('/v2/labels')) return;
      expect(await status(method, url, 'carrier')).toBe(`${method} ${url} 403`);
    });
    await each('carrier', async ({ method }, url) => {
      for (const which of ['owner', 'other carrier'])
        expect(await status(method, url, which)).toBe(`${method} ${url} 403`);
    });
    await each('admin', async ({ method }, url) => {
      for (const which of ['owner', 'carrier']) expect(await status(method, url, which)).toBe(`${method} ${url} 401`);
    });
  });

  it('is the same for what is another’s, of the other environment, and not there at all', async () => {
    for (const { method, row } of routes) {
      if (row?.names === undefined) continue;
      const missing = row.names(NOTHING);
      const absent = shape(await ask(method, missing.url, tokens['other shipper'], missing.body), NOTHING);
      expect(absent, `${method} ${missing.url}`).toMatch(/^4\d\d /);
      for (const which of ['other shipper', 'other environment']) {
        const { url, body } = row.names(owned);
        const answer = await ask(method, url, tokens[which], body);
        expect(shape(answer, owned), `${method} ${url} by ${which}`).toBe(absent);
      }
    }
  });

  it('is nothing for a carrier but its own label’s absence', async () => {
    const answer = await ask('GET', `/v2/labels/${owned.label}`, tokens['carrier']);
    expect(shape(answer, owned)).toBe(
      shape(await ask('GET', `/v2/labels/${NOTHING.label}`, tokens['carrier']), NOTHING),
    );
  });

  it('is all of it for who owns it', async () => {
    for (const [key, row] of Object.entries(ROUTES)) {
      if (row.names === undefined || key.startsWith('DELETE')) continue;
      const { url, body } = row.names(owned);
      const { statusCode } = await ask(key.split(' ')[0] as Method, url, tokens['owner'], body);
      expect([200, 409], `${key}: ${statusCode}`).toContain(statusCode);
    }
  });
});

const FACILITY = {
  name: 'Example warehouse',
  contact: { name: 'Example Warehouse', contactNumber: '+49 30 5' },
  address: { line1: '5 Example Yard', city: 'Berlin', pincode: '10117', country: 'DE', county: 'Mitte' },
  timezone: 'Europe/Berlin',
};
