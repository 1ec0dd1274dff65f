/** The console in a real browser, against a real server. */
import { beforeAll, describe, expect, it } from 'vitest';
import { listenLocally, textOf } from '../flow/carrier.ts';
import { ADMIN, minimalProfile } from '../flow/server.ts';
import { flowWorld, plain } from '../flow/world.ts';
import { orderFor } from '../../simulator/demo/order.ts';
import { until } from '../support/until.ts';
import { browserWorld, expectClean, hasBrowser, seriousViolations } from './browser.ts';

interface Asked {
  readonly referenceId: string;
  readonly orderNumber: string;
  readonly carrierCode: string;
  readonly itemList: readonly { readonly itemReferenceNumber: string }[];
}

interface Row {
  readonly id: number;
  readonly acceptance: string;
  readonly attempts: number;
}
const rowsOf = ({ body }: { readonly body: object }): readonly Row[] => (body as { data: readonly Row[] }).data;

/** What a page would run, were it ever taken for markup; each sets `window.ran`. */
const PAYLOADS = [
  '<script>window.ran=1</script>',
  '<img src=x onerror=window.ran=1>',
  '"><svg onload=window.ran=1>',
  "'-(window.ran=1)-'",
  'javascript:window.ran=1',
  '{{constructor.constructor("window.ran=1")()}}',
  '<iframe srcdoc="<script>parent.ran=1</script>">',
  '<a href="javascript:window.ran=1">x</a>',
];

/** Takes orders as the contract says; of some references it hangs up after it has read them, others it refuses. */
const startOddCarrier = async () =>
  await listenLocally(async (request, response) => {
    if (request.url === '/nobody') return void response.writeHead(500).end();
    const { referenceId, orderNumber, carrierCode, itemList } = JSON.parse(await textOf(request)) as Asked;
    if (referenceId.startsWith('LOST')) return void request.socket.destroy();
    const isRefused = referenceId.startsWith('EVIL');
    response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
    const itemsTrackDetails = itemList.map(({ itemReferenceNumber }) => ({
      itemReferenceNumber,
      trackingNumber: `T-${referenceId}-${itemReferenceNumber}`,
      carrierCode,
      orderNumber,
    }));
    const refused = { status: 400, message: PAYLOADS.join(' '), errors: PAYLOADS };
    response.end(JSON.stringify(isRefused ? refused : { status: 200, referenceId, timestamp: 1, itemsTrackDetails }));
  });

