/** Everything a row breaks things in: records, queue, fleet, carriers, receivers, shippers. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CarriersOptions, PushTo } from '../mock/carriers.ts';
import type { ReceiversOptions } from '../mock/receivers.ts';
import { credentialName } from '../oracle/secrets.ts';
import { DEAD } from '../order.ts';
import type { ScenarioContext } from '../scenario.ts';
import { inTurns } from './call.ts';
import { startPeer } from './children.ts';
import { newSecret, type Platform, type PlatformOptions, startPlatform } from './platform.ts';
import { CARRIERS, profilesAt } from './profiles.ts';

export interface WorldOptions extends Omit<PlatformOptions, 'profiles'> {
  /** Of requests to carriers and of webhooks, how many go wrong on the other side. */
  readonly faults?: number;
  /** What waits for a carrier waits as long as in production, not as short as a row would like. */
  readonly waitsInFull?: boolean;
  readonly through?: PlatformOptions['through'] & { readonly carriers?: (url: string) => Promise<string> };
}

export interface World extends Platform {
  /** The first has a receiver that answers, the second a dead one. */
  readonly shippers: readonly { readonly code: string; readonly token: string }[];
  readonly webhookSecrets: Readonly<Record<string, string>>;
  /** Longer than anybody may be kept waiting. */
  readonly answerWithinMs: number;
  /** By name: what must be found nowhere. */
  readonly planted: ReadonlyMap<string, string>;
  readonly journals: { readonly client: string; readonly carriers: string; readonly receivers: string };
}

const SHIPPERS = [
  { code: 'shop', receiver: 'shop' },
  { code: 'deaf', receiver: DEAD },
];
export const WEBHOOK_RETRIES = 2;
const AT_ONCE = 8;

/** A create waits so long for its carrier: in production, and where a row does not want to wait for it. */
const CREATE_WAIT_MS = { full: 25_000, short: 2_000 } as const;
/** What the server allows itself for all but the carrier (`src/platform/processes/api.ts`), and a little to say so. */
const BESIDES_MS = 8_000 + 3_000;
/** Whatever is configured. */
const LONGEST_ANSWER_MS = 35_000;
/** Whoever asks waits longer than he may be kept waiting, or nobody would see that he was. */
export const givesUpAfter = ({ answerWithinMs }: Pick<World, 'answerWithinMs'>): number => answerWithinMs + 10_000;

export const startWorld = async (context: ScenarioContext, options: WorldOptions): Promise<World> => {
  await using starting = new AsyncDisposableStack();
  const { folder, seed, patience } = context;
  const journals = {
    client: path.join(folder, 'client.jsonl'),
    carriers: path.join(folder, 'carriers.jsonl'),
    receivers: path.join(folder, 'receivers.jsonl'),
  };
  for (const file of Object.values(journals)) await writeFile(file, '');
  const createWaitMs = CREATE_WAIT_MS[options.waitsInFull === true ? 'full' : 'short'];
  const answerWithinMs = Math.min(LONGEST_ANSWER_MS, createWaitMs + BESIDES_MS) * patience;
  const giveUpMs = givesUpAfter({ answerWithinMs });
  const faults = options.faults ?? 0;
  const mockLog = path.join(folder, 'mocks.log');
  const peer = async (name: string, own: CarriersOptions | ReceiversOptions) =>
    starting.use(await startPeer<string>(name, own, mockLog));
  const [carriers, receivers] = await Promise.all([
    peer('mock/carriers.ts', { journal: journals.carriers, seed, faults, giveUpMs }),
    peer('mock/receivers.ts', { journal: journals.receivers, seed, faults }),
  ]);
  const carriersUrl = (await options.through?.carriers?.(carriers.hello)) ?? carriers.hello;
  const timeoutS = options.waitsInFull === true ? 30 : Math.min(30, 5 * patience);
  const env = {
    CREATE_WAIT_MS: String(createWaitMs),
    WEBHOOK_RETRIES: String(WEBHOOK_RETRIES),
    WEBHOOK_RETRY_MS: '1000',
    LOG_LEVEL: 'info',
  };
  const profiles = profilesAt(carriersUrl, timeoutS);
  const platform = starting.use(
    await startPlatform(context, { ...options, profiles, env: { ...env, ...options.env } }),
  );

  const planted = new Map([
    ['admin token', platform.adminToken],
    ['secret key', platform.secretKey],
  ]);
  const plant = (name: string, value = newSecret()): string => {
    planted.set(name, value);
    return value;
  };
  const shippers: { code: string; token: string }[] = [];
  const webhookSecrets: Record<string, string> = {};
  const codes = CARRIERS.map(({ code }) => code);
  for (const { code, receiver } of SHIPPERS) {
    const credentials = (carrier: string) => ({ token: plant(credentialName(code, carrier)) });
    const token = plant(`token of ${code}`, await platform.openShop({ code, carriers: codes, credentials }));
    shippers.push({ code, token });
    const secret = await platform.subscribe(token, `${receivers.hello}/${receiver}`);
    webhookSecrets[receiver] = plant(`webhook secret of ${code}`, secret);
  }
  const tokens: Record<string, string> = {};
  await inTurns(AT_ONCE, codes, async (code) => {
    tokens[code] = plant(`token of ${code}`, await platform.carrierToken(code));
  });
  carriers.tell({ urls: platform.fleet.urls, tokens } satisfies PushTo);
  const started = starting.move();
  return {
    ...platform,
    shippers,
    webhookSecrets,
    planted,
    journals,
    answerWithinMs,
    [Symbol.asyncDispose]: async () => await started.disposeAsync(),
  };
};
