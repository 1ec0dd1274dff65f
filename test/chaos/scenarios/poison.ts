/**
 * Requests, carriers' answers and status pushes that come at once, some of which PostgreSQL refuses to hold: triggers
 * refuse them as it would a value that violates a constraint, is no text, or is too large for an index.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceiversOptions } from '../mock/receivers.ts';
import { trackingNumberOf } from '../order.ts';
import type { Dose, Scenario, ScenarioContext } from '../scenario.ts';
import type { Patch } from '../seam/patches.ts';
import { countBy, lookUntil, type Reply } from '../world/call.ts';
import type { Peer } from '../world/children.ts';
import type { Platform } from '../world/platform.ts';
import { contractProfile, CREDENTIALS, WITH_TOKEN } from '../world/profiles.ts';
import { type Trial, trialRow } from '../world/trial.ts';

/** Of each: how many are well; of those that are refused, so many by each code. */
const SIZES: Readonly<Record<Dose, { readonly well: number; readonly each: number }>> = {
  small: { well: 60, each: 2 },
  quick: { well: 120, each: 3 },
  full: { well: 2_000, each: 20 },
};
const CODES = ['23514', '22021', '54000'] as const;
const LEVELS = {
  ACCEPT: ['consignments', 'reference_number'],
  CONCLUDE: ['packages', 'tracking_number'],
  PUSH: ['events', 'body'],
} as const;
type Level = keyof typeof LEVELS;

const CARRIER = 'c02';
const DONE_WITHIN_MS = 30_000;

const REFUSE = `create function chaos_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'poisoned' using errcode = substring(to_jsonb(new) ->> tg_argv[0] from 'POISON-[A-Z]+-(\\d{5})');
end $$`;

const triggerFor = (level: Level): string => {
  const [table, column] = LEVELS[level];
  return `create trigger chaos_${level} before insert or update of ${column} on ${table} for each row
    when (new.${column} like '%POISON-${level}-%') execute function chaos_refuse('${column}')`;
};

/** Names of those that are refused there. */
const poisoned = (level: Level, each: number): readonly string[] =>
  CODES.flatMap((code) => Array.from({ length: each }, (_, at) => `POISON-${level}-${code}-${at}`));

