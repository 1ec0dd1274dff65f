import { beforeAll, describe, expect, it } from 'vitest';
import { leastOrder } from '../../engine/consignment/orders.ts';
import { type Role, ROLES } from '../../../src/platform/records/tokens.ts';
import { apiWorld, JSON_TYPE, type Method, order, readyLabel, type Reply } from './world.ts';

type Scope = 'shipper' | 'carrier' | Role | 'open';

/** Every route there is, by whose token it takes; of operators, by the least role. A carrier's webhook is open: it authenticates by its profile. */
const ROUTES: Readonly<Record<Scope, string>> = {
  shipper: `
    GET POST PUT /v2/consignments
    PUT /api/v2/consignments
    POST /v2/consignments-cancel
    GET /v2/consignments/:referenceNumber
    POST /v2/consignments/:referenceNumber/dispatch
    GET /v2/consignments/:referenceNumber/documents/:kind
    GET /v2/carriers
    POST /v2/carriers/choose
    POST /v2/addresses/validate
    POST /v2/locations
    POST /v2/checkout/rates
    POST /v2/checkout/turnaround
    POST /v2/slots
    POST /v2/slots/reserve
    POST /v2/slots/confirm
    POST /v2/slots/release
    GET POST /v2/pickups
    GET PUT /v2/pickups/:referenceNumber
    POST /v2/pickups/:referenceNumber/cancel
    POST /v2/pickups/:referenceNumber/dispatch
    GET /v2/pickup-plans
    GET PUT DELETE /v2/pickup-plans/:code
    GET POST /v2/manifests
    GET /v2/manifests/:number
    GET /v2/manifests/documents/:id
    GET /v2/labels/:id
    POST /v2/labels/:id/retry
    GET /v2/facilities
    GET PUT DELETE /v2/facilities/:code
    GET POST /v2/webhooks
    GET PATCH DELETE /v2/webhooks/:id
    POST /v2/webhooks/:id/rotate
    POST /v2/webhooks/:id/pause
    POST /v2/webhooks/:id/resume
    POST /v2/webhooks/:id/test
    GET /v2/webhooks/deliveries
    GET /v2/webhooks/deliveries/:id
    POST /v2/webhooks/deliveries/:id/redeliver
    POST /v2/webhooks/redeliveries
    GET /v2/webhooks/redeliveries/:id`,
  carrier: 'POST /v2/carriers/:carrierCode/statuses',
  read: `
    GET POST DELETE /admin/session
    GET /admin/sessions
    GET /admin/tokens
    GET /admin/activity
    GET /admin/carriers
    GET /admin/carriers/:carrierCode
    GET /admin/carriers/:carrierCode/versions
    GET /admin/carriers/:carrierCode/versions/:hash
    GET /admin/settings
    GET /admin/statuses/unmapped
    GET /admin/pushes
    GET /admin/pushes/:id
    GET /admin/pushes/failed
    GET /admin/exchanges
    GET /admin/audit
    GET /admin/shippers
    GET /admin/shippers/:code
    GET /admin/accounts
    GET /admin/queues
    GET /admin/webhooks
    GET /admin/webhooks/deliveries
    GET /admin/webhooks/deliveries/:id
    GET /admin/webhooks/redeliveries/:id
    GET /admin/breakers
    GET /admin/consignments
    GET /admin/consignments/:id
    GET /admin/dispatches/held
    GET /admin/dispatches/waiting
    GET /admin/plans
    GET /admin/labels/failed
    GET /admin/logins/refused`,
  operate: `
    POST /admin/reload
    POST /admin/labels/:id/retry
    POST /admin/pushes/:id/assign
    POST /admin/pushes/rematch
    POST /admin/pushes/renormalise
    POST /admin/accounts/:id/check
    POST /admin/breakers/:carrierCode/open
    POST /admin/breakers/:carrierCode/close
    POST /admin/webhooks/:id/test
    POST /admin/webhooks/:id/pause
    POST /admin/webhooks/:id/resume
    POST /admin/webhooks/deliveries/:id/redeliver
    POST /admin/webhooks/redeliveries
    POST /admin/dispatches/retry
    POST /admin/dispatches/resolve
    POST /admin/consignments/cancel
    POST /admin/dispatches/:id/send
    POST /admin/dispatches/:id/resolve
    POST /admin/plans/:id/end`,
  administer: `
    DELETE /admin/sessions/:id
    PATCH DELETE /admin/webhooks/:id
    PUT DELETE /admin/shippers/:code
    POST /admin/shippers/:code/disable
    POST /admin/shippers/:code/enable
    DELETE /admin/accounts/:id
    POST /admin/accounts/:id/disable
    POST /admin/accounts/:id/enable
    POST /admin/shippers
    POST /admin/shippers/:code/tokens
    POST /admin/carriers/:carrierCode/tokens
    POST /admin/operators/:name/tokens
    POST /admin/tokens/:id/rotate
    DELETE /admin/tokens/:id
    PUT /admin/accounts
    POST /admin/accounts/:id/register
    POST /admin/accounts/:id/unregister`,
  open: `
    POST /v2/carriers/:carrierCode/webhook
    POST /v2/carriers/:carrierCode/webhook/:account
    GET /admin/session/ways
    GET /healthz
    GET /readyz
    GET /metrics
    GET /openapi.json
    GET /docs
    GET /docs/carriers`,
};

