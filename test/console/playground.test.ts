/** The playground in a real browser, from the first sample to the first signed webhook. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { orderFor } from '../../simulator/demo/order.ts';
import { listenLocally, textOf } from '../flow/carrier.ts';
import { ADMIN, minimalProfile } from '../flow/server.ts';
import { flowWorld, plain } from '../flow/world.ts';
import { PROJECT } from '../support/project.ts';
import { until } from '../support/until.ts';
import { browserWorld, expectClean, hasBrowser, seriousViolations, takePicture } from './browser.ts';

/** A carrier that nobody has a profile of yet. */
const startNewCarrier = async () => {
  const seen: { readonly key: string | undefined; readonly body: Record<string, unknown> }[] = [];
  const { url, close } = await listenLocally(async (request, response) => {
    seen.push({ key: request.headers['x-api-key'] as string, body: JSON.parse(await textOf(request)) as never });
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ trackingNumber: `NC-${seen.length}` }));
  });
  return { url, close, seen };
};

const CURL = `curl -X POST https://api.newco.example/v1/shipments \\
  -H 'X-Api-Key: a-secret-of-the-sample' -H 'Content-Type: application/json' \\
  -d '{
    "reference": "REF-1001",
    "recipient": { "name": "Erika Example", "street": "Sample Road 22", "city": "Munich", "postalCode": "80331", "country": "DE" },
    "weightKg": 1.5
  }'`;

/** The process that evaluates drafts starts with the first of them. */
const WAIT_MS = 60_000;

const editor = (page: Page, name: string): Locator => page.locator(`.editor[data-path="${name}"] .cm-content`);
const current = async (page: Page): Promise<void> => await page.locator('[data-state=none]').waitFor();

