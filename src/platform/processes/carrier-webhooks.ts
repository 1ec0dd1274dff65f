/** Carriers' own webhooks: found by path, authenticated by the profile, recorded, answered; and what they tell. */
import { jsonCodec } from '../../engine/codecs/json.ts';
import { maskOf } from '../../engine/dispatch/exchange.ts';
import { Failure } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { admitWebhook, type IncomingRequest, mapWebhook } from '../../engine/statuses/carrier-webhook.ts';
import { hideNamed, withoutAuth } from '../../engine/transport/masking.ts';
import type { ReceivedWebhook } from '../api/deps.ts';
import { findAccountById, findWebhookAccount, type WebhookAccount } from '../records/accounts.ts';
import { type PushRecord, recordPush } from '../records/pushes.ts';
import type { Platform } from './platform.ts';

/** `webhook.url`: always names the account. */
export const webhookUrl = (publicUrl: string, carrierCode: string, accountId: number): string =>
  `${publicUrl.replace(/\/+$/, '')}/v2/carriers/${carrierCode}/webhook/${accountId}`;

/** `account` is the last part of the path; undefined: the bare URL, which serves a carrier with one account. */
export const receiveWebhook = async (
  { carriers, pool, sealer, publicUrl, nudge, nowMs: now }: Platform,
  carrierCode: string,
  account: string | undefined,
  incoming: IncomingRequest,
): Promise<ReceivedWebhook> => {
  const carrier = carriers.find(carrierCode);
  const webhook = carrier?.statuses.webhook;
  if (carrier === undefined || webhook === undefined) return { kind: 'unknown' };
  const found = await findWebhookAccount(pool, sealer, carrierCode, account);
  const whose = found ?? nobodyAt(carrier);
  const nowMs = now();
  const url = webhookUrl(publicUrl, carrierCode, whose.account.id);
  const scene = { carrier, webhook, ...whose, webhookUrl: url, nowMs };
  const admitted = await admitWebhook(scene, incoming).catch((thrown: unknown) => {
    if (found === undefined && thrown instanceof Failure) return NOT_PROVED;
    throw thrown;
  });
  if (admitted.kind === 'refused') return { kind: 'refused', status: admitted.status };
  if (admitted.kind === 'admitted') {
    if (found === undefined) return NOT_PROVED;
    // What proved the carrier is not kept: not in the query, not in the body either.
    const mask = maskOf(carrier, found.account);
    await recordPush(pool, {
      carrierCode,
      accountId: found.account.id,
      source: 'webhook',
      environment: found.environment,
      request: {
        method: incoming.method,
        url: hideNamed(mask.text(incoming.url)),
        headers: mask.headers(withoutAuth(incoming.headers)),
      },
      body: mask.bytes(incoming.body),
      receivedAtMs: nowMs,
    });
    nudge();
  }
  return admitted;
};

const NOT_PROVED = { kind: 'refused', status: 401 } as const;

/** An account that is not there is answered as one that nothing proves: nobody learns which there are. */
const nobodyAt = ({ environments }: Carrier): WebhookAccount => ({
  account: { id: 0, version: 0, credentials: {}, settings: {} },
  environment: environments.production === undefined ? 'sandbox' : 'production',
});

/** What a recorded push tells, made the contract's by the profile. */
export const eventsOf = async (
  platform: Pick<Platform, 'pool' | 'sealer' | 'publicUrl'>,
  push: PushRecord,
  carrier: Carrier,
): Promise<readonly StatusUpdate[]> => {
  if (push.source === 'poll') return pollEvents(push);
  const { webhook } = carrier.statuses;
  const account =
    push.accountId === undefined ? undefined : await findAccountById(platform.pool, platform.sealer, push.accountId);
  if (webhook === undefined || account === undefined) {
    throw new Failure(`${carrier.code} has no webhook, or the account is gone`, {
      code: 'webhook_missing',
      place: carrier.place,
    });
  }
  const scene = {
    carrier,
    webhook,
    account,
    environment: push.environment ?? ('production' as const),
    webhookUrl: webhookUrl(platform.publicUrl, carrier.code, account.id),
    nowMs: push.receivedAtMs,
  };
  return await mapWebhook(scene, { ...push.request, body: Buffer.from(push.body) });
};

/** A poll is kept as the status updates that the profile made of it. */
const pollEvents = (push: PushRecord): readonly StatusUpdate[] => {
  const decoded = jsonCodec.decode(push.body, { contentType: 'application/json' });
  if (!decoded.ok) throw decoded.reason;
  return decoded.body as readonly StatusUpdate[];
};