interface Route {
  readonly scope: Scope;
  readonly name: string;
  readonly method: Method;
  readonly url: string;
}
const routes: readonly Route[] = Object.entries(ROUTES).flatMap(([scope, lines]) =>
  [...lines.matchAll(/([A-Z ]+) (\S+)/g)].flatMap(([, methods = '', url = '']) =>
    methods
      .trim()
      .split(' ')
      .map((method) => ({ scope: scope as Scope, name: `${method} ${url}`, method: method as Method, url })),
  ),
);
const of = (scope: Scope) => routes.filter((route) => route.scope === scope);
const ofOperators = ROLES.flatMap(of);

/** What a shipper has, by the part of a path before it. */
type Things = Readonly<
  Record<
    | 'consignments'
    | 'facilities'
    | 'manifests'
    | 'documents'
    | 'pickups'
    | 'plans'
    | 'webhooks'
    | 'deliveries'
    | 'redeliveries'
    | 'labels',
    string
  >
>;
const NOTHING: Things = {
  consignments: 'REF-0',
  facilities: 'DC-0',
  pickups: 'PU-0',
  plans: 'monthly',
  manifests: 'M99999999',
  documents: 'A'.repeat(32),
  webhooks: 'sub_AAAAAAAAAAAAAAAAAAAAAAAA',
  deliveries: '999999999',
  redeliveries: '999999999',
  labels: 'A'.repeat(32),
};

/** The request of a route about a thing; routes that name none have no such thing to hide. */
const about = ({ name, method, url }: Route, things: Things): { url: string; body?: unknown } | undefined => {
  const reference = { referenceNumber: things.consignments };
  if (name === 'GET /v2/consignments') return { url: `${url}?referenceNumber=${things.consignments}` };
  if (name === 'POST /v2/consignments-cancel') return { url, body: { consignments: [reference] } };
  if (/^PUT \/v2\/(?:facilities|pickup-plans)/.test(name)) return undefined;
  if (name.startsWith('PUT /v2/pickups')) return { url: `/v2/pickups/${things.pickups}`, body: { totalQuantity: 1 } };
  if (method === 'PUT') return { url, body: { consignmentDetails: { ...reference, deliveryInstructions: 'Ring' } } };
  if (!url.includes(':')) return undefined;
  const path = url.replace(':kind', 'cn22');
  return { url: path.replace(/(\w+)\/:\w+/, (_, kind: keyof Things) => `${kind}/${things[kind]}`) };
};
/** Whoever knows the path may read what is there. */
const isLink = (url: string): boolean => /^\/v2\/(labels|manifests\/documents)\//.test(url);
/** A path with something in it, whatever it is. */
const concrete = (url: string): string =>
  url.replace(':carrierCode', 'acme').replace('accounts/:id', 'accounts/999999').replaceAll(/:\w+/g, '1');

/** Byte for byte, but for what the request itself says. */
const shape = ({ status, text }: Reply, things: Things): string => {
  // Ids of one digit are part of other numbers, too; no answer names one.
  const values = Object.values(things).filter((value) => value.length > 3);
  const named = values.reduce((all, value) => all.replaceAll(value, '<it>'), text);
  return `${status} ${named.replaceAll(/"timestamp":"[^"]*"/g, '"timestamp":"<now>"')}`;
};

