/** Reads status updates from pushes, by the carrier’s profile. */
import type { Pool } from 'pg';
import { jsonCodec } from '../../engine/codecs/json.ts';
import { Failure } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { mapWebhook } from '../../engine/statuses/carrier-webhook.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { findAccountById } from '../records/accounts.ts';
import type { NewPush } from '../records/pushes.ts';
import type { Sealer } from '../records/sealer.ts';

interface Pushed {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly publicUrl: string;
}

/** `webhook.url`: always names the account. */
export const webhookUrl = (publicUrl: string, carrierCode: string, accountId: number): string =>
  `${publicUrl.replace(/\/+$/, '')}/v2/carriers/${carrierCode}/webhook/${accountId}`;

/** What a push tells, made the contract's by the profile. */
export const eventsOf = async (
  { pool, sealer, publicUrl }: Pushed,
  push: NewPush,
  carrier: Carrier,
): Promise<readonly StatusUpdate[]> => {
  if (push.source === 'poll') return pollEvents(push);
  const { webhook } = carrier.statuses;
  const account = push.accountId === undefined ? undefined : await findAccountById(pool, sealer, push.accountId);
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
    webhookUrl: webhookUrl(publicUrl, carrier.code, account.id),
    nowMs: push.receivedAtMs,
  };
  return await mapWebhook(scene, { ...push.request, body: Buffer.from(push.body) });
};

/** A poll is kept as the status updates that the profile made of it. */
const pollEvents = (push: NewPush): readonly StatusUpdate[] => {
  const decoded = jsonCodec.decode(push.body, { contentType: 'application/json' });
  if (!decoded.ok) throw decoded.reason;
  return decoded.body as readonly StatusUpdate[];
};
