/** A server with something of all that the console shows, and a browser. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { orderFor } from '../../simulator/demo/order.ts';
import { ADMIN, minimalProfile } from '../flow/server.ts';
import { flowWorld, plain } from '../flow/world.ts';
import { until } from '../support/until.ts';
import { browserWorld } from './browser.ts';
import { type ConsoleCarrier, startConsoleCarrier } from './carrier.ts';

interface Row {
  readonly id: number;
  readonly acceptance: string;
  readonly attempts: number;
  readonly state: string;
}
export const rowsOf = ({ body }: { readonly body: object }): readonly Row[] => (body as { data: readonly Row[] }).data;

const ACCEPTED = ['GOOD-1', 'GOOD-2-ZPL', 'GOOD-3-PNG'];
const LOST = ['LOST-1', 'LOST-2'];

export const statusOf = (reference: string, code: string, more: object = {}) => ({
  type: 'Tracking',
  value: `T-${reference}-PKG-1`,
  carrierStatusCode: code,
  carrierStatusDescription: code,
  statusReceivedAt: '2026-05-01 10:00:00',
  eventTimezone: 'Europe/Berlin',
  ...more,
});

/** `profile`: appended to the minimal one; `others`: more profiles, by their codes. */
export const consoleWorld = (profile = '', others: Readonly<Record<string, string>> = {}) => {
  let carrier: ConsoleCarrier | undefined;
  // What gets lost is soon given up.
  const profileOf = (url: string): string => `${minimalProfile(url)}retry: { attempts: 2, wait: 100ms }\n${profile}`;
  const world = flowWorld({
    profiles: async () => {
      carrier = await startConsoleCarrier();
      return { ...others, plain: profileOf(carrier.url) };
    },
  });
  const tokens: Record<'read' | 'operate' | 'administer', string> = { read: '', operate: '', administer: ADMIN };
  const browser = browserWorld(() => world.server.url);
  const create = async (reference: string): Promise<void> => {
    await world.asShop('POST', '/v2/consignments', orderFor(plain, reference, 1), { prefer: 'respond-async' });
  };
  const settled = async (reference: string): Promise<void> =>
    await until(`${reference} has come to an end`, async () => {
      const [record] = rowsOf(await world.read(reference));
      return record !== undefined && record.acceptance !== 'pending';
    });
  const idOf = async (number: string): Promise<number | undefined> =>
    rowsOf(await world.asAdmin('GET', `/admin/consignments?number=${encodeURIComponent(number)}`))[0]?.id;

  beforeAll(async () => {
    await world.asShop('POST', '/v2/webhooks', { url: `${carrier!.url}/receiver/shop`, orderTypes: ['FORWARD'] });
    const references = [...ACCEPTED, ...LOST, 'NO-1'];
    for (const reference of references) await create(reference);
    for (const reference of references) await settled(reference);
    await world.push(statusOf('GOOD-1', 'PICKED_UP'));
    await world.push(statusOf('GOOD-1', 'OUT_FOR_DELIVERY', { statusReceivedAt: '2026-05-02 08:00:00' }));
    await world.push(statusOf('GOOD-1', 'WITH_NEIGHBOUR', { statusReceivedAt: '2026-05-02 09:00:00' }));
    await world.push(statusOf('NOBODY-1', 'IN_TRANSIT'));
    // A second version of the profile.
    const file = path.join(world.home, 'carriers', 'plain.yaml');
    await writeFile(file, `${profileOf(carrier!.url)}limits: { timeout: 20s }\n`);
    await world.asAdmin('POST', '/admin/reload');
    for (const role of ['read', 'operate'] as const) {
      const issued = await world.asAdmin('POST', `/admin/operators/${role}er/tokens`, { role });
      tokens[role] = String(issued.body['token']);
    }
    await until('the pushes were read', async () => {
      const { body } = await world.asAdmin('GET', '/admin/statuses/unmapped');
      return (body as unknown as { data: readonly unknown[] }).data.length > 0;
    });
  });
  afterAll(async () => await carrier?.close());
  return { world, tokens, open: browser.open, create, settled, idOf, carrier: () => carrier! };
};

/** Every page, with one of each kind of thing on it. */
export const placesOf = (consignment: number | undefined): readonly string[] => [
  '',
  '/consignments',
  `/consignments/${consignment}`,
  '/inboxes/held',
  '/inboxes/unmatched',
  '/inboxes/unmapped',
  '/inboxes/labels',
  '/inboxes/waiting',
  '/inboxes/logins',
  '/webhooks',
  '/carriers',
  '/carriers/plain',
  '/carriers/plain/operations',
  '/carriers/plain/statuses',
  '/carriers/plain/accounts',
  '/carriers/plain/tokens',
  '/carriers/plain/versions',
  '/onboarding?shipper=shop&carrier=plain',
  '/people',
  '/settings',
];
