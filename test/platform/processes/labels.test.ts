import { afterEach, expect, test } from 'vitest';
import { NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import { createConcurrencyLimiter } from '../../../src/engine/dispatch/limits.ts';
import { fetchOnDemand, type Fetching } from '../../../src/engine/labels/fetch.ts';
import { createFetching, createLabelPump } from '../../../src/platform/processes/labels.ts';
import { createAlert } from '../../../src/platform/records/alert.ts';
import { createLabels } from '../../../src/platform/records/labels.ts';
import { newLabel, PDF } from '../../engine/labels/labels.ts';
import { closeServers, openTransport, startHttp } from '../../engine/transport/servers.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog, recordingLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';
import { carrier } from '../records/dispatch-world.ts';
import { newConsignment, ownerOfEachTest } from '../records/world.ts';

const database = freshDatabase();
const owner = ownerOfEachTest(database);
afterEach(closeServers);
const nobody = () => Promise.reject(new Error('nobody should ask'));

test('labels are fetched by the pump: those of one carrier in their turn, a placeholder when it is due again', async () => {
  let asked = 0;
  const { url } = await startHttp((_request, response) => {
    asked += 1;
    // The first is not there yet.
    response.writeHead(asked === 1 ? 404 : 200).end(asked === 1 ? '' : PDF);
  });
  const consignmentId = await newConsignment(database.pool, owner, { packages: 40 });
  for (let position = 0; position < 40; position += 1)
    await newLabel(database.pool, consignmentId, { position, sourceUrl: url, dueAtMs: Date.now() });
  const labels = createLabels({
    pool: database.pool,
    nowMs: Date.now,
    publicUrl: 'https://waybill.example.com',
    factsOf: () => NO_FACTS,
  });
  const fetching: Fetching = {
    labels,
    limiter: createConcurrencyLimiter(2, () => performance.now(), Math.random),
    send: openTransport().send,
    nowMs: Date.now,
    random: () => 0,
    retryOf: async () => await Promise.resolve({ waitMs: 20, maxMs: 20, untilMs: 60_000 }),
    authHeaders: async () => await Promise.resolve({}),
    runLabelOperation: nobody,
  };
  const pump = createLabelPump(labels, fetching, { log: quietLog, closeLimitMs: 1_000 });
  pump.start();
  const stored = `select count(*) from labels where state = 'stored'`;
  await until('all are stored', async () => (await database.values<number>(stored))[0] === 40);
  await pump.close();
  expect(asked).toBe(41);
  expect(await database.values('select tries from labels where tries > 1')).toEqual([2]);
});

test('a label that fails is in the log, with the reason', async () => {
  const consignmentId = await newConsignment(database.pool, owner);
  const id = await newLabel(database.pool, consignmentId, { sourceUrl: 'no URL', dueAtMs: Date.now() });
  const log = recordingLog();
  const labels = createLabels({
    pool: database.pool,
    nowMs: Date.now,
    publicUrl: 'https://waybill.example.com',
    factsOf: () => NO_FACTS,
  });
  const fetching = createFetching({
    alert: createAlert(log),
    labels,
    limiter: createConcurrencyLimiter(2, () => performance.now(), Math.random),
    ports: { send: openTransport().send, nowMs: Date.now, random: () => 0 } as never,
    carrierOf: () => carrier,
    accountOf: nobody,
    inputsOf: nobody,
    noteExchange: () => nobody,
    takeFromSequence: () => nobody,
  });
  expect(await fetchOnDemand(id, fetching)).toBe('failed');
  const fields = { label: id, consignment: consignmentId, carrier: 'acme', code: 'url_invalid' };
  expect(log.lines).toMatchObject([{ level: 'warn', message: 'a label has failed', fields }]);
});
