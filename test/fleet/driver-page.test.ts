/** The driver's page on a phone's screen in a real browser, against a real server. */
import { createCanvas } from '@napi-rs/canvas';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Stop } from '../../console/src/fleet/shapes.ts';
import { browserWorld, expectClean, hasBrowser, seriousViolations, type Tab } from '../console/browser.ts';
import { until } from '../support/until.ts';
import { servedFleet } from './served.ts';

/** Larger than what is sent of it. */
const photoFile = () => {
  const canvas = createCanvas(2_400, 1_800);
  const context = canvas.getContext('2d');
  context.fillStyle = '#3a7';
  context.fillRect(0, 0, 2_400, 1_800);
  return { name: 'door.jpg', mimeType: 'image/jpeg', buffer: canvas.toBuffer('image/jpeg') };
};

const sign = async (page: Page): Promise<void> => {
  const pad = page.getByLabel('Signature pad');
  await pad.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await pad.boundingBox())!;
  await page.mouse.move(x + width * 0.2, y + height * 0.5);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.5, y + height * 0.2, { steps: 3 });
  await page.mouse.move(x + width * 0.8, y + height * 0.7, { steps: 3 });
  await page.mouse.up();
};

const press = async (page: Page, role: 'button' | 'link', name: string | RegExp): Promise<void> =>
  await page.getByRole(role, { name, ...(typeof name === 'string' ? { exact: true } : {}) }).click();
const allSent = async (page: Page): Promise<void> => await page.getByText('all sent').waitFor();
const goTo = async (page: Page, place: string): Promise<void> => {
  await page.evaluate(`window.location.hash = '#/${place}'`);
  await page.locator('.back').waitFor();
};
const online = async (page: Page): Promise<void> => {
  await page.context().setOffline(false);
  await page.evaluate(`window.dispatchEvent(new Event('online'))`);
};
const begin = async (page: Page): Promise<void> => {
  const button = page.getByRole('button', { name: 'Start the route' });
  if (await button.isVisible()) await button.click();
  await page.getByRole('link', { name: /^Next/ }).waitFor();
};

