/** Subscriptions of a shipper in one environment; what belongs to another is as if it were not there. */
import { type KeyObject, randomBytes } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Sealer } from './sealer.ts';
import { newWebhookSecret, type PauseReason, type Receiver, signingKey } from '../../engine/webhooks/delivery.ts';
import type { NewSubscription, SubscribedOrderType } from '../../engine/webhooks/subscription.ts';
import { recordAudit } from './audit.ts';
import { transaction } from './pool.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { execute, join, queryAll, queryFirst, raw, sql, type Sql, notifyWork } from './sql.ts';

/** As its owner sees it: never with the secret, which is shown once. */
export interface Subscription {
  readonly id: string;
  readonly url: string;
  readonly orderTypes: readonly SubscribedOrderType[];
  /** Undefined: all. */
  readonly events: readonly string[] | undefined;
  /** Of its own headers; their values are not shown. */
  readonly headerNames: readonly string[] | undefined;
  readonly retryAfterSeconds: readonly number[] | undefined;
  readonly state: 'active' | 'paused';
  readonly pauseReason: PauseReason | undefined;
  readonly pausedAtMs: number | undefined;
  /** Since when no try succeeded; undefined: the last one did, or there was none. */
  readonly failingSinceMs: number | undefined;
  readonly createdAtMs: number;
}

/** Of which the old one still signs, until then. */
export interface SealedSecrets {
  readonly secret: Buffer;
  readonly oldSecret: Buffer | undefined;
  readonly oldSecretUntilMs: number | undefined;
}

const COLUMNS = sql`id, url, order_types, events, header_names, retry_after_seconds, state, pause_reason, paused_at as paused_at_ms,
  failing_since as failing_since_ms,
  created_at as created_at_ms`;
const ID_BYTES = 18;
/** How long the secret before still signs beside the new one. */
export const OLD_SECRET_MS = 24 * 3_600_000;

const aboutSubscription = (id: string): string => `subscription/${id}`;

const sealSecret = (sealer: Sealer, id: string, secret: string): Buffer =>
  sealer.seal(Buffer.from(secret), aboutSubscription(id));

/** What signs for a subscription now, newest first. Throws a `Failure` with code `secret_unreadable`. */
export type KeysOf = (id: string, sealed: SealedSecrets, nowMs: number) => readonly KeyObject[];

const KEPT_KEYS = 10_000;

/** Opens each secret once: as it is sealed is its version, for none is ever sealed alike. */
export const createKeys = (sealer: Sealer): KeysOf => {
  const opened = new Map<string, KeyObject>();
  const open = (id: string, sealed: Buffer): KeyObject => {
    const version = `${id}/${sealed.toString('latin1')}`;
    const known = opened.get(version);
    if (known !== undefined) return known;
    if (opened.size >= KEPT_KEYS) opened.clear();
    const key = signingKey(sealer.open(sealed, aboutSubscription(id)).toString());
    opened.set(version, key);
    return key;
  };
  return (id, { secret, oldSecret, oldSecretUntilMs = 0 }, nowMs) =>
    (oldSecret === undefined || oldSecretUntilMs <= nowMs ? [secret] : [secret, oldSecret]).map((one) => open(id, one));
};

/** Headers of a subscription's own, as they are sealed. Throws as `KeysOf` does. */
export type HeadersOf = (id: string, sealed: Buffer | undefined) => Readonly<Record<string, string>>;

export const createHeaders =
  (sealer: Sealer): HeadersOf =>
  (id, sealed) =>
    sealed === undefined
      ? {}
      : (JSON.parse(sealer.open(sealed, aboutSubscription(id)).toString()) as Record<string, string>);

/** What of a subscription its shipper says, by column; without headers, those that are there stay. */
const columnsOf = (
  sealer: Sealer,
  id: string,
  { url, orderTypes, events, retryAfterSeconds, ...rest }: NewSubscription,
) => ({
  url,
  order_types: orderTypes,
  events,
  retry_after_seconds: retryAfterSeconds,
  ...(rest.headers && {
    headers: Object.keys(rest.headers).length === 0 ? undefined : sealSecret(sealer, id, JSON.stringify(rest.headers)),
    header_names: Object.keys(rest.headers).length === 0 ? undefined : Object.keys(rest.headers),
  }),
});

/** Makes the change, a statement that yields the subscription, and notes it with it; what changed nothing is not noted. */
const change = async (
  pool: Pool,
  owner: Owner,
  [action, id]: readonly [action: string, id: string],
  statement: Sql,
  then?: (client: PoolClient) => Promise<unknown>,
): Promise<Subscription | undefined> =>
  await transaction(pool, async (client) => {
    const changed = await queryFirst<Subscription>(client)`${statement} returning ${COLUMNS}`;
    if (changed === undefined) return undefined;
    await recordAudit(client, { actor: owner, action, subject: `webhook:${id}` });
    await then?.(client);
    return changed;
  });

