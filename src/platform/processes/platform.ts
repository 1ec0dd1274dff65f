/** The composition root: opens the parts of a process and passes each its dependencies. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { yieldTurn } from '../api/admission.ts';
import { Failure } from '../../engine/failure.ts';
import { createSealer } from '../records/sealer.ts';
import { findService } from '../../engine/consignment/service.ts';
import { factsOf } from '../../engine/dispatch/effects.ts';
import { createConcurrencyLimiter } from '../../engine/dispatch/limits.ts';
import { drawCustoms } from '../../engine/labels/customs.ts';
import { fetchOnDemand } from '../../engine/labels/fetch.ts';
import { takeTurns } from '../../engine/large.ts';
import { createServeLabel } from '../../engine/labels/serve.ts';
import { openPostgresTexts } from '../limits/postgres-texts.ts';
import { openRedisTexts } from '../limits/redis-texts.ts';
import { startLimitSharing } from '../limits/sharing.ts';
import { openDispatchQueue } from '../queue/dispatch-queue.ts';
import { redisAt } from '../queue/redis.ts';
import { findUsableAccount } from '../records/accounts.ts';
import { openCache } from '../records/cache.ts';
import { createCarrierTokens } from '../records/carrier-tokens.ts';
import { canonicalOf, findConsignmentById, orderOf, shipmentOf } from '../records/consignments.ts';
import { recordExchange } from '../records/exchanges.ts';
import { createIntake } from '../records/process-push.ts';
import { createLabels, findLabel } from '../records/labels.ts';
import { listen } from '../records/listener.ts';
import type { Log } from '../records/pool.ts';
import { takeFromSequences } from '../records/sequences.ts';
import { createTransport, createTransports, type Transport, USER_AGENT } from '../../engine/transport/transport.ts';
import { PAUSE_AFTER_MS } from '../../engine/webhooks/delivery.ts';
import { createAlert } from '../records/alert.ts';
import { createTestCarrier, TEST_CARRIER_ORIGIN } from '../test-carrier/endpoint.ts';
import { openAlertWebhook } from './alert-webhook.ts';
import type { CarrierCalls } from './carrier-calls.ts';
import { openCarriers } from './carriers.ts';
import { createDeliveryPump } from './deliveries.ts';
import type { Config } from './config.ts';
import { createDispatching } from './dispatching.ts';
import { createDownload, createFetching, createLabelPump, fontsOf } from './labels.ts';
import { createMetrics } from './metrics.ts';
import { eventsOf } from './pushed-events.ts';
import { explained, getInstallation, openRecords, stateFolder } from './records.ts';
import { checkKeys, ownSecrets } from './secrets.ts';
import { openTraces } from './traces.ts';
import { openWaiters } from './waiters.ts';

/** What API and workers share. */
export type Platform = Awaited<ReturnType<typeof openPlatform>>;

interface PlatformOptions {
  readonly config: Config;
  readonly log: Log;
  /** Known only when the API listens, where the port was left open. */
  readonly publicUrl: string;
  readonly nowMs?: (() => number) | undefined;
}

/** Of the time to stop: for what comes before the workers and after them. By default 31 s are left to carriers. */
const BESIDE_WORKERS_MS = 7_000;

/** Fetched at a time, for jobs and for those who ask: a quarter of what the workers take. */
const LABELS_OF_ONE_CARRIER = 8;

/** For pauses and lines: a clock that is set back an hour must not make them an hour longer. */
export const uptimeMs = (): number => performance.now();

