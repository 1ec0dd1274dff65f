import { buildApi } from '../api/api.ts';
import type { ApiDeps } from '../api/deps.ts';
import type { AddRoutes } from '../api/route.ts';
import { createLimits } from '../api/rate-limit.ts';
import { createFairSemaphore } from '../../engine/fair-semaphore.ts';
import { type Listening, listenAt } from './listen.ts';
import { type Platform, uptimeMs } from './platform.ts';
import { identityProviderOf, shownSettings } from './config.ts';
import type { Settings } from './setting.ts';
import { receiveWebhook } from './carrier-webhooks.ts';
import { verifyAccount } from './check-account.ts';
import { createAsk, createQuotes } from './quoting.ts';
import { registerAccount } from './registration.ts';
import { readiness } from './probes.ts';

export type Api = ReturnType<typeof openApi>;

/** What the command line adds to the API, of which the platform knows nothing. */
export type Extension = (platform: Platform) => AddRoutes;

/** The HTTP half of the platform, ready to `listen`. */
export const openApi = (platform: Platform, extensions: readonly Extension[] = [], beside: Settings = {}) => {
  const { config, log, metrics } = platform;
  const turns = createFairSemaphore({ atOnce: TURNS, lineMax: LINE_MAX });
  metrics.watchTurns(turns);
  let isStopping = false;
  let listening: Listening | undefined;
  const deps = {
    ...platform,
    settings: shownSettings(config, beside),
    adminTokens: [platform.adminToken, ...config.oldAdminTokens],
    identityProvider: identityProviderOf(config),
    createWaitMs: config.createWaitMs,
    answerWithinMs: config.createWaitMs + ANSWER_MARGIN_MS,
    trustProxy: config.trustProxy,
    limits: createLimits({
      perMinute: config.rateLimit,
      largeMbPerMinute: config.largeRequestLimit,
      nowMs: uptimeMs,
    }),
    slotsHeld: config.slotsHeld,
    turns,
    turnWaitMs: TURN_WAIT_MS,
    addressPolicy: { allowPrivateNetworks: config.allowPrivateNetworks },
    receiveWebhook: async (...given) => await receiveWebhook(platform, ...given),
    registerAccount: async (...given) => await registerAccount(platform, ...given),
    breakers: platform.limits,
    quote: createQuotes(platform.calls),
    ask: createAsk(platform.calls),
    checkAccount: async (...given) => await verifyAccount(platform, ...given),
    readiness: async () => await readiness(platform, isStopping),
    metrics: metrics.text,
    refused: metrics.refused,
  } satisfies ApiDeps;
  const app = buildApi(
    deps,
    extensions.map((extension) => extension(platform)),
  );
  return {
    listen: async (at: { readonly host: string; readonly port: number }): Promise<void> => {
      listening = await listenAt(app, at, log);
    },
    /** From now on `/readyz` says that others are to be asked. */
    announceStop: (): void => {
      isStopping = true;
    },
    close: async (): Promise<void> => {
      await Promise.all([app.close(), listening?.close()]);
    },
  };
};

/** Twice as many as there are connections: some think while others ask the records, and none is idle. */
const TURNS = 40;
/** Whoever comes to a turn is then done in a second or so, unless the records do not answer. */
export const TURN_WAIT_MS = 3_000;
/** As many as have their turn within that time: creates need it only until they wait for the statement of many. */
export const LINE_MAX = 1_000;

/** For all but the carrier. Beyond, the records do not answer: see `BESIDES_MS` of the chaos rows. */
const ANSWER_MARGIN_MS = 8_000;
