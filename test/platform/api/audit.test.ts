import { expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { away, held } from './carrier.ts';
import { apiWorld, type Method, order } from './world.ts';

const api = apiWorld();
const tokenId = async () => (await api.issue('shippers/shop')).id;
const dispatchThat = async (ended: RunOutcome, reference = 'REF-1'): Promise<number> => {
  api.carrier.answers(ended);
  await api.shop.create(order({}, reference));
  return (await api.sql('select max(id) as id from dispatches'))[0].id;
};

/** A label that its carrier refused until we gave up. */
const failedLabel = async (): Promise<string> => {
  api.carrier.answers('as usual');
  await api.shop.create(order({}, 'LABELLED'));
  const [{ id }] = await api.sql(`update labels set state = 'failed', source_url = 'https://acme.example.com/1.pdf'
    where consignment_id = (select max(id) from consignments) returning id`);
  return id;
};

/** A push that fits nothing. */
const openPush = async (): Promise<number> => {
  const { token } = await api.issue('carriers/acme');
  await api.as(token).post('/v2/carriers/acme/statuses', { value: 'NOBODY', carrierStatusCode: 'DELIVERED' });
  return (await api.sql('select max(id) as id from pushes'))[0].id;
};
const assigned = async () => ({
  shipper: (await api.shop.opened()).code,
  referenceNumber: 'LABELLED',
  note: 'They called',
});

const webhookId = async (): Promise<string> =>
  (await api.shop.post('/v2/webhooks', { url: 'https://shop.example/hook', orderTypes: ['FORWARD'] })).body.id;

/** How each route that changes something is made to, and as what it is noted. */
const WRITES: Readonly<Record<string, () => Promise<readonly [url: string, body: unknown, action: string]>>> = {
  'POST /admin/session': async () => ['/admin/session', undefined, 'sign_in'],
  'DELETE /admin/sessions/{id}': async () => {
    await api.admin.post('/admin/session');
    const { data } = (await api.admin.get('/admin/sessions')).body;
    return [`/admin/sessions/${data[0].id}`, undefined, 'sign_out'];
  },
  'POST /admin/shippers': async () => ['/admin/shippers', { code: 'made', name: 'Made' }, 'issue_token'],
  'POST /admin/shippers/{code}/tokens': async () => ['/admin/shippers/shop/tokens', {}, 'issue_token'],
  'POST /admin/operators/{name}/tokens': async () => ['/admin/operators/bo/tokens', { role: 'read' }, 'issue_token'],
  'POST /admin/carriers/{carrierCode}/tokens': async () => ['/admin/carriers/acme/tokens', {}, 'issue_token'],
  'POST /admin/tokens/{id}/rotate': async () => [`/admin/tokens/${await tokenId()}/rotate`, {}, 'rotate_token'],
  'DELETE /admin/tokens/{id}': async () => [`/admin/tokens/${await tokenId()}`, undefined, 'revoke_token'],
  'PUT /admin/accounts': async () => ['/admin/accounts', { shipper: 'shop', carrier: 'solo' }, 'save_account'],
  'PUT /admin/shippers/{code}': async () => ['/admin/shippers/shop', { name: 'Shop' }, 'save_shipper'],
  'POST /admin/shippers/{code}/disable': async () => ['/admin/shippers/other/disable', undefined, 'disable_shipper'],
  'POST /admin/shippers/{code}/enable': async () => ['/admin/shippers/other/enable', undefined, 'enable_shipper'],
  'DELETE /admin/shippers/{code}': async () => ['/admin/shippers/other', undefined, 'delete_shipper'],
  'POST /admin/accounts/{id}/disable': async () => ['/admin/accounts/1/disable', undefined, 'disable_account'],
  'POST /admin/accounts/{id}/enable': async () => ['/admin/accounts/1/enable', undefined, 'enable_account'],
  'DELETE /admin/accounts/{id}': async () => ['/admin/accounts/2', undefined, 'delete_account'],
  'POST /admin/breakers/{carrierCode}/open': async () => ['/admin/breakers/acme/open', {}, 'open_breaker'],
  'POST /admin/breakers/{carrierCode}/close': async () => ['/admin/breakers/acme/close', {}, 'close_breaker'],
  'POST /admin/webhooks/{id}/pause': async () => [
    `/admin/webhooks/${await webhookId()}/pause`,
    undefined,
    'pause_webhook',
  ],
  'POST /admin/webhooks/{id}/resume': async () => [
    `/admin/webhooks/${await webhookId()}/resume`,
    undefined,
    'resume_webhook',
  ],
  'PATCH /admin/webhooks/{id}': async () => [`/admin/webhooks/${await webhookId()}`, {}, 'update_webhook'],
  'POST /admin/webhooks/{id}/test': async () => [
    `/admin/webhooks/${await webhookId()}/test`,
    undefined,
    'test_webhook',
  ],
  'DELETE /admin/webhooks/{id}': async () => [`/admin/webhooks/${await webhookId()}`, undefined, 'delete_webhook'],
  'POST /admin/webhooks/deliveries/{id}/redeliver': async () => {
    await webhookId();
    await api.shop.create(order({}, 'DELIVERED'));
    const [{ id }] = await api.sql('select max(id) as id from deliveries');
    return [`/admin/webhooks/deliveries/${id}/redeliver`, undefined, 'redeliver'];
  },
  'POST /admin/webhooks/redeliveries': async () => [
    '/admin/webhooks/redeliveries',
    { shipper: 'shop' },
    'redeliver_matching',
  ],
  'POST /admin/reload': async () => ['/admin/reload', undefined, 'reload'],
  'POST /admin/dispatches/{id}/resolve': async () => [
    `/admin/dispatches/${await dispatchThat(held('fail'))}/resolve`,
    { outcome: 'rejected', note: 'Seen in the carrier’s portal' },
    'resolve',
  ],
  'POST /admin/dispatches/retry': async () => [
    '/admin/dispatches/retry',
    { ids: [await dispatchThat(held('fail'))] },
    'retry_many',
  ],
  'POST /admin/dispatches/resolve': async () => [
    '/admin/dispatches/resolve',
    { ids: [await dispatchThat(held('fail'))], outcome: 'rejected', note: 'Seen in the carrier’s portal' },
    'resolve_many',
  ],
  'POST /admin/consignments/cancel': async () => ['/admin/consignments/cancel', { ids: [1] }, 'cancel_many'],
  'POST /admin/dispatches/{id}/send': async () => [
    `/admin/dispatches/${await dispatchThat(away(api.clock.now(), api.clock.now() + 60_000), 'WAITING')}/send`,
    undefined,
    'send_now',
  ],
  'POST /admin/plans/{id}/end': async () => {
    const [{ id }] = await api.sql(
      `insert into plans (kind, shipper_id, environment, code, carrier_code, request, day, due_at)
       select 'pickup', id, 'production', 'daily', 'acme', '{}', '2026-05-04', now() from shippers limit 1 returning id`,
    );
    return [`/admin/plans/${id}/end`, undefined, 'end_plan'];
  },
  'POST /admin/labels/{id}/retry': async () => [`/admin/labels/${await failedLabel()}/retry`, undefined, 'retry'],
  'POST /admin/pushes/{id}/assign': async () => [
    `/admin/pushes/${await openPush()}/assign`,
    await assigned(),
    'assign_push',
  ],
  'POST /admin/pushes/rematch': async () => ['/admin/pushes/rematch', {}, 'rematch_pushes'],
  'POST /admin/pushes/renormalise': async () => ['/admin/pushes/renormalise', {}, 'renormalise_pushes'],
};
/** Noted with what came of it, where the carrier is asked: see registration.test.ts and check-account.test.ts in test/platform/processes. */
const NOTED_BEHIND = [
  ...['register', 'unregister', 'check'].map((word) => `POST /admin/accounts/{id}/${word}`),
  // Takes the session of a browser: sessions.test.ts.
  'DELETE /admin/session',
];

const audit = async (query: string) => (await api.admin.get(`/admin/audit?${query}`)).body;

it('notes every change that an operator makes, by name, once it is made', async () => {
  await api.newShipper('shop');
  await api.newShipper('other');
  const anna = api.as((await api.issue('operators/anna@shop.example', { role: 'administer' })).token);
  const { paths } = (await api.call({ url: '/openapi.json' })).body as { paths: Record<string, object> };
  const writes = Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((route) => !route.startsWith('GET '));
  expect(writes.toSorted()).toEqual([...Object.keys(WRITES), ...NOTED_BEHIND].toSorted());
  for (const [route, write] of Object.entries(WRITES)) {
    const [url, body, action] = await write();
    const [before] = (await audit('limit=1')).data;
    expect(await anna.request(route.split(' ')[0] as Method, url, body), route).toMatchObject({ status: 200 });
    const [noted] = (await audit('limit=1')).data;
    expect(noted.id, route).toBeGreaterThan(before.id);
    expect(noted, route).toMatchObject({
      actor: 'operator:anna@shop.example',
      action: expect.stringMatching(`^${action}`),
    });
  }
});

it('leads from page to page, and finds by who, what and to what', async () => {
  const seen: number[] = [];
  for (let before: number | undefined = 999_999_999; before !== undefined;) {
    const page = await audit(`limit=3&before=${before}`);
    seen.push(...page.data.map(({ id }: { id: number }) => id));
    before = page.nextBefore;
  }
  const rows = await api.sql('select id from audit_log order by id desc');
  expect(seen).toEqual(rows.map(({ id }) => id));
  await api.admin.post('/admin/reload');
  const reloads = (await audit('actor=admin&action=reload&subject=carriers')).data;
  expect(reloads).toMatchObject([{ actor: 'admin', action: 'reload', subject: 'carriers' }]);
  expect((await audit('since=2999-01-01T00:00:00Z')).data).toEqual([]);
});