describe.skipIf(!hasBrowser)('the console', () => {
  let odd: Awaited<ReturnType<typeof startOddCarrier>>;
  const world = flowWorld({
    profiles: async () => {
      odd = await startOddCarrier();
      return { plain: minimalProfile(odd.url) };
    },
  });
  const { open } = browserWorld(() => world.server.url);
  let reader = '';
  const idOf = async (number: string): Promise<number | undefined> =>
    rowsOf(await world.asAdmin('GET', `/admin/consignments?number=${number}`))[0]?.id;

  beforeAll(async () => {
    await world.asShop('POST', '/v2/webhooks', { url: `${odd.url}/nobody`, orderTypes: ['FORWARD'] });
    for (const reference of ['GOOD-1', 'LOST-1', 'LOST-2'])
      await world.create(reference, 1, { prefer: 'respond-async' });
    for (const reference of ['GOOD-1', 'LOST-1', 'LOST-2'])
      await until(`${reference} has come to an end`, async () => {
        const [record] = rowsOf(await world.read(reference));
        return record?.acceptance !== 'pending';
      });
    const evil = orderFor(plain, 'EVIL-1', 1) as { consignmentDetails: Record<string, unknown> };
    evil.consignmentDetails['deliveryInstructions'] = PAYLOADS.join(' ');
    await world.asShop('POST', '/v2/consignments', evil);
    for (const carrierStatusCode of PAYLOADS)
      await world.push({
        type: 'Tracking',
        value: 'T-GOOD-1-PKG-1',
        carrierStatusCode,
        carrierStatusDescription: carrierStatusCode,
        statusReceivedAt: '2026-05-01 10:00:00',
        eventTimezone: 'Europe/Berlin',
      });
    const issued = await world.asAdmin('POST', '/admin/operators/reader/tokens', { role: 'read' });
    reader = String(issued.body['token']);
  });

  it('lets nobody in with a wrong token, keeps the session from scripts, and ends it', async () => {
    const tab = await open('', { token: 'wb_operator_none_00000000000000000000000' });
    const { page } = tab;
    await page.getByText('The token is not valid').waitFor();
    await page.getByLabel('Operator’s token').fill(ADMIN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Operator’s token').waitFor();
    const headers = { cookie: `${cookie?.name}=${cookie?.value}` };
    expect((await fetch(`${world.server.url}/admin/session`, { headers })).status).toBe(401);
    expectClean(tab);
  });

  it('a change that no page of ours sends is refused, whatever cookie it brings', async () => {
    const begun = await world.asAdmin('POST', '/admin/session');
    expect(begun.status).toBe(200);
    const response = await fetch(`${world.server.url}/admin/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN}` },
    });
    const headers = { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
    const reload = `${world.server.url}/admin/reload`;
    expect((await fetch(reload, { method: 'POST', headers })).status).toBe(403);
    const { csrfToken } = (await response.json()) as { csrfToken: string };
    const sent = { ...headers, 'x-csrf-token': csrfToken };
    expect((await fetch(reload, { method: 'POST', headers: sent })).status).toBe(200);
  });

  it('a held order is found by its number, understood and resolved, by keyboard alone', async () => {
    const tab = await open('', { token: ADMIN });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: /^2 ?Held dispatches/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('LOST-1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'LOST-1' }).waitFor();
    await page.getByRole('main').getByText('held', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Resolve …' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('It will not be done').focus();
    await page.keyboard.press('Space');
    await page.getByLabel('How you know').focus();
    await page.keyboard.type('They have none of it');
    await page.getByRole('button', { name: 'Resolve', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('main').getByText('rejected', { exact: true }).first().waitFor();
    expect(await world.read('LOST-1')).toMatchObject({ body: { data: [{ acceptance: 'rejected' }] } });
    expectClean(tab);
  });

  it('held dispatches are resolved together, and what would become of them is said before', async () => {
    const tab = await open('/inboxes/held', { token: ADMIN });
    const { page } = tab;
    await page.getByLabel('Choose LOST-2').check();
    await page.getByRole('button', { name: 'Resolve 1 …' }).click();
    await page.getByText('1 of 1 can be done now.').waitFor();
    await page.getByRole('button', { name: 'Keep as it is' }).focus();
    await page.keyboard.type('gw');
    expect(page.url()).toMatch(/inboxes\/held$/);
    await page.getByLabel('What became of them').selectOption('rejected');
    await page.getByLabel('How you know').fill('They have none of it');
    await page.getByRole('button', { name: 'Resolve 1', exact: true }).click();
    await page.getByText('Nothing is held.').waitFor();
    expectClean(tab);
  });

  it('webhooks that failed are looked into and sent again', async () => {
    const tab = await open('/webhooks?referenceNumber=GOOD-1', { token: ADMIN });
    const { page } = tab;
    const row = page.getByRole('region', { name: 'Deliveries' }).getByRole('row').nth(1);
    await row.getByRole('button').first().click();
    await page.getByRole('dialog').getByText('GOOD-1').first().waitFor();
    await page.getByRole('button', { name: 'Send it again' }).click();
    await until('it was tried again', async () => {
      const log = await world.asAdmin('GET', '/admin/webhooks/deliveries?referenceNumber=GOOD-1');
      return rowsOf(log).some(({ attempts }) => attempts > 1);
    });
    expectClean(tab);
  });

  it('a subscription leads to its deliveries, on the same page', async () => {
    const tab = await open('/webhooks', { token: ADMIN });
    const { page } = tab;
    await page.getByRole('link', { name: /nobody$/ }).click();
    await page.getByRole('button', { name: 'Of all subscriptions' }).click();
    await page.waitForURL(/\/webhooks$/);
    expectClean(tab);
  });

  it('a token is revoked when that was asked, and one’s own session is told from others of the same operator', async () => {
    const tab = await open('/people', { token: ADMIN });
    const { page } = tab;
    await page.getByText('admin (you)').waitFor();
    expect(await page.getByText('admin (you)').count()).toBe(1);
    const row = page.getByRole('row', { name: /operator reader/ });
    await row.getByRole('button', { name: 'Revoke …' }).click();
    await page.getByRole('heading', { name: 'Revoke a token of operator reader' }).waitFor();
    await page.getByRole('button', { name: 'Keep as it is' }).click();
    await row.getByText('valid', { exact: true }).waitFor();
    expectClean(tab);
  });

  it('who may only read sees no control, and the routes refuse', async () => {
    const tab = await open('/inboxes/held', { token: reader });
    const { page } = tab;
    await page.getByText('operator:reader · read').waitFor();
    for (const place of [
      '/inboxes/held',
      '/webhooks',
      '/carriers',
      '/carriers/plain',
      '/people',
      '/inboxes/unmapped',
    ]) {
      await page.goto(`/console${place}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading …').first().waitFor({ state: 'detached' });
      const names = await page.locator('main').getByRole('button').allTextContents();
      expect(
        names.filter((name) => /Retry|Resolve|Cancel|Reload|Revoke|Pause|New|End|again|Check|Ask/.test(name)),
      ).toEqual([]);
    }
    const refused = await page.evaluate<number>(
      `fetch('/admin/session').then((r) => r.json()).then(({ csrfToken }) =>
        fetch('/admin/reload', { method: 'POST', headers: { 'X-CSRF-Token': csrfToken } })).then((r) => r.status)`,
    );
    expect(refused).toBe(403);
    expectClean(tab);
  });

  it.each([
    ['light', false],
    ['dark', true],
  ])('no page has a serious fault that axe knows, nor runs what others wrote: %s', async (_, dark) => {
    const tab = await open('', { token: ADMIN, dark });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const [evil, good] = [await idOf('EVIL-1'), await idOf('GOOD-1')];
    const places = ['', '/consignments', `/consignments/${evil}`, `/consignments/${good}`, '/inboxes/held'];
    for (const place of [
      ...places,
      '/inboxes/unmatched',
      '/inboxes/unmapped',
      '/webhooks',
      '/carriers/plain',
      '/people',
    ]) {
      await page.goto(`/console${place}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading …').first().waitFor({ state: 'detached' });
      for (const summary of await page.locator('summary').all()) await summary.click();
      expect([place, await seriousViolations(page)]).toEqual([place, []]);
      expect(await page.evaluate('window.ran')).toBeUndefined();
    }
    expectClean(tab);
  });

  it('fits a phone: nothing is wider than the window', async () => {
    const tab = await open('', { token: ADMIN, width: 390 });
    const { page } = tab;
    for (const place of ['', '/consignments', '/inboxes/held', '/webhooks', '/carriers', '/people']) {
      await page.goto(`/console${place}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    }
    expectClean(tab);
  });
});
