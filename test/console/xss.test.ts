/** No text that an order, a carrier's answer, a push or a profile can bring is ever run. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { orderFor } from '../../simulator/demo/order.ts';
import { plain } from '../flow/world.ts';
import { isMap } from '../../src/engine/value.ts';
import { until } from '../support/until.ts';
import { expectClean, go, hasBrowser, settle, visit } from './browser.ts';
import { PAYLOADS } from './payloads.ts';
import { consoleWorld, placesOf, rowsOf, statusOf } from './world.ts';

const yaml = (text: string): string => JSON.stringify(text);

/** Templates are no plain text of a profile: it would not load. */
const PLAIN = PAYLOADS.filter((text) => !text.includes('${'));

/** All that a profile says in words of its own. */
const PROFILE = `capabilities: { maxPackages: 20 }
services:
${PLAIN.map((text, at) => `  ${yaml(`${at} ${text}`)}: { typeOfService: STANDARD, code: ${yaml(text)} }`).join('\n')}
  Express: { typeOfService: EXPRESS }
  Standard: { typeOfService: STANDARD }
settings:
${PLAIN.map((text, at) => `  s${at}: { optional: true, title: ${yaml(text)}, example: ${yaml(text)} }`).join('\n')}
statuses:
  table:
${PLAIN.map((text, at) => `    ${yaml(`${at}${text.replaceAll('/', String.raw`\/`).replaceAll('*', '')}`)}: In Transit`).join('\n')}
    PICKED_UP: Order Picked Up
`;
const EVIL = `carrier: evil
name: ${yaml(PLAIN.join(' '))}
environments: { production: { url: 'https://evil.example' } }
`;

type Path = readonly (string | number)[];

/** Where an order has text. */
const textsIn = (value: unknown, at: Path = []): readonly Path[] => {
  if (typeof value === 'string') return [at];
  if (Array.isArray(value)) return value.flatMap((one, index) => textsIn(one, [...at, index]));
  return isMap(value) ? Object.entries(value).flatMap(([name, one]) => textsIn(one, [...at, name])) : [];
};

const withText = (order: unknown, [name, ...rest]: Path, text: unknown): unknown => {
  if (name === undefined) return text;
  if (Array.isArray(order)) return order.map((one: unknown, at) => (at === name ? withText(one, rest, text) : one));
  return { ...(order as object), [name]: withText((order as Record<string | number, unknown>)[name], rest, text) };
};

const inGroups = <One>(all: readonly One[], size: number): readonly (readonly One[])[] => [
  ...Map.groupBy(all, (_, at) => Math.floor(at / size)).values(),
];
/** Two of them in a text, which most fields take as a whole. */
const GROUPS = inGroups(PAYLOADS, 2).map((group) => group.join(' '));
/** How long texts may be. */
const LENGTHS = [190, 90, 45];

const baseOrder = (reference: string): Record<string, unknown> => ({
  ...orderFor(plain, reference, 1),
  returnTo: (orderFor(plain, reference, 1) as { shipFrom: object }).shipFrom,
});

