/** What holds of every page: accessible, as wide as the window, with no control that is refused, quick, from one origin. */
import path from 'node:path';
import { globSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ROLES } from '../../src/platform/records/tokens.ts';
import { PROJECT } from '../support/project.ts';
import { until } from '../support/until.ts';
import { expectClean, go, hasBrowser, seriousViolations, visit, takePicture } from './browser.ts';
import { consoleWorld, placesOf } from './world.ts';

/** Controls that change nothing at the server. */
const HARMLESS =
  /^(?:Copy|Copied|Show|Hide|Close|Cancel|Clear|Select all|Show more|Where from\?|All subscriptions|Check$|Download|\d+$|\d+ .* · |[A-Z_]+$)/;

/** Of every other control, the route that it calls. */
const CONTROLS: readonly (readonly [name: RegExp, route: string])[] = [
  [/^Retry/, 'POST /admin/dispatches/retry'],
  [/^Resolve \d/, 'POST /admin/dispatches/resolve'],
  [/^Resolve …/, 'POST /admin/dispatches/{id}/resolve'],
  [/^Cancel consignment/, 'POST /admin/consignments/cancel'],
  [/^Send now/, 'POST /admin/dispatches/{id}/send'],
  [/^Fetch again/, 'POST /admin/labels/{id}/retry'],
  [/^Redeliver …/, 'POST /admin/webhooks/deliveries/{id}/redeliver'],
  [/^Redeliver all/, 'POST /admin/webhooks/redeliveries'],
  [/^Match again/, 'POST /admin/pushes/rematch'],
  [/^Read again/, 'POST /admin/pushes/renormalise'],
  [/^Reload profiles and/, 'POST /admin/pushes/renormalise'],
  [/^Reload profiles$/, 'POST /admin/reload'],
  [/^Send test event/, 'POST /admin/webhooks/{id}/test'],
  [/^Pause/, 'POST /admin/webhooks/{id}/pause'],
  [/^Resume …/, 'POST /admin/webhooks/{id}/resume'],
  [/^Stop calls/, 'POST /admin/breakers/{carrierCode}/open'],
  [/^Resume calls/, 'POST /admin/breakers/{carrierCode}/close'],
  [/^New account/, 'PUT /admin/accounts'],
  [/^Edit/, 'PUT /admin/accounts'],
  [/^Check credentials/, 'POST /admin/accounts/{id}/check'],
  [/^Issue token/, 'POST /admin/carriers/{carrierCode}/tokens'],
  [/^New operator/, 'POST /admin/operators/{name}/tokens'],
  [/^New shipper/, 'POST /admin/shippers'],
  [/^Disable/, 'POST /admin/shippers/{code}/disable'],
  [/^Enable/, 'POST /admin/shippers/{code}/enable'],
  [/^Revoke/, 'DELETE /admin/tokens/{id}'],
  [/^End/, 'DELETE /admin/sessions/{id}'],
];

const WIDTHS = [390, 1280, 2560];
const SCHEMES = ['light', 'dark'] as const;
/** Pages of which `docs/console.md` has pictures. */
const PICTURED =
  /^(?:overview|consignments|consignments-one|inboxes-held|inboxes-unmapped|webhooks|carriers-plain|carriers-plain-operations|onboarding|people|settings)$/;
const PICTURED_DARK = /^(?:overview|consignments-one)$/;

const openAll = async (page: Page): Promise<void> => {
  for (const summary of await page.locator('main summary').all()) await summary.click();
};

const picture = async (page: Page, place: string, width: number): Promise<void> => {
  const name = place.replace(/\?.*/, '').replace(/\d+$/, 'one').replaceAll('/', '-').slice(1) || 'overview';
  if (!PICTURED.test(name)) return;
  await takePicture(page, name);
  if (width === 1280 && PICTURED_DARK.test(name)) await takePicture(page, name, { dark: true });
};