const well = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}-${at}`);

/** Spread over the others, so that they come into their batches. */
const mixed = (many: readonly string[], few: readonly string[]): readonly string[] => {
  const gap = Math.max(1, Math.floor(many.length / few.length));
  return many.flatMap((one, at) => {
    const next = at % gap === 0 ? few[at / gap] : undefined;
    return next === undefined ? [one] : [one, next];
  });
};

const NOT_NOW_MS = 500;

/** All at once; whoever is told "not now" asks again. */
const sendAll = async (
  names: readonly string[],
  { patience }: Trial,
  send: (name: string) => Promise<Reply>,
): Promise<ReadonlyMap<string, Reply>> => {
  const untilMs = Date.now() + DONE_WITHIN_MS * patience;
  const insist = async (name: string): Promise<Reply> => {
    for (;;) {
      const reply = await send(name);
      if (reply.status !== 503 || Date.now() > untilMs) return reply;
      await sleep(NOT_NOW_MS);
    }
  };
  return new Map(await Promise.all(names.map(async (name) => [name, await insist(name)] as const)));
};

interface Seen {
  readonly reference: string;
  readonly state: string | null;
  readonly failure: string | null;
  readonly status: string;
  readonly trackingNumber: string | null;
  readonly sequence: number;
  readonly notices: number;
  readonly delivered: number;
}

const SEEN = `
  select c.reference_number as reference, d.state, d.failure, c.status, p.tracking_number as "trackingNumber",
    c.notice_sequence as sequence, (select count(*)::int from notices n where n.consignment_id = c.id) as notices,
    (select count(*)::int from deliveries v join notices n on n.id = v.notice_id
      where n.consignment_id = c.id and v.state = 'delivered') as delivered
  from consignments c join packages p on p.consignment_id = c.id left join dispatches d on d.consignment_id = c.id`;

const seenOf = async ({ pool }: Platform): Promise<ReadonlyMap<string, Seen>> =>
  new Map((await pool.query<Seen>(SEEN)).rows.map((row) => [row.reference, row]));

/** Waits until all of these are as wanted; names those that are not. */
const notAsWanted = async (
  platform: Platform,
  { patience }: Trial,
  names: readonly string[],
  isAsWanted: (seen: Seen) => boolean,
): Promise<readonly string[]> =>
  await lookUntil(
    DONE_WITHIN_MS * patience,
    async () => {
      const seen = await seenOf(platform);
      return names.flatMap((name) => {
        const one = seen.get(name);
        return one !== undefined && isAsWanted(one) ? [] : [`${name}: ${JSON.stringify(one)}`];
      });
    },
    (wrong) => wrong.length === 0,
  );

/** Answered for good, and not as if it had been taken. */
const isRefused = ({ status }: Reply): boolean => status >= 400 && status !== 503;
const isTaken = ({ status }: Reply): boolean => status === 200;

const otherwise = (
  replies: ReadonlyMap<string, Reply>,
  names: readonly string[],
  isAsWanted: (reply: Reply) => boolean,
): readonly string[] =>
  names.flatMap((name) => {
    const reply = replies.get(name);
    return reply !== undefined && isAsWanted(reply) ? [] : [`${name}: ${reply?.status} ${reply?.text.slice(0, 200)}`];
  });

const isDone = ({ reference, state, trackingNumber, sequence, notices, delivered }: Seen): boolean =>
  state === 'done' &&
  trackingNumber === trackingNumberOf(reference) &&
  notices >= 1 &&
  sequence === notices &&
  delivered === notices;
const isHeld = ({ state, failure, trackingNumber }: Seen): boolean =>
  state === 'held' && failure?.includes('answer_not_recordable') === true && trackingNumber === null;
const isOnItsWay = (seen: Seen): boolean => seen.status === 'In Transit' && isDone(seen) && seen.notices >= 2;
const isUntouched = (seen: Seen): boolean => seen.status === 'Order Created' && isDone(seen);

interface Scene {
  readonly trial: Trial;
  readonly platform: Platform;
  readonly shop: string;
  readonly carriers: Peer<string>;
  readonly complain: (what: string, wrong: readonly string[]) => void;
}

const open = async (trial: Trial, patches: readonly Patch[]): Promise<Scene> => {
  const { folder, seed, violations } = trial;
  const carriers = await trial.peer('hostile/twenty.ts');
  const journal = path.join(folder, 'receivers.jsonl');
  const receivers = await trial.peer('mock/receivers.ts', { journal, seed, faults: 0 } satisfies ReceiversOptions);
  const limits = `${WITH_TOKEN}limits: { concurrency: 64 }\n`;
  const profile = contractProfile(CARRIER, `${carriers.hello}/${CARRIER}`, limits);
  const platform = await trial.open({ profiles: { [CARRIER]: profile }, patches });
  const shop = await platform.openShop({ carriers: [CARRIER], credentials: () => CREDENTIALS });
  await platform.subscribe(shop, `${receivers.hello}/shop`);
  await platform.pool.query(REFUSE);
  for (const level of ['ACCEPT', 'CONCLUDE', 'PUSH'] as const) await platform.pool.query(triggerFor(level));
  const complain: Scene['complain'] = (what, wrong) => {
    if (wrong.length > 0) violations.push(`${wrong.length} ${what}, such as ${wrong[0]}`);
  };
  return { trial, platform, shop, carriers, complain };
};

const create = async ({ trial, platform, shop, carriers, complain }: Scene, good: readonly string[]): Promise<void> => {
  const { each } = SIZES[trial.dose];
  const [accepts, concludes] = [poisoned('ACCEPT', each), poisoned('CONCLUDE', each)];
  const names = mixed(good, [...accepts, ...concludes]);
  const replies = await sendAll(names, trial, async (name) => {
    return await platform.create(shop, CARRIER, name, { isAsync: true });
  });
  complain('other creates were not accepted', otherwise(replies, [...good, ...concludes], isTaken));
  complain('poisoned creates were not refused for good', otherwise(replies, accepts, isRefused));
  // What was not accepted would only be waited for.
  if (trial.violations.length > 0) return;
  complain('other creates are not done, told and delivered', await notAsWanted(platform, trial, good, isDone));
  complain('answers that cannot be recorded are not held', await notAsWanted(platform, trial, concludes, isHeld));
  const known = await seenOf(platform);
  complain(
    'refused creates are recorded',
    accepts.filter((name) => known.has(name)),
  );
  const effects = await carriers.ask<Record<string, number>>('effects');
  const times = (name: string): string => `${name}: ${effects[name] ?? 0}`;
  const notOnce = [...good, ...concludes].filter((name) => effects[name] !== 1);
  complain('creates were not asked for once', notOnce.map(times));
  complain('refused creates reached the carrier', accepts.filter((name) => effects[name] !== undefined).map(times));
  Object.assign(trial.figures, {
    creates: replies.size,
    'refused at accept': JSON.stringify(countBy(accepts.map((name) => replies.get(name)?.status ?? 0))),
    'held as not recordable': concludes.length,
  });
};

const push = async ({ trial, platform, complain }: Scene, good: readonly string[]): Promise<void> => {
  const pushes = poisoned('PUSH', SIZES[trial.dose].each);
  // The pushes of the poison are of consignments that get no other.
  const [told, untold] = [good.slice(pushes.length), good.slice(0, pushes.length)];
  const carrierToken = await platform.carrierToken(CARRIER);
  const replies = await sendAll(mixed(told, pushes), trial, async (name) => {
    const value = trackingNumberOf(untold[pushes.indexOf(name)] ?? name);
    return await platform.call('POST', `/v2/carriers/${CARRIER}/statuses`, carrierToken, {
      type: 'Tracking',
      value,
      carrierStatus: 'On its way',
      carrierStatusCode: 'IN_TRANSIT',
      carrierStatusDescription: 'On its way',
      statusReceivedAt: '2026-05-01 10:00:00',
      eventTimezone: 'UTC',
      extraInfo: { comments: name },
    });
  });
  complain('pushes were not taken', otherwise(replies, [...told, ...pushes], isTaken));
  complain('other pushes are not settled, told and delivered', await notAsWanted(platform, trial, told, isOnItsWay));
  complain('poisoned pushes left a trace', await notAsWanted(platform, trial, untold, isUntouched));
  const { rows } = await platform.pool.query<{ state: string; text: string }>(
    `select state, convert_from(body, 'UTF8') as text from pushes`,
  );
  const kept = rows.filter(({ text }) => text.includes('POISON-PUSH'));
  complain(
    'poisoned pushes were taken and are not recorded',
    pushes.filter((name) => !kept.some(({ text }) => text.includes(`"${name}"`))),
  );
  complain(
    'poisoned pushes count as done',
    kept.filter(({ state }) => state === 'done').map(({ text }) => text),
  );
  Object.assign(trial.figures, {
    pushes: replies.size,
    'kept raw': JSON.stringify(countBy(kept.map(({ state }) => state))),
  });
};

const row = (patches: readonly Patch[]): Scenario =>
  trialRow(
    {
      name: 'poison',
      promise: 'what PostgreSQL refuses of a batch is refused, held or kept raw by itself: the others are untouched',
    },
    async (trial) => {
      const scene = await open(trial, patches);
      const good = well('GOOD', SIZES[trial.dose].well);
      await create(scene, good);
      if (trial.violations.length === 0) await push(scene, good);
    },
  );

export const poison = row([]);

/** With these changes of the sources. */
export const runPoison = async (context: ScenarioContext, patches: readonly Patch[]) => await row(patches).run(context);
