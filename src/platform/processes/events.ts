/** What a recorded push says, in the carrier's own words made the contract's by the profile. */
import { jsonCodec } from '../../engine/codecs/json.ts';
import { Failure } from '../../engine/failure.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { type IncomingRequest, mapWebhook } from '../../engine/statuses/webhook.ts';
import { findAccountById } from '../records/accounts.ts';
import type { PushRecord } from '../records/pushes.ts';
import type { Platform } from './platform.ts';
import { webhookUrl } from './webhooks.ts';

export const eventsOf = async (
  platform: Pick<Platform, 'records' | 'sealer' | 'publicUrl'>,
  push: PushRecord,
  carrier: Carrier,
): Promise<readonly StatusUpdate[]> => {
  if (push.source === 'poll') return pollEvents(push);
  const { webhook } = carrier.statuses;
  const account =
    push.accountId === undefined
      ? undefined
      : await findAccountById(platform.records.pool, platform.sealer, push.accountId);
  if (webhook === undefined || account === undefined) {
    throw new Failure(`${carrier.code} has no webhook, or the account is gone`, {
      code: 'webhook_missing',
      place: carrier.place,
    });
  }
  const came: IncomingRequest = { ...push.request, body: Buffer.from(push.body) };
  const scene = {
    carrier,
    webhook,
    account,
    environment: push.environment ?? ('production' as const),
    webhookUrl: webhookUrl(platform.publicUrl, carrier.code, account.id),
    nowMs: push.receivedAtMs,
  };
  return await mapWebhook(scene, came);
};

/** A poll is kept as the status updates that the profile made of it. */
const pollEvents = (push: PushRecord): readonly StatusUpdate[] => {
  const decoded = jsonCodec.decode(push.body, { contentType: 'application/json' });
  if (!decoded.ok) throw decoded.reason;
  return decoded.body as readonly StatusUpdate[];
};