interface Recorded {
  readonly type: string;
  readonly stopId: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe.skipIf(!hasBrowser)('the driver’s page', () => {
  const world = servedFleet({ orders: 40 });
  const { open } = browserWorld(() => world.server.url);
  let stops: readonly Stop[] = [];
  let token = '';
  beforeAll(async () => {
    const { routes } = await world.plan();
    expect(routes.map((route) => route.stops.length)).toEqual([40]);
    stops = routes[0]!.stops;
    token = await world.driverToken(routes[0]!.driver);
  });
  const idAt = (at: number): string => stops[at]!.id;
  const nameAt = (at: number): string => stops[at]!.tasks[0]!.customer.name;
  const openRoute = async (more: { dark?: boolean } = {}): Promise<Tab> => {
    const tab = await open(`#${token}`, { base: '/driver', width: 390, ...more });
    await tab.page.getByRole('heading', { name: /stops done/ }).waitFor();
    return tab;
  };
  /** In the order of the device's times. */
  const recorded = async (): Promise<readonly Recorded[]> =>
    (
      await world.database.pool.query<Recorded>(
        `select type, stop_id::text as "stopId", occurred_at::text as at, data from fleet.events order by occurred_at`,
      )
    ).rows;

  it('takes the token out of the address and sends it in none', async () => {
    const tab = await openRoute();
    const { page } = tab;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    expect(page.url()).toBe(`${world.server.url}/driver`);
    // What was kept is shown before the server has been asked.
    await Promise.all([page.waitForResponse((response) => response.url().endsWith('/driver/route')), page.reload()]);
    await page.getByRole('heading', { name: /stops done/ }).waitFor();
    await allSent(page);
    expect(asked.filter((url) => url.includes(token))).toEqual([]);
    expectClean(tab);
  });

  for (const dark of [false, true])
    it(`has no serious violations of accessibility${dark ? ' in the dark' : ''}, and fits 390 pixels`, async () => {
      const tab = await openRoute({ dark });
      const { page } = tab;
      await begin(page);
      const look = async (): Promise<void> => {
        expect(await seriousViolations(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      };
      await look();
      for (const form of ['', '/delivered', '/partly_delivered', '/failed', '/delayed']) {
        await goTo(page, `stop/${idAt(39)}${form}`);
        await look();
      }
      await goTo(page, 'unsent');
      await look();
      expectClean(tab);
    });

  it('a report that was heard although no answer came is sent again, and counts once', async () => {
    const tab = await openRoute();
    const { page } = tab;
    await begin(page);
    await page.evaluate(`{
      const real = window.fetch;
      let isLost = false;
      window.fetch = async (url, ...more) => {
        const answer = await real(url, ...more);
        if (isLost || !String(url).endsWith('/events')) return answer;
        isLost = true;
        throw new TypeError('the answer was lost');
      };
    }`);
    await goTo(page, `stop/${idAt(38)}`);
    await press(page, 'button', 'Arrived');
    await page.getByText('1 not sent yet').waitFor();
    await online(page);
    await allSent(page);
    expect((await recorded()).filter(({ stopId }) => stopId === idAt(38))).toMatchObject([{ type: 'arrived' }]);
    expectClean(tab);
  });

  it('what the server refuses stays with its reason until the driver has seen it, and a wrong clock is put right', async () => {
    const tab = await openRoute();
    const { page } = tab;
    await begin(page);
    await page.evaluate(`{
      const real = Date.now;
      Date.now = () => real() + 600_000;
    }`);
    await goTo(page, `stop/${idAt(37)}`);
    await press(page, 'button', 'On my way');
    await page.getByText('all sent, 1 refused').click();
    await page.getByText('lies in the future').waitFor();
    await page.getByText(`38 ${nameAt(37)}`).waitFor();
    await press(page, 'button', 'Dismiss');
    await page.getByText('The server has all that was reported').waitFor();
    await goTo(page, `stop/${idAt(37)}`);
    await press(page, 'button', 'On my way');
    await page.getByText('On the way').waitFor();
    await allSent(page);
    expect((await recorded()).filter(({ stopId }) => stopId === idAt(37))).toMatchObject([{ type: 'en_route' }]);
    expectClean(tab);
  });

  it('the camera checks the packages of the stop, and no others', async () => {
    const tab = await openRoute();
    const { page } = tab;
    await page.evaluate(`{
      const canvas = document.createElement('canvas');
      setInterval(() => canvas.getContext('2d').fillRect(0, 0, 9, 9), 50);
      navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(10);
      window.BarcodeDetector = class {
        async detect() { return [{ rawValue: window.code }]; }
      };
    }`);
    const [first, second] = [36, 35].map((at) => stops[at]!.tasks[0]!.packages[0]!.trackingNumber);
    await goTo(page, `stop/${idAt(36)}`);
    for (const [code, says] of [
      [second, 'is not a package of this stop'],
      [first, '1 of 2 checked'],
    ] as const) {
      await page.evaluate(`window.code = '${code}'`);
      await press(page, 'button', 'Scan');
      await page.getByText(says).waitFor();
    }
    expect(await page.getByLabel(first!).isChecked()).toBe(true);
    expect(await page.locator('dialog').count()).toBe(0);
    expectClean(tab);
  });

  it('a link that is not valid is said to be, and another driver’s shows nothing of the one before', async () => {
    const tab = await openRoute();
    const { page } = tab;
    await begin(page);
    await page.context().setOffline(true);
    await goTo(page, `stop/${idAt(35)}`);
    await press(page, 'button', 'Arrived');
    await page.getByText('1 not sent yet').waitFor();
    await page.evaluate(`window.location.hash = '#drv_${'x'.repeat(43)}'`);
    await page.getByRole('heading', { name: 'Your route is being fetched' }).waitFor();
    await online(page);
    await page.getByText('This link is no longer valid').waitFor();
    expect(await page.getByText('Example').count()).toBe(0);
    // What the first driver reported is kept, and goes with the first driver's own link.
    await page.evaluate(`window.location.hash = '#${token}'`);
    await page.getByRole('heading', { name: /stops done/ }).waitFor();
    await allSent(page);
    expect((await recorded()).filter(({ stopId }) => stopId === idAt(35))).toMatchObject([{ type: 'arrived' }]);
    // A link that is none takes nobody's route away.
    await page.evaluate(`window.location.hash = '#of-nobody'`);
    await page.getByText('the link that was opened is not valid').waitFor();
    await page.getByRole('heading', { name: /stops done/ }).waitFor();
    expectClean(tab);
  });

  it('what is pressed while the page is drawn anew counts', async () => {
    const tab = await openRoute();
    const { page } = tab;
    await begin(page);
    await goTo(page, `stop/${idAt(34)}`);
    const arrived = page.getByRole('button', { name: 'Arrived' });
    await arrived.hover();
    await page.mouse.down();
    const asked = page.waitForResponse((response) => response.url().endsWith('/driver/route'));
    await online(page);
    await (await asked).finished();
    // What came is kept, and shown, in the same turn as the lock is given back.
    await until('the page has taken it', async () =>
      page.evaluate<boolean>(`navigator.locks.query().then(({ held }) => held.length === 0)`),
    );
    await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`);
    await page.mouse.up();
    await page.getByRole('link', { name: 'Delivered', exact: true }).waitFor();
    await allSent(page);
    expect((await recorded()).filter(({ stopId }) => stopId === idAt(34))).toMatchObject([{ type: 'arrived' }]);
    expectClean(tab);
  });

  it('a day of forty stops is done, a part of it without a network and across a reload', async () => {
    const tab = await openRoute();
    const { page } = tab;
    await begin(page);
    await page.waitForFunction(`caches.match('/driver').then(Boolean)`);
    const partly = stops.findIndex(({ tasks }, at) => at > 18 && tasks[0]!.vas.length > 0);
    const done = async (at: number): Promise<void> =>
      await page.getByRole('heading', { name: `${at} of 40 stops done` }).waitFor();
    for (const [at, { id, tasks }] of stops.entries()) {
      if (at === 11) await page.context().setOffline(true);
      if (at === 14) {
        // Opened anew with no network at all.
        await page.reload();
        await done(14);
        await page.getByText('No connection').waitFor();
        expect((await recorded()).filter(({ stopId }) => stopId === idAt(11))).toEqual([]);
      }
      if (at === 17) {
        await online(page);
        await allSent(page);
      }
      await press(page, 'link', /^Next/);
      const delivered = page.getByRole('link', { name: 'Delivered', exact: true });
      const arrived = page.getByRole('button', { name: 'Arrived' });
      await arrived.or(delivered).waitFor();
      if (await arrived.isVisible()) await arrived.click();
      if (at === 12) {
        await delivered.click();
        await page.getByLabel('Take a photo').setInputFiles([photoFile()]);
        await page.getByAltText('Photo 1').waitFor();
        await sign(page);
        await page.getByLabel('Name of who received it').fill('Bob Example');
        await page.getByLabel('Who that is').selectOption('Neighbour');
      } else if (at === partly) {
        await page.getByLabel('Number of a package').fill(tasks[0]!.packages[1]!.trackingNumber.toLowerCase());
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Packages: 1 of 2 checked' }).waitFor();
        await press(page, 'link', 'Partly');
        await page.getByLabel('INSTALLATION').check();
        await page.getByLabel('Name of who received it').fill('Bob Example');
      } else if (at % 9 === 8) {
        await press(page, 'link', 'Failed');
        await page.getByLabel('Reason').selectOption('NOT_HOME');
      } else {
        await delivered.click();
        await page.getByLabel('Name of who received it').fill('Bob Example');
      }
      expect(page.url()).toContain(`#/stop/${id}/`);
      await press(page, 'button', 'Report');
      await done(at + 1);
    }
    await press(page, 'button', 'Back at the depot, finish');
    await page.getByText('This route is finished').waitFor();
    await allSent(page);
    const events = await recorded();
    const outcomes = events.filter(({ type }) => ['delivered', 'partly_delivered', 'failed'].includes(type));
    expect(outcomes.map(({ stopId }) => stopId)).toEqual(stops.map(({ id }) => id));
    expect(outcomes.filter(({ type, data }) => type === 'failed' && data['reason'] === 'NOT_HOME')).toHaveLength(4);
    expect(events.filter(({ type }) => type === 'returned_to_depot')).not.toEqual([]);
    const item = stops[partly]!.tasks[0]!.packages.map(({ itemReferenceNumber }) => itemReferenceNumber);
    expect(outcomes[partly]).toMatchObject({
      type: 'partly_delivered',
      data: { packages: [item[1]], vas: [{ vasCode: 'INSTALLATION', itemReferenceNumber: item[0], done: true }] },
    });
    expect(outcomes[12]!.data).toMatchObject({ receivedBy: 'Bob Example', relation: 'NEIGHBOUR' });
    const { rows: proofs } = await world.database.pool.query<{ kind: string; type: string; key: string }>(
      `select kind, content_type as type, link_key as key from fleet.proofs where stop_id = ${idAt(12)} order by kind`,
    );
    expect(proofs).toMatchObject([
      { kind: 'photo', type: 'image/jpeg' },
      { kind: 'signature', type: 'image/png' },
    ]);
    const photo = await fetch(`${world.server.url}/fleet/v1/proofs/${proofs[0]!.key}`);
    const image = await photo.arrayBuffer();
    expect([image.byteLength > 1_000, image.byteLength < photoFile().buffer.byteLength]).toEqual([true, true]);
    expectClean(tab);
  });
});