describe('who may do what', () => {
  const api = apiWorld();
  /** Tokens of the one who owns the things, of another shipper, and of nobody any more. */
  const tokens: Record<string, string> = {};
  let owned: Things;

  beforeAll(async () => {
    const a = await api.newShipper('shop-a');
    const issued = async (whose: string, body?: object) => (await api.issue(whose, body)).token;
    tokens['owner'] = a.token;
    tokens['other shipper'] = (await api.newShipper('shop-b')).token;
    tokens['other environment'] = await issued('shippers/shop-a', { environment: 'sandbox' });
    tokens['expired'] = await issued('shippers/shop-a', { expiresAt: new Date(api.clock.now() + 1_000).toISOString() });
    const revoked = await api.issue('shippers/shop-a');
    tokens['revoked'] = revoked.token;
    await api.admin.delete(`/admin/tokens/${revoked.id}`);
    tokens['carrier'] = await issued('carriers/acme');
    tokens['other carrier'] = await issued('carriers/solo');
    tokens['unknown'] = `wb_shipper_AAAAAAAAAAAA_${'x'.repeat(43)}`;
    tokens['known id'] = `${a.token.slice(0, -4)}${a.token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    for (const role of ROLES) tokens[role] = await issued(`operators/${role}.one`, { role });
    tokens['malformed'] = 'abc';
    tokens['empty'] = '';
    api.clock.advance(2_000);

    const { contact, address } = leastOrder().shipFrom;
    const hook = await a.post('/v2/webhooks', { url: 'https://shop.example/hook', orderTypes: ['FORWARD'] });
    await a.put('/v2/facilities/DC-A', { contact, address });
    const recurring = {
      carrier: { code: 'acme' },
      originFacilityCode: 'DC-A',
      weekdays: ['MON'],
      pickupStartTime: '14:00',
      pickupEndTime: '15:00',
    };
    const pickup = {
      gist: '',
      asked: {
        carrier: { code: 'acme' },
        shipFrom: {
          contact,
          address,
          pickupStartDateTime: '2026-05-04 14:00:00',
          pickupEndDateTime: '2026-05-04 15:00:00',
        },
        totalQuantity: 1,
        totalWeight: 2,
      },
      consignments: [],
      pickup: {
        window: { from: '2026-05-04 14:00:00', to: '2026-05-04 15:00:00' },
        address: {},
        packages: [],
        totalWeightKg: 2,
      },
    };
    await api.sql(
      `insert into errands (kind, shipper_id, environment, reference_number, carrier_code, day, acceptance, request)
       select 'pickup', id, 'production', 'PU-1', 'acme', '2026-05-04', 'accepted', $1 from shippers where code = 'shop-a'`,
      [JSON.stringify(pickup)],
    );
    await api.sql(
      `insert into plans (kind, shipper_id, environment, code, carrier_code, request, day, due_at)
       select 'pickup', id, 'production', plan.code, 'acme', $1, '2026-05-04', now()
       from (values ('ended by an operator'), ('weekly')) plan (code), shippers s where s.code = 'shop-a'`,
      [JSON.stringify(recurring)],
    );
    await a.create(order({ 'shipFrom.originFacilityCode': 'DC-A' }));
    const made = await a.post('/v2/manifests', { carrier: { code: 'acme' }, facilityCode: 'DC-A' });
    const [manifest] = made.body.data;
    const redelivery = await a.post('/v2/webhooks/redeliveries', { state: 'pending' });
    const [ids] = await api.sql(
      'select (select min(id) from deliveries) as delivery, (select min(id) from labels) as label',
    );
    api.state.labels.set(ids.label, readyLabel('%PDF-1.4 of A'));
    owned = {
      consignments: 'REF-1',
      facilities: 'DC-A',
      pickups: 'PU-1',
      plans: 'weekly',
      manifests: manifest.number,
      documents: manifest.documents[0].url.split('/').at(-1),
      webhooks: hook.body.id,
      deliveries: String(ids.delivery),
      redeliveries: String(redelivery.body.id),
      labels: ids.label,
    };
    expect(Object.values(owned)).not.toContain('undefined');
  });

  const ask = (which: string, method: Method, url: string, body?: unknown): Promise<Reply> =>
    api.as(tokens[which] ?? '').request(method, url, body);

  it('is said of every route that the server has, and of no other', async () => {
    const { paths } = (await api.call({ url: '/openapi.json' })).body as { paths: Record<string, object> };
    const there = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(there.toSorted()).toEqual(routes.map(({ name }) => name).toSorted());
    // One that is kept out of the document is counted all the same.
    const printed = api
      .app()
      .printRoutes({ commonPrefix: false })
      .matchAll(/\(([A-Z, ]+)\)/g);
    const methods = [...printed].flatMap(([, words = '']) => words.split(', ').filter((word) => word !== 'HEAD'));
    // Pages and their files are no part of the API: whoever asks gets them.
    expect(methods).toHaveLength(routes.length + ['GET /console', 'GET /console/*'].length);
  });

  it.each(routes.filter(({ scope, url }) => scope !== 'open' && !isLink(url)))(
    'is nothing at $name without a token, the same for every token that is none, before the body is read',
    async ({ method, url: path }) => {
      const url = concrete(path);
      const none = await api.call({ method, url, payload: '{', headers: JSON_TYPE });
      expect(none).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="waybill"' },
        body: { timestamp: expect.any(String), status: 'UNAUTHORIZED', errors: [expect.any(String)] },
      });
      const invalid = await Promise.all(
        ['expired', 'revoked', 'unknown', 'known id', 'malformed', 'empty'].map((which) => ask(which, method, url)),
      );
      invalid.push(await api.call({ method, url, headers: { authorization: 'Basic YTpi' } }));
      for (const { status, text, headers } of invalid) {
        expect(status).toBe(401);
        expect(text).toBe(invalid[0]?.text);
        expect(headers['www-authenticate']).toBe('Bearer realm="waybill", error="invalid_token"');
      }
    },
  );

  it.each([
    ['a shipper', of('shipper'), ['carrier', 'administer'], 403],
    ['a carrier', of('carrier'), ['owner', 'other carrier', 'administer'], 403],
    ['an operator', ofOperators, ['owner', 'carrier'], 401],
  ] as const)('is nothing for %s with a token of another kind', async (_, those, others, refused) => {
    for (const { method, name, url } of those.filter(({ url }) => !isLink(url)))
      for (const which of others)
        expect((await ask(which, method, concrete(url))).status, `${name} by ${which}`).toBe(refused);
  });

  it.each(ofOperators)('takes the role $scope at $name, or a higher one', async ({ scope, method, url }) => {
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    const { paths } = (await api.call({ url: '/openapi.json' })).body;
    expect(paths[path][method.toLowerCase()].security).toEqual([{ admin: [scope] }]);
    for (const role of ROLES) {
      // A body that is refused by the structure, where there is one: nothing is done.
      const { status, body } = await ask(role, method, concrete(url), method === 'GET' ? undefined : []);
      if (ROLES.indexOf(role) >= ROLES.indexOf(scope as Role)) expect([401, 403]).not.toContain(status);
      else
        expect({ status, message: body.message }).toEqual({
          status: 403,
          message: `This takes the role ${scope}, and operator ${role}.one has ${role}`,
        });
    }
  });

  it('is the same for what is another’s, of the other environment, and not there at all', async () => {
    for (const route of of('shipper')) {
      const missing = about(route, NOTHING);
      const request = about(route, owned);
      if (missing === undefined || request === undefined) continue;
      const absent = shape(await ask('other shipper', route.method, missing.url, missing.body), NOTHING);
      expect(absent, route.name).toMatch(/^4\d\d /);
      for (const which of ['other shipper', 'other environment']) {
        const answer = await ask(which, route.method, request.url, request.body);
        expect(shape(answer, owned), `${route.name} by ${which}`).toBe(absent);
      }
    }
  });

  it.each([
    '/v2/consignments',
    '/v2/facilities',
    '/v2/manifests',
    '/v2/pickups',
    '/v2/pickup-plans',
    '/v2/webhooks',
    '/v2/webhooks/deliveries',
  ])('lists nothing at %s of another’s, and of the other environment', async (url) => {
    expect((await ask('owner', 'GET', url)).body.data).toHaveLength(1);
    for (const which of ['other shipper', 'other environment'])
      expect(await ask(which, 'GET', url)).toMatchObject({ status: 200, body: { data: [] } });
  });

  it('is nothing for a carrier but its own label’s absence', async () => {
    const answer = await ask('carrier', 'GET', `/v2/labels/${owned.labels}`);
    const absent = await ask('carrier', 'GET', `/v2/labels/${NOTHING.labels}`);
    expect(shape(answer, owned)).toBe(shape(absent, NOTHING));
  });

  it('is all of it for who owns it', async () => {
    for (const route of of('shipper').filter(({ method }) => method !== 'DELETE')) {
      const request = about(route, owned);
      if (request === undefined) continue;
      const { status } = await ask('owner', route.method, request.url, request.body);
      // 422 names what the order lacks for a document.
      expect([200, 409, 422], `${route.name}: ${status}`).toContain(status);
    }
  });
});