const picture = async (page: Page, dark: boolean): Promise<void> => {
  for (const width of dark ? [1280] : [390, 1280, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await takePicture(page, 'playground', { dark });
  }
};

describe.skipIf(!hasBrowser)('the playground', () => {
  let newco: Awaited<ReturnType<typeof startNewCarrier>>;
  const world = flowWorld({
    profiles: async (url) => {
      newco = await startNewCarrier();
      return { plain: minimalProfile(url) };
    },
  });
  const { open } = browserWorld(() => world.server.url);
  let reader = '';
  beforeAll(async () => {
    for (const folder of ['carriers/fedex.yaml', 'mappings/fedex', 'fixtures/fedex', 'fixtures/_consignments'])
      cpSync(path.join(PROJECT, folder), path.join(world.home, folder), { recursive: true });
    await world.create('TAKEN-1');
    const issued = await world.asAdmin('POST', '/admin/operators/reader/tokens', { role: 'read' });
    reader = String(issued.body['token']);
  });

  const openFedex = async (token = ADMIN) => {
    const tab = await open('/playground/fedex', { token, width: 1900 });
    tab.page.setDefaultTimeout(WAIT_MS);
    await current(tab.page);
    await tab.page.getByRole('heading', { name: 'Requests' }).waitFor();
    return tab;
  };
  const MAPPING = 'mappings/fedex/create.jsonata';

  it('a new carrier, from a sample to the first signed webhook, without leaving the browser', async () => {
    const tab = await open('/playground', { token: ADMIN, width: 1900 });
    const { page } = tab;
    page.setDefaultTimeout(WAIT_MS);
    await page.getByLabel('Code').fill('newco');
    await page.getByLabel('Name', { exact: true }).fill('New Company');
    await page.getByLabel('URL of its sandbox').fill('https://sandbox.newco.example');
    await page.getByLabel('Sample 1', { exact: true }).fill(CURL);
    await page.getByRole('button', { name: 'Another sample' }).click();
    await page.getByLabel('Name of sample 2').fill('create.response.json');
    await page.getByLabel('Sample 2', { exact: true }).fill('{ "trackingNumber": "NC-0" }');
    await page.getByRole('button', { name: 'Begin', exact: true }).click();

    await page.getByText(/guesses to confirm/).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('a-secret-of-the-sample');
    await page.getByText('/v1/shipments').first().waitFor();
    await page.getByRole('button', { name: 'All are right' }).click();
    await page.getByText(/guesses to confirm/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save …' }).click();
    await page.getByRole('dialog').getByText('new file mode').first().waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('0 unsaved').waitFor();
    expect(existsSync(path.join(world.home, 'carriers/newco.yaml'))).toBe(true);
    await page.getByRole('button', { name: 'Reload profiles' }).click();
    await until('it is loaded', async () => {
      const { body } = await world.asAdmin('GET', '/admin/carriers');
      return (body['carriers'] as never as { code: string }[]).some(({ code }) => code === 'newco');
    });
    const ask = async <Reply = Record<string, never>>(
      method: string,
      place: string,
      body?: unknown,
      token = '',
    ): Promise<Reply> =>
      await page.evaluate<Reply>(
        `fetch('/admin/session').then((r) => r.json()).then(({ csrfToken }) => fetch(${JSON.stringify(place)}, {
          method: '${method}',
          headers: { 'Content-Type': 'application/json', ...(${JSON.stringify(token)} ? { Authorization: 'Bearer ${token}' } : { 'X-CSRF-Token': csrfToken }) },
          body: ${JSON.stringify(body === undefined ? undefined : JSON.stringify(body))},
        })).then((r) => r.json())`,
      );
    const credentials = { apiKey: 'key-of-the-shop' };
    const account = { shipper: 'shop', carrier: 'newco', environment: 'sandbox', credentials, baseUrl: newco.url };
    await ask('PUT', '/admin/accounts', account);
    await page.getByRole('button', { name: 'Send to a sandbox account …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('the carrier is really asked').waitFor();
    expect(newco.seen).toEqual([]);
    await dialog.getByRole('button', { name: 'Send it' }).click();
    await dialog.getByText('NC-1').first().waitFor();
    expect(newco.seen).toMatchObject([{ key: 'key-of-the-shop', body: { reference: 'REF-1001' } }]);
    await dialog.getByRole('button', { name: 'Close' }).click();

    const { token } = await ask<{ token: string }>('POST', '/admin/shippers/shop/tokens', { environment: 'sandbox' });
    const hook = { url: world.receiver.url, orderTypes: ['FORWARD'] };
    const { secret } = await ask<{ secret: string }>('POST', '/v2/webhooks', hook, token);
    world.receiver.trust(secret);
    const order = orderFor({ ...plain, code: 'newco' }, 'FIRST-1', 1);
    expect(await ask('POST', '/v2/consignments', order, token)).toMatchObject({
      data: [{ trackingDetails: [{ trackingNumber: 'NC-2' }] }],
    });
    const pusher = await ask<{ token: string }>('POST', '/admin/carriers/newco/tokens', { environment: 'sandbox' });
    await ask(
      'POST',
      '/v2/carriers/newco/statuses',
      {
        type: 'Tracking',
        value: 'NC-2',
        carrierStatusCode: 'Order Picked Up',
        statusReceivedAt: '2026-05-01 10:00:00',
        eventTimezone: 'Europe/Berlin',
      },
      pusher.token,
    );
    await until('the shop has the first signed webhook', () =>
      world.receiver.received.some(({ referenceNumber }) => referenceNumber === 'FIRST-1'),
    );
    await page.close();
    expectClean(tab);
  });

  it('what is typed is marked, completed and explained, and lights up what belongs together', async () => {
    const tab = await openFedex();
    const { page } = tab;
    const value = page.locator('.values > li', { hasText: 'consignment.destinationCity' }).first();
    await value.hover();
    await page.locator(`.editor[data-path="${MAPPING}"] .cm-lit`).first().waitFor();
    await page.locator('.values > li.lit', { hasText: 'destinationCity' }).nth(1).waitFor();
    const field = page.locator('.values > li', { has: page.locator('code', { hasText: /^destinationCity$/ }) });
    await field.hover();
    await page.locator('.values > li.lit', { hasText: 'consignment.destinationCity' }).first().waitFor();

    const text = editor(page, MAPPING);
    await text.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('( $x := consignment.destinationCit');
    const options = page.locator('.cm-tooltip-autocomplete');
    await options.getByText('destinationCity', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('zz; 1 )/*');
    await page.locator(`.editor[data-path="${MAPPING}"] .cm-lintRange-error`).first().waitFor();
    await page.close();
    expectClean(tab);
  });

  it('what is typed faster than the page keeps up with stays as it was typed', async () => {
    const { page } = await openFedex();
    const keys = await page.context().newCDPSession(page);
    await editor(page, 'carriers/fedex.yaml').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    const typed = '# abcdefghijklmnopqrstuvwxyz 0123456789 abcdefghijklmnopqrstuvwxyz';
    await Promise.all(typed.split('').map(async (text) => await keys.send('Input.insertText', { text })));
    expect(await editor(page, 'carriers/fedex.yaml').locator('.cm-line').last().textContent()).toBe(typed);
    await page.close();
  });

  it('an order of the records is given, and the change is a patch; nothing of it is markup', async () => {
    const tab = await openFedex();
    const { page } = tab;
    await page.getByRole('button', { name: 'Take an order …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'TAKEN-1' }).click();
    await page.getByText('2 unsaved').waitFor();
    await page.locator('.values').getByText('TAKEN-1').first().waitFor();
    const evil = '<img src=x onerror=window.ran=1><script>window.ran=1</script>';
    await editor(page, 'carriers/fedex.yaml').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(`\nname2: "${evil}" # unconfirmed: ${evil}`);
    await page.getByText('guesses to confirm').waitFor();
    await current(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the patch' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('fedex.patch');
    const patch = readFileSync(await download.path(), 'utf8');
    expect(patch).toContain(`+name2: "${evil}"`);
    expect(patch).toMatch(/\+.*consignment: order-\d+/);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    await page.close();
    expectClean(tab);
  });

  it.each([
    ['light', false, 1900],
    ['dark', true, 390],
  ])('no serious fault that axe knows: %s', async (_, dark, width) => {
    for (const place of ['/playground', '/playground/fedex']) {
      const { page } = await open(place, { token: ADMIN, dark, width });
      page.setDefaultTimeout(WAIT_MS);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading …').first().waitFor({ state: 'detached' });
      if (place !== '/playground') await page.getByRole('heading', { name: 'Requests' }).waitFor();
      expect([place, await seriousViolations(page)]).toEqual([place, []]);
      if (place !== '/playground') await picture(page, dark);
      await page.close();
    }
  });

  it('who may only read sees no control of it, and its routes refuse', async () => {
    const tab = await open('/playground', { token: reader });
    const { page } = tab;
    await page.getByText('this takes the role operate').waitFor();
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    expect(await page.evaluate(`fetch('/admin/playground').then((r) => r.status)`)).toBe(403);
    expectClean(tab);
  });
});