const openAll = async (page: Page): Promise<void> => {
  await page.evaluate(`for (const one of document.querySelectorAll('main details')) one.open = true`);
};
const expectHarmless = async (page: Page, place: string): Promise<void> => {
  expect([place, await page.evaluate('window.ran')]).toEqual([place, undefined]);
  const foreign = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('#root script, #root object, #root embed, #root marquee, #root base, #root style, ' +
      '#root [onerror], #root [onload], #root [onfocus], a[href^="javascript:" i]')].map((one) => one.outerHTML)`,
  );
  expect([place, foreign]).toEqual([place, []]);
};

describe.skipIf(!hasBrowser)('texts of others', () => {
  const { world, tokens, open, idOf, carrier } = consoleWorld(PROFILE, { evil: EVIL });
  const references: string[] = [];
  let reached = 0;

  const send = async (order: unknown): Promise<number> =>
    (await world.asShop('POST', '/v2/consignments', order, { prefer: 'respond-async' })).status;

  beforeAll(async () => {
    // Every text that an order may have: what is bound to a format refuses anything else.
    const longest = async (at: Path, index: number): Promise<number | undefined> => {
      for (const length of LENGTHS) {
        const text = (PAYLOADS[0] ?? '').padEnd(length, 'x');
        if ((await send(withText(baseOrder(`FIELD-${index}-${length}`), at, text))) === 200) return length;
      }
      return undefined;
    };
    const all = textsIn(baseOrder('FIELD'));
    const lengths = await Promise.all(all.map(longest));
    const fields = all.flatMap((at, index) => {
      const length = lengths[index];
      return length === undefined || at.at(-1) === 'referenceNumber' || at.at(-1) === 'id' ? [] : [{ at, length }];
    });
    reached = fields.length;
    carrier().refuseWith(PAYLOADS);
    for (const [index, text] of GROUPS.entries()) {
      const reference = `${index % 4 === 0 ? 'NO' : 'EVIL'}-${index}`;
      // Numbers are unique.
      const written = (length: number): string => `${index} ${text}`.slice(0, length);
      const order = fields.reduce(
        (made: unknown, { at, length }) => withText(made, at, written(length)),
        baseOrder(reference),
      );
      expect([reference, await send(order)]).toEqual([reference, 200]);
      references.push(reference);
    }
    for (const [index, group] of inGroups(PAYLOADS, 20).entries()) {
      const order = orderFor(plain, `PACKAGES-${index}`, group.length);
      const { packageDetails } = order['consignmentDetails'] as { packageDetails: readonly object[] };
      const packages = packageDetails.map((one, at) => ({
        ...one,
        type: group[at]?.slice(0, 50),
        description: group[at],
      }));
      const made = withText(order, ['consignmentDetails', 'packageDetails'], packages);
      expect([index, await send(made)]).toEqual([index, 200]);
      references.push(`PACKAGES-${index}`);
    }
    const { body } = await world.asAdmin('POST', '/admin/carriers/plain/tokens', {});
    const asCarrier = world.as(() => String(body['token']));
    const updates = PAYLOADS.map((text, at) => ({
      ...statusOf('GOOD-1', `${text} ${at}`),
      carrierStatusDescription: text,
      carrierSubStatusCode: text,
      carrierSubStatusDescription: text,
      location: { city: text, address: text },
      driverName: text,
      vehicleNumber: text,
      extraInfo: { [text]: text },
      info: { note: text },
    }));
    const unmatched = PAYLOADS.map((text) => ({ ...statusOf('NOBODY', 'IN_TRANSIT'), value: text }));
    for (const list of [updates, unmatched])
      for (let at = 0; at < list.length; at += 20)
        await asCarrier('POST', '/v2/carriers/plain/statuses', list.slice(at, at + 20));
    for (const [at, text] of PAYLOADS.entries())
      await world.asAdmin('POST', '/admin/shippers', { code: `evil${at}`, name: text, details: { name: text } });
    await world.asShop('POST', '/v2/webhooks', {
      url: `${carrier().url}/receiver?x=${encodeURIComponent(PAYLOADS.join(''))}`.slice(0, 1_900),
      orderTypes: ['REVERSE'],
      headers: { 'X-Evil': '<script>window.ran=1</script>' },
    });
    const last = references.at(-1) ?? '';
    await until(`${last} has come to an end`, async () => {
      const [record] = rowsOf(await world.read(last));
      return record !== undefined && record.acceptance !== 'pending';
    });
    await until('all pushes were read', async () => {
      const { rows } = await world.database.pool.query(`select 1 from pushes where state = 'pending' limit 1`);
      return rows.length === 0;
    });
  }, 240_000);

  it('there are many, and they reach many texts of an order', () => {
    expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(60);
    expect(reached).toBeGreaterThanOrEqual(25);
  });

  it('run on no page', async () => {
    const tab = await open('', { token: tokens.administer });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const ids = await Promise.all(['GOOD-1', ...references].map(async (one) => await idOf(one)));
    const stories = ids.map((id) => `/consignments/${id}`);
    for (const place of [...placesOf(ids[0]), ...stories]) {
      await go(page, place);
      await openAll(page);
      await expectHarmless(page, place);
    }
    await visit(page, `/consignments/${ids[0]}`);
    await page
      .getByText(PAYLOADS[0] ?? '')
      .first()
      .waitFor({ state: 'attached' });
    expectClean(tab);
  });

  it('run in no explanation, push, delivery, account form or mapping of a status', async () => {
    const tab = await open('', { token: tokens.administer });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const { rows } = await world.database.pool.query<{ id: string; dispatch: string }>(
      `select c.id, d.id as dispatch from consignments c join dispatches d on d.consignment_id = c.id
       where reference_number like 'EVIL-%' or reference_number like 'NO-%' order by c.id limit 8`,
    );
    const explained = rows.map(({ id, dispatch }) => `/consignments/${id}?explain=${dispatch}`);
    const { rows: deliveries } = await world.database.pool.query<{ id: string }>(
      'select id from deliveries order by id desc limit 3',
    );
    for (const place of [
      ...explained,
      ...deliveries.map(({ id }) => `/webhooks?delivery=${id}`),
      '/inboxes/unmatched?push=2',
    ]) {
      await visit(page, place);
      await page.getByRole('dialog').waitFor();
      await settle(page);
      await expectHarmless(page, place);
    }
    await visit(page, '/carriers/plain/accounts');
    await page.getByRole('button', { name: 'New account …' }).click();
    await page.getByRole('dialog').waitFor();
    await expectHarmless(page, 'the account form');
    await visit(page, '/inboxes/unmapped');
    await page.locator('tbody button').first().click();
    await page.getByLabel('Normalised status').selectOption('In Transit');
    await page.getByLabel('change of the profile', { exact: true }).waitFor();
    await expectHarmless(page, 'the mapping of a status');
    expectClean(tab);
  });

  it('run from no address of the console', async () => {
    const tab = await open('', { token: tokens.read });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    for (const text of PAYLOADS) {
      const encoded = encodeURIComponent(text);
      await page.evaluate(
        `history.pushState({}, '', ${JSON.stringify(`/console/consignments?number=${encoded}&shipper=${encoded}`)})`,
      );
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(`/console/carriers/${encoded}/${encoded}`)})`);
      await page.evaluate(
        `history.pushState({}, '', ${JSON.stringify(`/console/inboxes/${encoded}?carrier=${encoded}#${encoded}`)})`,
      );
    }
    for (const text of PAYLOADS.slice(0, 8)) {
      await page.goto(`/console/consignments?number=${encodeURIComponent(text)}#${encodeURIComponent(text)}`);
      await settle(page);
    }
    await expectHarmless(page, 'addresses');
    expectClean(tab);
  });
});