export const openPlatform = async ({ config, log, publicUrl, nowMs = Date.now }: PlatformOptions) => {
  takeTurns();
  const opened: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.toReversed()) await close();
  };
  try {
    const secrets = await ownSecrets(config, stateFolder(config));
    const sealer = createSealer(secrets.secretKey, config.oldSecretKeys, config.lostSecretKeys);
    const records = await openRecords(config, log);
    opened.push(records.close);
    const { pool, listenUrl } = records;
    const listener = await listen({ databaseUrl: listenUrl, log });
    opened.push(listener.close);
    await openCache(pool, listener);
    await checkKeys(pool, sealer, config);
    const closeLimitMs = Math.max(0, config.stopLimitMs - config.stopDelayMs - BESIDE_WORKERS_MS);
    const traces = await openTraces(config);
    if (traces !== undefined) opened.push(traces.close);
    const alertWebhook = alertWebhookOf(config, log, nowMs);
    if (alertWebhook !== undefined) opened.push(alertWebhook.close);
    const alert = createAlert(log, alertWebhook?.alert);
    const prefix = `waybill-${await getInstallation(pool)}`;
    const { redisUrl } = config;
    const limits = startLimitSharing({
      texts:
        redisUrl === undefined
          ? openPostgresTexts(records, log)
          : openRedisTexts(
              redisAt(redisUrl, () => undefined),
              prefix,
            ),
      process: randomUUID(),
      log,
      alert,
      nowMs: uptimeMs,
      random: Math.random,
    });
    opened.push(limits.close);
    const queue = redisUrl === undefined ? undefined : await openDispatchQueue({ redisUrl, prefix, log, closeLimitMs });
    if (queue !== undefined) opened.push(queue.close);
    const waiters = await openWaiters(pool, listener, log, nowMs);
    opened.push(waiters.close);
    const transports = createTransports(
      { allowPrivateNetworks: config.allowPrivateNetworks, userAgent: USER_AGENT },
      config.privateNetworks,
    );
    opened.push(() => Promise.resolve(transports.close()));
    /** By the origins of their URLs: what answers in this process. */
    const endpoints = new Map<string, Transport['send']>([[TEST_CARRIER_ORIGIN, createTestCarrier(nowMs)]]);
    const carriers = await openCarriers(config.home, { pool, listener }, log, alert);
    const factsOfCode = (code: string) => factsOf(carriers.find(code));
    const fontFolder = path.join(config.home, 'fonts');
    /** For what talks to carriers. */
    const calls: CarrierCalls = {
      ports: {
        tokens: createCarrierTokens(pool, sealer, nowMs, alert),
        carrierLimits: limits,
        send: async (request, limits, carrier) =>
          await (endpoints.get(originOf(request.url)) ?? transports.of(carrier).send)(request, limits),
        nowMs,
        random: Math.random,
        drawCustoms: async (kind, declared) => drawCustoms(kind, { ...declared, fonts: await fontsOf(fontFolder) }),
      },
      carrierOf: carriers.find,
      accountOf: async (id) => await findUsableAccount(pool, sealer, id),
      inputsOf: async (consignmentId) => {
        const record = await findConsignmentById(pool, consignmentId);
        if (record === undefined) throw new Failure('the consignment is gone', { code: 'consignment_missing' });
        const carrier = carriers.find(record.carrierCode);
        const service = carrier && findService(carrier, orderOf(record));
        return { consignment: canonicalOf(record), service, shipment: shipmentOf(record) };
      },
      takeFromSequence: takeFromSequences(pool),
      noteExchange: (context) => async (exchange) => await recordExchange(pool, context, exchange),
    };
    const labels = createLabels({ pool, nowMs, publicUrl, factsOf: factsOfCode });
    const fetching = createFetching({
      ...calls,
      alert,
      labels,
      fontFolder,
      limiter: createConcurrencyLimiter(LABELS_OF_ONE_CARRIER, uptimeMs, Math.random),
    });
    const metrics = createMetrics(pool);
    metrics.watchRefused(() => carriers.broken().length);
    metrics.watchLimits(limits.isShared);
    metrics.watchBreakers(limits.open);
    const deliveries = createDeliveryPump({
      pool,
      sealer,
      log,
      nowMs,
      send: transports.shared.send,
      policy: { retries: config.webhookRetries, retryMs: config.webhookRetryMs, pauseAfterMs: PAUSE_AFTER_MS },
      alert,
      traces,
      delivered: metrics.delivered,
      closeLimitMs,
    });
    const dispatching = createDispatching({
      pool,
      sealer,
      nowMs,
      publicUrl,
      factsOf: factsOfCode,
      deliveries,
      log,
      alert,
      traces,
      calls,
      carriers,
      metrics,
      queue,
      ended: waiters.ended,
      uptimeMs,
      closeLimitMs,
    });
    return {
      config,
      log,
      traces,
      nowMs,
      publicUrl,
      adminToken: secrets.adminToken,
      isTokenNew: secrets.isTokenNew,
      pool,
      listener,
      endpoints,
      /** Past a pooler, where there is one. */
      migrationsUrl: listenUrl,
      /** The database is one that the server started itself. */
      isOwnDatabase: records.isOwn,
      sealer,
      /** Dispatches at work, or on their way to whoever has room. */
      dispatching,
      handOn: dispatching.add,
      waitForDispatch: waiters.waitForDispatch,
      /** To shippers' webhooks. */
      send: transports.shared.send,
      deliveries,
      /** Of what carriers say. */
      intake: createIntake({
        pool,
        log,
        nowMs,
        publicUrl,
        factsOf: factsOfCode,
        alert,
        deliveries,
        carrierOf: carriers.find,
        eventsOf: async (push, carrier) => await eventsOf({ pool, sealer, publicUrl }, push, carrier),
        processed: metrics.processed,
      }),
      /** How long workers wait for what is under way. */
      closeLimitMs,
      carriers,
      metrics,
      alert,
      limits,
      factsOf: factsOfCode,
      calls,
      labels: createLabelPump(labels, fetching, { log, closeLimitMs }),
      fonts: async () => await fontsOf(fontFolder),
      download: createDownload(calls),
      serveLabel: createServeLabel({
        findLabel: async (id) => await findLabel(pool, id),
        fetchNow: async (id) => await fetchOnDemand(id, fetching),
        yieldWhile: yieldTurn,
      }),
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw explained(error, config);
  }
};

const originOf = (url: string): string => url.slice(0, url.indexOf('/', 'https://'.length));

/** Whoever runs the server says where alerts go: any network will do. */
const alertWebhookOf = ({ alertUrl: url, alertSecret: secret }: Config, log: Log, nowMs: () => number) => {
  if (url === undefined || secret === undefined) return undefined;
  const { send, close } = createTransport({ allowPrivateNetworks: true, userAgent: USER_AGENT });
  const webhook = openAlertWebhook({ url, secret, send, log, nowMs });
  return { alert: webhook.alert, close: async () => await webhook.close().finally(close) };
};
