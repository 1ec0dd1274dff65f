/** Carriers’ own webhooks: found by path, authenticated by the profile, recorded, answered. */
import { maskOf } from '../../engine/dispatch/exchange.ts';
import { Failure } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { admitWebhook, type IncomingRequest } from '../../engine/statuses/carrier-webhook.ts';
import { hideNamed, withoutAuth } from '../../engine/transport/masking.ts';
import type { ReceivedWebhook } from '../api/deps.ts';
import { findWebhookAccount, type WebhookAccount } from '../records/accounts.ts';
import type { Platform } from './platform.ts';
import { webhookUrl } from './pushed-events.ts';

/** `account` is the last part of the path; undefined: the bare URL, which serves a carrier with one account. */
export const receiveWebhook = async (
  { carriers, pool, sealer, publicUrl, intake, nowMs: now }: Platform,
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
    await intake.take({
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
  }
  return admitted;
};

const NOT_PROVED = { kind: 'refused', status: 401 } as const;

/** An account that is not there is answered as one that nothing proves: nobody learns which there are. */
const nobodyAt = ({ environments }: Carrier): WebhookAccount => ({
  account: { id: 0, version: 0, credentials: {}, settings: {} },
  environment: environments.production === undefined ? 'sandbox' : 'production',
});
