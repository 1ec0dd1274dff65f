/** The main job of each page, in a real browser against a real server; by keyboard alone where there is something to do. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { ADMIN } from '../flow/server.ts';
import { until } from '../support/until.ts';
import { enter, expectClean, hasBrowser, settle, tabTo, visit } from './browser.ts';
import { consoleWorld, rowsOf, statusOf } from './world.ts';

describe.skipIf(!hasBrowser)('the console', () => {
  const { world, tokens, open, idOf, carrier, create, settled } = consoleWorld();

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

  it('the overview counts what needs attention and shows how a carrier is doing, each with a way to mend it', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Plain Carrier' }) });
    await card.getByText('Success').waitFor();
    await card.getByRole('img', { name: /Calls by hour/ }).waitFor();
    await card.getByText(/Last error/).waitFor();
    await page.getByRole('link', { name: /^1 ?Unmatched pushes/ }).waitFor();
    await page.getByRole('link', { name: /^1 ?Unmapped statuses/ }).waitFor();
    await page.getByRole('link', { name: /^2 ?Held dispatches/ }).click();
    await page.getByRole('link', { name: 'LOST-2' }).waitFor();
    expectClean(tab);
  });

  it('the story tells order, canonical form, exchange, event with its status row, and delivery', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await visit(page, `/consignments/${await idOf('GOOD-1')}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('Order Picked Up', { exact: true }).first().click();
    await timeline.getByText('PICKED_UP → Order Picked Up').waitFor();
    await timeline
      .getByText(/carriers\/contract\.yaml:\d+/)
      .first()
      .waitFor();
    await timeline.getByText(/^POST .* succeed$/).click();
    await timeline.getByLabel('request body', { exact: true }).filter({ hasText: '"referenceId": "GOOD-1"' }).waitFor();
    await timeline
      .getByText('Bearer ***')
      .or(timeline.getByText(/authorization: \*\*\*/i))
      .first()
      .waitFor();
    await page.getByText('In the canonical form that mappings read').click();
    await page.getByLabel('canonical consignment', { exact: true }).filter({ hasText: '"typeOfService"' }).waitFor();
    expect(await timeline.locator('time').first().getAttribute('title')).toMatch(/\d.*Z$/);
    expectClean(tab);
  });

  it('a request is copied as curl, with its secrets masked', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit(page, `/consignments/${await idOf('GOOD-1')}`);
    await page.getByText(/^POST .* succeed$/).click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toMatch(/^curl -X POST 'http.*-H '/s);
    expect(copied).not.toContain('carrier-token-1');
    expectClean(tab);
  });

  it('says where a value that was sent comes from, and by which rule the response was classified', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await visit(page, `/consignments/${await idOf('GOOD-1')}`);
    await enter(page, page.getByRole('button', { name: 'Where from?' }).first());
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'Values of create / create' }).waitFor();
    await page.keyboard.press('Tab');
    await tabTo(page, dialog.getByLabel('Find a field or a value'));
    await page.keyboard.type('destinationCity');
    const row = dialog.getByRole('row', { name: /destinationCity/ }).first();
    await row.getByText('shipTo.address.city').waitFor();
    await dialog.getByRole('heading', { name: /Why 200 was classified so/ }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expectClean(tab);
  });

  it.each([
    ['GOOD-1', 'iframe'],
    ['GOOD-2-ZPL', 'pre'],
    ['GOOD-3-PNG', 'img'],
  ])('the label of %s is shown as %s', async (reference, element) => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await until('the label is stored', async () => {
      const { body } = await world.read(reference);
      return JSON.stringify(body).includes('"state":"stored"');
    });
    await visit(page, `/consignments/${await idOf(reference)}`);
    await enter(page, page.getByRole('button', { name: /^Show Label/ }));
    const shown = page.locator(`.label ${element}`);
    await shown.waitFor();
    if (element === 'img')
      await until('the picture is there', async () =>
        page.evaluate<boolean>(`document.querySelector('.label img').naturalWidth > 50`),
      );
    if (element === 'pre') {
      expect(await shown.textContent()).toContain(`^FD${reference}`);
      const drawn = page.frameLocator('.label iframe').getByAltText('Label 1 of 1');
      await until(
        'it is drawn',
        async () => await drawn.evaluate((image: unknown) => (image as { naturalWidth: number }).naturalWidth > 50),
      );
    }
    if (element === 'iframe') expect(await shown.getAttribute('src')).toMatch(/^blob:/);
    expectClean(tab);
  });

  it('a held order is found by its number, understood and resolved, by keyboard alone', async () => {
    const tab = await open('', { token: tokens.operate });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('LOST-1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'LOST-1' }).waitFor();
    await page.getByRole('main').getByText('held', { exact: true }).first().waitFor();
    await enter(page, page.getByRole('button', { name: 'Resolve …' }));
    await page.getByText(/The create is held/).waitFor();
    await tabTo(page, page.getByLabel('The carrier has nothing of it', { exact: false }));
    await page.keyboard.press('ArrowDown');
    await tabTo(page, page.getByLabel('How you know'));
    await page.keyboard.type('They have none of it');
    await enter(page, page.getByRole('button', { name: 'Resolve', exact: true }));
    await page.getByRole('main').getByText('rejected', { exact: true }).first().waitFor();
    expect(await world.read('LOST-1')).toMatchObject({ body: { data: [{ acceptance: 'rejected' }] } });
    expectClean(tab);
  });

  it('held dispatches are resolved in bulk after a dry run, by keyboard alone', async () => {
    const tab = await open('', { token: tokens.operate });
    const { page } = tab;
    await visit(page, '/inboxes/held');
    await tabTo(page, page.getByLabel('Select LOST-2'));
    await page.keyboard.press('Space');
    await enter(page, page.getByRole('button', { name: 'Resolve 1 …' }));
    await page.getByText('Dry run: 1 of 1 can be done now.').waitFor();
    await page.keyboard.type('gw');
    expect(page.url()).toMatch(/inboxes\/held$/);
    await tabTo(page, page.getByLabel(/What the carrier/));
    await page.keyboard.press('ArrowDown');
    await tabTo(page, page.getByLabel('How you know'));
    await page.keyboard.type('They have none of it');
    await enter(page, page.getByRole('button', { name: 'Resolve 1', exact: true }));
    await page.getByLabel('Select LOST-2').waitFor({ state: 'detached' });
    expect(await world.read('LOST-2')).toMatchObject({ body: { data: [{ acceptance: 'rejected' }] } });
    expectClean(tab);
  });

  it('a push that matches nothing is assigned to a consignment, by keyboard alone', async () => {
    const tab = await open('', { token: tokens.operate });
    const { page } = tab;
    await visit(page, '/inboxes/unmatched');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('NOBODY-1').waitFor();
    for (const [label, text] of [
      ['Shipper', 'shop'],
      ['Reference number', 'GOOD-2-ZPL'],
      ['Why it belongs there', 'The carrier said so'],
    ] as const) {
      await tabTo(page, page.getByRole('dialog').getByLabel(label, { exact: true }));
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Enter');
    await page.getByText('There are none.').waitFor();
    expect(await world.read('GOOD-2-ZPL')).toMatchObject({ body: { data: [{ status: 'In Transit' }] } });
    expectClean(tab);
  });

  it('an unmapped status is given a meaning, which becomes a row of the profile, by keyboard alone', async () => {
    const tab = await open('', { token: tokens.administer });
    const { page } = tab;
    await visit(page, '/inboxes/unmapped');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByLabel('Normalised status'));
    await page.keyboard.type('Order Del');
    await page.getByLabel('change of the profile').getByText('+    WITH_NEIGHBOUR: Order Delivered').waitFor();
    await enter(page, page.getByRole('button', { name: 'Save and read pushes again' }));
    await page.getByText('Every status that carriers have sent is mapped.').waitFor();
    const profile = await readFile(path.join(world.home, 'carriers', 'plain.yaml'), 'utf8');
    expect(profile).toContain('WITH_NEIGHBOUR: Order Delivered');
    expect(await world.read('GOOD-1')).toMatchObject({ body: { data: [{ status: 'Order Delivered' }] } });
    expectClean(tab);
  });

  it('who may not write profiles downloads the change as a patch', async () => {
    await world.push(statusOf('GOOD-3-PNG', 'AT_LOCKER'));
    await until('it is read', async () =>
      JSON.stringify(await world.asAdmin('GET', '/admin/statuses/unmapped')).includes('AT_LOCKER'),
    );
    const tab = await open('', { token: tokens.operate });
    const { page } = tab;
    await visit(page, '/inboxes/unmapped');
    await page.getByRole('button', { name: 'AT_LOCKER' }).click();
    await page.getByLabel('Normalised status').selectOption('Ready for Collection');
    const [downloaded] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the patch' }).click(),
    ]);
    const patch = await readFile(await downloaded.path(), 'utf8');
    expect(patch).toContain('--- a/carriers/plain.yaml\n+++ b/carriers/plain.yaml\n@@ ');
    expect(patch).toContain('+    AT_LOCKER: Ready for Collection');
    expect(await page.getByRole('button', { name: /Save/ }).count()).toBe(0);
    expectClean(tab);
  });

  it('a failing webhook is tested, mended, and its deliveries are sent again in bulk, by keyboard alone', async () => {
    const { pool } = world.database;
    await until('all was tried once', async () => {
      const { body } = await world.asAdmin('GET', '/admin/webhooks/deliveries');
      return rowsOf({ body }).every(({ attempts }) => attempts > 0);
    });
    await pool.query(`update deliveries set state = 'failed', finished_at = now(), lease = null, lease_until = null
      where state in ('waiting', 'sending')`);
    const tab = await open('', { token: tokens.operate });
    const { page } = tab;
    await visit(page, '/webhooks?state=failed');
    await enter(page, page.getByRole('button', { name: 'Send test event' }));
    await page.getByText(/did not accept the test event: 500/).waitFor();
    carrier().receiveWith(200);
    await tabTo(page, page.getByRole('combobox', { name: 'Shipper' }));
    await page.keyboard.type('shop');
    await page.waitForURL(/shipper=shop/);
    await enter(page, page.getByRole('button', { name: 'Redeliver all that match …' }));
    await page.getByRole('dialog').getByText('state: failed').waitFor();
    await enter(page, page.getByRole('button', { name: 'Redeliver', exact: true }));
    await page.getByRole('progressbar', { name: 'Redelivered' }).waitFor();
    await page.keyboard.press('Escape');
    await until('all were delivered', async () => {
      const { body } = await world.asAdmin('GET', '/admin/webhooks/deliveries');
      return rowsOf({ body }).every(({ state }) => state === 'delivered');
    });
    await visit(page, '/webhooks?state=delivered');
    await page.getByRole('region', { name: 'Deliveries' }).getByRole('row').nth(1).getByRole('button').click();
    await page.getByLabel('payload', { exact: true }).filter({ hasText: '"referenceNumber"' }).waitFor();
    await page.getByRole('dialog').getByText('200').first().waitFor();
    expectClean(tab);
  });

  it('a subscription leads to its deliveries, on the same page', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await visit(page, '/webhooks');
    await page.getByRole('link', { name: /receiver\/shop$/ }).click();
    await page.getByRole('button', { name: 'All subscriptions' }).click();
    await page.waitForURL(/\/webhooks$/);
    expectClean(tab);
  });

  it('a signature is checked without leaving the browser', async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const at = new Date();
    const body = '{"event":"consignment.in_transit"}';
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await visit(page, '/webhooks');
    const asked: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && asked.push(request.url())));
    await page.getByText('Check a delivery that a receiver refuses').click();
    await page.getByLabel('Secret (whsec_…)').fill(secret);
    await page.getByLabel('webhook-id').fill('msg_1');
    await page.getByLabel('webhook-timestamp').fill(String(Math.floor(at.getTime() / 1_000)));
    await page.getByLabel('webhook-signature').fill(new Webhook(secret).sign('msg_1', at, body));
    await page.getByLabel('Body, as received').fill(body);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('The signature matches.').waitFor();
    await page.getByLabel('Body, as received').fill(`${body} `);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText(/The signature does not match/).waitFor();
    expect(asked).toEqual([]);
    expectClean(tab);
  });

  it('a carrier is understood from its profile, its operations and what changed in it', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await visit(page, '/carriers/plain');
    await page.getByText('✓ No findings.').waitFor();
    await page.getByRole('tab', { name: 'Operations' }).click();
    await page.getByRole('region', { name: 'cancel' }).getByText('POST').waitFor();
    await page.getByRole('tab', { name: 'Statuses' }).click();
    await page.getByRole('row', { name: /OUT_FOR_DELIVERY Out for Delivery/ }).waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page
      .getByLabel(/changes of carriers\/plain.yaml/)
      .getByText(/^[+-]/)
      .first()
      .waitFor();
    expectClean(tab);
  });

  it('an account is created by the form that the profile declares, by keyboard alone', async () => {
    await world.asAdmin('POST', '/admin/shippers', { code: 'other', name: 'Other Shop' });
    const tab = await open('', { token: tokens.administer });
    const { page } = tab;
    await visit(page, '/carriers/plain/accounts');
    await enter(page, page.getByRole('button', { name: 'New account …' }));
    const dialog = page.getByRole('dialog');
    await tabTo(page, dialog.getByLabel('Shipper'));
    await page.keyboard.type('other');
    await tabTo(page, dialog.getByLabel('token'));
    expect(await dialog.getByLabel('token').getAttribute('type')).toBe('password');
    await page.keyboard.type('secret-of-other');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /other production/ }).waitFor();
    await enter(page, page.getByRole('row', { name: /other/ }).getByRole('button', { name: 'Check credentials' }));
    await page.getByText(/nothing that can be called without side effects/).waitFor();
    expectClean(tab);
  });

  it('a carrier’s token is issued, shown once, and revoked when that was confirmed', async () => {
    const tab = await open('', { token: tokens.administer });
    const { page } = tab;
    await visit(page, '/carriers/plain/tokens');
    await enter(page, page.getByRole('button', { name: 'Issue token …' }));
    await enter(page, page.getByRole('button', { name: 'Issue token', exact: true }));
    const token = (await page.getByText(/^wb_carrier_/).textContent()) ?? '';
    await page.keyboard.press('Escape');
    const [, , id = ''] = token.split('_');
    const row = page.getByRole('row').filter({ hasText: id });
    await row.getByRole('button', { name: 'Revoke …' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await row.getByText('valid', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Revoke …' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await row.getByText('revoked', { exact: true }).waitFor();
    expectClean(tab);
  });

  it('onboarding shows how far a shipper and a carrier are, and the way to each point', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await visit(page, '/onboarding');
    await page.getByRole('combobox', { name: 'Shipper' }).selectOption('shop');
    await page.getByRole('combobox', { name: 'Carrier' }).selectOption('plain');
    const shipper = page.getByRole('region', { name: 'Shipper shop' });
    await shipper.getByText('Access token issued done').waitFor();
    await shipper.getByText('Webhook registered, with its order types done').waitFor();
    const lately = page.getByRole('region', { name: 'Carrier plain' });
    await lately.getByText('First order accepted done').waitFor();
    await lately.getByText('End-to-end test: an order to its delivery').waitFor();
    await shipper.getByRole('link', { name: 'Accounts' }).click();
    await page.waitForURL(/carriers\/plain\/accounts$/);
    expectClean(tab);
  });

  it('a shipper is created with its token, and one’s own session is told from others of the same operator', async () => {
    const tab = await open('', { token: tokens.administer });
    const { page } = tab;
    await visit(page, '/people');
    expect(await page.getByText('admin (you)').count()).toBe(1);
    await page.getByRole('button', { name: 'New shipper …' }).click();
    await page.getByLabel('Code').fill('third');
    await page.getByLabel('Name', { exact: true }).fill('Third Shop');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText(/^wb_shipper_/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /third Third Shop/ }).waitFor();
    expectClean(tab);
  });

  it('the configuration is shown without its secrets', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await visit(page, '/settings');
    await page.getByRole('row', { name: /WAYBILL_ADMIN_TOKEN set, not shown/ }).waitFor();
    await page.getByRole('row', { name: /ALLOW_PRIVATE_NETWORKS true environment/ }).waitFor();
    const text = (await page.textContent('main')) ?? '';
    expect(text).not.toContain(ADMIN);
    expect(text).not.toContain(Buffer.alloc(32, 9).toString('base64'));
    expectClean(tab);
  });

  it('of a long list only the rows in view are in the page, and more are loaded on the way down', async () => {
    const { pool } = world.database;
    await pool.query(`insert into audit_log (actor, action, subject)
      select 'engine', 'example', 'example:' || n from generate_series(1, 1000) n`);
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await visit(page, '/people?action=example');
    const rows = page.getByRole('region', { name: 'Audit log' }).locator('tbody tr:not(.gap)');
    await page.getByText('example:1000', { exact: true }).waitFor();
    await until('the last was scrolled to', async () => {
      await page.mouse.wheel(0, 20_000);
      return await page.getByText('example:1', { exact: true }).isVisible();
    });
    expect(await rows.count()).toBeLessThan(120);
    expectClean(tab);
  });

  it.each([
    ['where nobody scrolls', 'tall', ''],
    [
      'where it went and came before that was told',
      'busy',
      `window.IntersectionObserver = class extends IntersectionObserver {
        constructor(tell) { super((entries) => tell([{ isIntersecting: false }, ...entries])); }
      };`,
    ],
  ])('a list is loaded for as long as its end is in view, also %s', async (_, action, script) => {
    const { pool } = world.database;
    await pool.query(
      `insert into audit_log (actor, action, subject) select 'engine', $1, $1 || ':' || n from generate_series(1, 400) n`,
      [action],
    );
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await page.addInitScript(script);
    await page.setViewportSize({ width: 1280, height: 16_000 });
    await visit(page, `/people?action=${action}`);
    await page.getByText(`${action}:1`, { exact: true }).waitFor();
    expectClean(tab);
  });

  it('what takes longer than a second is shown to be under way', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/admin/settings', async (route) => {
      await promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('progressbar', { name: 'Working' }).waitFor();
    resolve();
    await page.getByRole('progressbar', { name: 'Working' }).waitFor({ state: 'detached' });
    expectClean(tab);
  });

  it('keys lead to pages, and are explained', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.type('gw');
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('heading', { name: 'Keyboard shortcuts' });
    await help.waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.type('gc');
    await page.getByRole('heading', { name: 'Consignments' }).waitFor();
    await settle(page);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/consignments\/\d+$/);
    expectClean(tab);
  });

  it('a held dispatch that appears while the overview is open is counted without a reload', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    const tile = page.getByRole('link', { name: /^\d+ ?Held dispatches/ });
    const before = Number(/^\d+/.exec((await tile.textContent()) ?? '')?.[0]);
    await create('LOST-9');
    await settled('LOST-9');
    await page.getByRole('link', { name: new RegExp(`^${before + 1} ?Held dispatches`) }).waitFor();
    expectClean(tab);
  });
});