const owned = (owner: Owner, id: string): Sql => sql`${ownedBy(owner)} and id = ${id}`;

/** `secret` is not to be had again. */
export const createSubscription = async (
  pool: Pool,
  sealer: Sealer,
  owner: Owner,
  wanted: NewSubscription,
): Promise<Subscription & { readonly secret: string }> => {
  const id = `sub_${randomBytes(ID_BYTES).toString('base64url')}`;
  const secret = newWebhookSecret();
  const columns = { ...columnsOf(sealer, id, wanted), secret: sealSecret(sealer, id, secret) };
  const values = Object.values(columns).map((value) => sql`${value}`);
  const insert = sql`
    insert into subscriptions (id, shipper_id, environment, ${raw(Object.keys(columns).join(', '))})
    values (${id}, ${owner.shipperId}, ${owner.environment}, ${join(values, ', ')})`;
  const created = await change(pool, owner, ['create_webhook', id], insert);
  if (created === undefined) throw new Error('an insert yielded no row');
  return { ...created, secret };
};

/** As it is to be from now on, also for what waits; its secret and state stay, and its headers where none are given. */
export const updateSubscription = async (
  pool: Pool,
  sealer: Sealer,
  owner: Owner,
  id: string,
  wanted: NewSubscription,
): Promise<Subscription | undefined> => {
  const columns = Object.entries(columnsOf(sealer, id, wanted)).map(([name, value]) => sql`${raw(name)} = ${value}`);
  const update = sql`update subscriptions set ${join(columns, ', ')} where ${owned(owner, id)}`;
  return await change(pool, owner, ['update_webhook', id], update);
};

export const listSubscriptions = async (pool: Pool, owner: Owner): Promise<readonly Subscription[]> =>
  await queryAll<Subscription>(pool)`
    select ${COLUMNS} from subscriptions where ${ownedBy(owner)} order by created_at, id`;

export const findSubscription = async (pool: Pool, owner: Owner, id: string): Promise<Subscription | undefined> =>
  await queryFirst<Subscription>(pool)`select ${COLUMNS} from subscriptions where ${owned(owner, id)}`;

/** Where a subscription's messages go and what signs them: for a test event. */
export const findReceiver = async (
  pool: Pool,
  sealer: Sealer,
  owner: Owner,
  id: string,
  nowMs: number,
): Promise<Receiver | undefined> => {
  const found = await queryFirst<SealedSecrets & { url: string; headers: Buffer | undefined }>(pool)`
    select url, headers, secret, old_secret, old_secret_until as old_secret_until_ms from subscriptions
    where ${owned(owner, id)}`;
  const headers = () => createHeaders(sealer)(id, found?.headers);
  return found && { url: found.url, keys: () => createKeys(sealer)(id, found, nowMs), headers };
};

/** With its deliveries, delivered or not. False: there is none. */
export const deleteSubscription = async (pool: Pool, owner: Owner, id: string): Promise<boolean> => {
  const statement = sql`delete from subscriptions where ${owned(owner, id)}`;
  return (await change(pool, owner, ['delete_webhook', id], statement)) !== undefined;
};

/** A new secret; the one it replaces signs too for 24 hours, one before that no more. */
export const rotateSecret = async (
  pool: Pool,
  sealer: Sealer,
  owner: Owner,
  id: string,
  nowMs: number,
): Promise<(Subscription & { readonly secret: string; readonly oldSecretUntilMs: number }) | undefined> => {
  const secret = newWebhookSecret();
  const oldSecretUntilMs = nowMs + OLD_SECRET_MS;
  const update = sql`
    update subscriptions set secret = ${sealSecret(sealer, id, secret)}, old_secret = secret,
      old_secret_until = ${new Date(oldSecretUntilMs)}
    where ${owned(owner, id)}`;
  const rotated = await change(pool, owner, ['rotate_webhook_secret', id], update);
  return rotated && { ...rotated, secret, oldSecretUntilMs };
};

/** Its deliveries stay where they are until it is resumed. One that is paused stays so, for the reason it has. */
export const pauseSubscription = async (
  pool: Pool,
  owner: Owner,
  id: string,
  nowMs: number,
): Promise<Subscription | undefined> => {
  const update = sql`
    update subscriptions set state = 'paused', paused_at = ${new Date(nowMs)}, pause_reason = 'requested'
    where ${owned(owner, id)} and state = 'active'`;
  return (await change(pool, owner, ['pause_webhook', id], update)) ?? (await findSubscription(pool, owner, id));
};

/** Sends what waited, each delivery when it is due. */
export const resumeSubscription = async (pool: Pool, owner: Owner, id: string): Promise<Subscription | undefined> => {
  const update = sql`
    update subscriptions set state = 'active', paused_at = null, pause_reason = null, failing_since = null
    where ${owned(owner, id)}`;
  return await change(pool, owner, ['resume_webhook', id], update, async (client) => {
    await execute(client)`select ${notifyWork('delivery')}`;
  });
};
