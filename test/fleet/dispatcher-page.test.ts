/** The dispatcher's page of the console in a real browser, against a real server. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Board, Stop } from '../../console/src/fleet/shapes.ts';
import { browserWorld, expectClean, hasBrowser, seriousViolations, type Tab } from '../console/browser.ts';
import { ADMIN } from '../flow/server.ts';
import { servedFleet } from './served.ts';

const press = async (page: Page, name: string | RegExp): Promise<void> =>
  await page.getByRole('button', { name, ...(typeof name === 'string' ? { exact: true } : {}) }).click();

const all = ({ routes }: Board): readonly Stop[] => routes.flatMap(({ stops }) => stops);

describe.skipIf(!hasBrowser)('the dispatcher’s page', () => {
  const world = servedFleet({ orders: 8 });
  const { open } = browserWorld(() => world.server.url);
  let reader = '';
  beforeAll(async () => {
    // Both need two people for hours at the same time, and there is one crew of two; the third keeps the other driver busy.
    const atTen = {
      destinationPreferredStartTime: `${world.day} 10:00:00`,
      destinationPreferredEndTime: `${world.day} 10:30:00`,
    };
    for (const number of [21, 22])
      await world.send(number, { ...atTen, vas: [{ vasCode: 'TWO_MAN_DELIVERY', serviceTime: 300 }] });
    await world.send(23, { ...atTen, vas: [{ vasCode: 'INSTALLATION', serviceTime: 200 }] });
    reader = String((await world.asAdmin('POST', '/admin/operators/reader/tokens', { role: 'read' })).body['token']);
  });
  const openDay = async (more: { token?: string; dark?: boolean } = {}): Promise<Tab> =>
    await open(`/fleet?day=${world.day}`, { token: ADMIN, ...more });
  const planned = async (): Promise<Board> => {
    const before = await world.board();
    return before.routes.length > 0 ? before : await world.plan();
  };

  it('plans a day, ended early or not, and adopts the plan, says what has no route and why, moves a stop for what was said, and locks it', async () => {
    const tab = await openDay();
    const { page } = tab;
    await page.getByLabel('Seconds').fill('60');
    await press(page, 'Plan the day');
    await press(page, 'Stop here');
    await page.getByRole('button', { name: 'Adopt the plan' }).waitFor();
    await press(page, 'Discard');
    await page.getByLabel('Seconds').fill('1');
    await press(page, 'Plan the day');
    await press(page, 'Adopt the plan');
    await page.getByRole('region', { name: 'Time lines of the routes' }).waitFor();
    const { routes, unassigned, costs } = await world.board();
    expect(routes).toHaveLength(2);
    expect(unassigned).toHaveLength(1);
    const left = page.getByRole('region', { name: 'Without a route' });
    await left.getByText(unassigned[0]!.task.orderNumber, { exact: true }).waitFor();
    expect(await left.textContent()).toContain(unassigned[0]!.why);

    const [from, to] = routes.toSorted((a, b) => b.stops.length - a.stops.length);
    const stop = from!.stops.find(({ tasks }) => tasks[0]!.window === undefined)!;
    const { id: taskId, customer } = stop.tasks[0]!;
    await page
      .getByRole('region', { name: 'Time lines' })
      .getByRole('button', { name: `${customer.name},` })
      .click();
    await press(page, 'Move …');
    await page.getByRole('radio', { name: to!.driver }).check();
    const said = await page.getByText(/^Cost .* → /).textContent();
    // The dialog stays for as long as the board is not what the move has made of it.
    const { promise: shown, resolve: show } = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route('**/fleet/v1/board?*', async (route) => {
      asked.resolve();
      await shown;
      await route.continue();
    });
    await press(page, 'Move');
    await asked.promise;
    expect(await page.getByRole('dialog').isVisible()).toBe(true);
    show();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const moved = await world.board();
    const now = moved.routes.find(({ id }) => id === to!.id)!.stops.find(({ tasks }) => tasks[0]!.id === taskId);
    expect(now).toBeDefined();
    const [before, after] = [costs.cost, moved.costs.cost].map((cost) => cost.toFixed(2));
    expect(said).toContain(`Cost ${before} → ${after}`);

    // It is still the stop that is looked at.
    await press(page, 'Lock');
    await page.getByRole('button', { name: 'Unlock' }).waitFor();
    expect(all(await world.board()).filter(({ locked }) => locked)).toMatchObject([{ tasks: [{ id: taskId }] }]);
    expectClean(tab);
  });

  for (const dark of [false, true])
    it(`has no serious violations of accessibility${dark ? ' in the dark' : ''}`, async () => {
      const board = await planned();
      const tab = await openDay({ dark });
      const { page } = tab;
      const [route] = board.routes;
      await page.getByRole('region', { name: 'Time lines' }).getByRole('button', { name: route!.vehicle }).click();
      await page.getByRole('heading', { name: `Route of ${route!.vehicle}` }).waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      await press(page, 'Reassign …');
      await page.getByRole('dialog').getByLabel('Vehicle').waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      await press(page, 'Close');
      await press(page, 'Resources');
      await page.getByLabel('Resources').selectOption('drivers');
      await page.getByRole('cell', { name: 'Dana Example' }).waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      expectClean(tab);
    });

  it('a manifest is downloaded, a driver’s link is shown as a code, and what breaks down is open again', async () => {
    const [route] = (await planned()).routes;
    const tab = await openDay();
    const { page } = tab;
    await page.getByRole('region', { name: 'Time lines' }).getByRole('button', { name: route!.vehicle }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Manifest' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.pdf$/);
    await press(page, 'Driver’s link …');
    await press(page, 'Make a new link');
    await page.getByAltText(`Code of the link of ${route!.driver}`).waitFor();
    await page.getByText(`${world.server.url}/driver#drv_`).waitFor();
    await press(page, 'Close');
    await press(page, 'Broken down …');
    await page.getByLabel('What happened').fill('A flat tyre');
    await press(page, 'Give the route up');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { routes, unassigned } = await world.board();
    expect(routes.find(({ id }) => id === route!.id)?.state).toBe('broken_down');
    expect(unassigned.length).toBeGreaterThanOrEqual(route!.stops.length);
    expectClean(tab);
  });

  it('takes vehicles as CSV, and says at which place of the file one is wrong', async () => {
    const tab = await openDay();
    const { page } = tab;
    await press(page, 'Resources');
    await page.getByLabel('Resources').selectOption('vehicles');
    const load = async (text: string): Promise<void> =>
      await page
        .getByLabel('Import CSV')
        .setInputFiles([{ name: 'vehicles.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }]);
    await load('code,type,depot,weightKg\nVAN-7,van,BER,heavy\n');
    await page.getByRole('alert').getByText('line 2, column 4').first().waitFor();
    await load('code,type,depot,weightKg\nVAN-7,van,BER,700\n');
    await page.getByRole('cell', { name: 'VAN-7', exact: true }).waitFor();
    expectClean(tab);
  });

  it('who may only read sees the day and can change nothing of it', async () => {
    const [route] = (await planned()).routes;
    const tab = await openDay({ token: reader });
    const { page } = tab;
    await page.getByRole('region', { name: 'Time lines' }).getByRole('button', { name: route!.vehicle }).click();
    await page.getByRole('heading', { name: `Route of ${route!.vehicle}` }).waitFor();
    for (const name of ['Plan the day', 'Reassign …', 'Broken down …', 'Driver’s link …'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    expectClean(tab);
  });
});