describe.skipIf(!hasBrowser)('every page of the console', () => {
  const { world, tokens, open, idOf } = consoleWorld();
  const places = async (): Promise<readonly string[]> => placesOf(await idOf('GOOD-1'));

  it('has no serious violation that axe finds, light or dark, and fits windows of 390, 1280 and 2560 px', async () => {
    const tab = await open('', { token: tokens.administer });
    const { page } = tab;
    const expectAccessible = async (place: string): Promise<void> => {
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        expect([place, colorScheme, await seriousViolations(page)]).toEqual([place, colorScheme, []]);
      }
    };
    for (const place of [...(await places()), `/consignments/${await idOf('LOST-1')}`, '/nowhere']) {
      await go(page, place);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        expect([place, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([place, width]);
        await picture(page, place, width);
      }
      await page.setViewportSize({ width: 1280, height: 900 });
      await openAll(page);
      await expectAccessible(place);
    }
    const explained = `/consignments/${await idOf('GOOD-1')}?explain=1`;
    for (const [place, name] of [
      [explained, 'Close'],
      ['/webhooks?delivery=1', 'Close'],
      ['/people', 'New shipper …'],
    ] as const) {
      await visit(page, place);
      if (name !== 'Close') await page.getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor();
      await expectAccessible(place);
    }
    expectClean(tab);
  });

  it.each(ROLES)('shows no control whose route would refuse the role %s', async (role) => {
    const openapi = (await (await fetch(`${world.server.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { security: readonly { admin?: readonly string[] }[] }>>;
    };
    const roleOf = (route: string): string => {
      const [method = '', url = ''] = route.split(' ');
      return openapi.paths[url]?.[method.toLowerCase()]?.security[0]?.admin?.[0] ?? `no route ${route}`;
    };
    const tab = await open('', { token: tokens[role] });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const seen = new Set<string>();
    for (const place of [...(await places()), `/consignments/${await idOf('LOST-1')}`]) {
      await go(page, place);
      for (const name of await page.locator('main').getByRole('button').allTextContents()) seen.add(name.trim());
    }
    const refused = [...seen].flatMap((name) => {
      if (HARMLESS.test(name)) return [];
      const route = CONTROLS.find(([pattern]) => pattern.test(name))?.[1];
      if (route === undefined) return [`${name}: of no known route`];
      const needed = ROLES.indexOf(roleOf(route) as (typeof ROLES)[number]);
      return needed !== -1 && needed <= ROLES.indexOf(role) ? [] : [`${name}: ${route} takes ${roleOf(route)}`];
    });
    expect(refused).toEqual([]);
    const controls = [...seen].filter((name) => CONTROLS.some(([pattern]) => pattern.test(name)));
    if (role === 'read') expect(controls).toEqual([]);
    else expect(controls.length).toBeGreaterThan(role === 'operate' ? 8 : 14);
    const status = await page.evaluate<number>(
      `fetch('/admin/session').then((r) => r.json()).then(({ csrfToken }) =>
        fetch('/admin/tokens/none', { method: 'DELETE', headers: { 'X-CSRF-Token': csrfToken } })).then((r) => r.status)`,
    );
    expect(status).toBe(role === 'administer' ? 404 : 403);
    expectClean(tab);
  });

  it('paints within a second, from a first page of at most 400 KB', async () => {
    const { page } = await open('', { token: tokens.read });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const paint = async (): Promise<number> => {
      await visit(page, '');
      const paintedMs = async () =>
        await page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`);
      await until('the paint is noted', async () => (await paintedMs()) > 0);
      return await paintedMs();
    };
    const paints = [await paint(), await paint(), await paint()].toSorted((one, other) => one - other);
    expect(paints[1]).toBeLessThan(1_000);
    const dist = path.join(PROJECT, 'console/dist/console');
    const html = readFileSync(path.join(dist, 'index.html'), 'utf8');
    const first = globSync('assets/*', { cwd: dist }).filter((file) => html.includes(file));
    const bytes = first.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(dist, file))).byteLength, 0);
    expect(first.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThan(400_000);
  });
});
