import { afterEach, it } from 'vitest';
import { startPolling } from '../../../src/platform/processes/tracking.ts';
import type { Tracking } from '../../../src/platform/processes/tracking.ts';
import type { WireOutcome } from '../../../src/engine/transport/wire.ts';
import { answer, carrierOf, createWorld } from '../../engine/dispatch/world.ts';
import { statusWorld } from '../records/status-world.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';

const database = freshDatabase();
const world = statusWorld(() => database.pool);
let end = async (): Promise<void> => {};
afterEach(async () => await end());

const carrierNamed = (code: string) =>
  carrierOf(`carrier: ${code}
name: Example
environments: { production: { url: 'https://${code}.example' } }
operations:
  create: { post: /orders, result: { itemsTrackDetails: { trackingNumber: T1 } } }
  track: { get: '/events/\${item.trackingNumber}', result: '[response.body.events]' }
statuses: { poll: { every: 2h, until: 30d }, table: { DLV: Order Delivered } }
`);

it('a carrier that hangs keeps nobody from being asked about packages of others', async () => {
  const carriers = new Map(['hanging', 'well'].map((code) => [code, carrierNamed(code)]));
  const { promise: hangs, resolve: answers } = Promise.withResolvers<WireOutcome>();
  const asked: string[] = [];
  const { ports } = createWorld(carrierNamed('well'), []);
  const tracking: Tracking = {
    ports: {
      ...ports,
      nowMs: Date.now,
      send: async ({ url }) => {
        asked.push(new URL(url).pathname);
        return url.startsWith('https://hanging.') ? await hangs : answer(200, { events: [] });
      },
    },
    log: quietLog,
    carrierOf: (code) => carriers.get(code),
    accountOf: (id) => Promise.resolve({ id, version: 1, credentials: {}, settings: {} }),
    inputsOf: () => Promise.resolve({}),
    noteExchange: () => () => Promise.resolve(),
    takeFromSequence: () => () => Promise.resolve('1'),
    recordEvents: () => Promise.resolve(),
  };
  const due = async (carrierCode: string, reference: string): Promise<void> => {
    const accountId = await world.account(carrierCode);
    const id = await world.consignmentWith({ reference, carrierCode, accountId, trackingNumbers: [`T-${reference}`] });
    await database.pool.query('update packages set poll_at = now() where consignment_id = $1', [id]);
  };
  await due('hanging', 'H1');
  const poller = startPolling(database.pool, tracking);
  end = async () => {
    answers(answer(200, { events: [] }));
    await poller.close();
  };
  await until('the one that hangs is asked', () => asked.includes('/events/T-H1'));
  await due('well', 'W1');
  await until('the other is asked meanwhile', () => asked.includes('/events/T-W1'), 5_000);
});
