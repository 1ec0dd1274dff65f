/** Carriers' own webhooks: found by path, proved by the profile, recorded, answered. */
import type { Pool } from 'pg';
import type { ReceivedWebhook } from '../api/deps.ts';
import { maskOf } from '../../engine/dispatch/exchange.ts';
import { Failure } from '../../engine/failure.ts';
import type { Sealer } from '../records/sealer.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { type IncomingRequest, admitWebhook } from '../../engine/statuses/webhook.ts';
import { findWebhookAccount, type WebhookAccount } from '../records/accounts.ts';
import { recordPush } from '../records/pushes.ts';
import { withoutProofs } from '../../engine/transport/masking.ts';
import { hideNamed } from '../../engine/transport/masking.ts';
import type { Carriers } from './carriers.ts';

export interface WebhookDoor {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly carriers: Pick<Carriers, 'find'>;
  readonly publicUrl: string;
  readonly nowMs: () => number;
  readonly nudge: () => void;
}

/** `webhook.url`: always names the account. */
export const webhookUrl = (publicUrl: string, carrierCode: string, accountId: number): string =>
  `${publicUrl.replace(/\/+$/, '')}/v2/carriers/${carrierCode}/webhook/${accountId}`;

/** `account` is the last part of the path; undefined: the bare URL, which serves a carrier with one account. */
export const receiveWebhook = async (
  door: WebhookDoor,
  carrierCode: string,
  account: string | undefined,
  came: IncomingRequest,
): Promise<ReceivedWebhook> => {
  const carrier = door.carriers.find(carrierCode);
  const webhook = carrier?.statuses.webhook;
  if (carrier === undefined || webhook === undefined) return { kind: 'unknown' };
  const found = await findWebhookAccount(door.pool, door.sealer, carrierCode, account);
  const whose = found ?? nobodyAt(carrier);
  const nowMs = door.nowMs();
  const url = webhookUrl(door.publicUrl, carrierCode, whose.account.id);
  const scene = { carrier, webhook, ...whose, webhookUrl: url, nowMs };
  const admitted = await admitWebhook(scene, came).catch((thrown: unknown) => {
    if (found === undefined && thrown instanceof Failure) return NOT_PROVED;
    throw thrown;
  });
  if (admitted.kind === 'refused') return { kind: 'refused', status: admitted.status };
  if (admitted.kind === 'admitted') {
    if (found === undefined) return NOT_PROVED;
    // What proved the carrier is not kept: not in the query, not in the body either.
    const mask = maskOf(carrier, found.account);
    await recordPush(door.pool, {
      carrierCode,
      accountId: found.account.id,
      source: 'webhook',
      environment: found.environment,
      request: {
        method: came.method,
        url: hideNamed(mask.text(came.url)),
        headers: mask.headers(withoutProofs(came.headers)),
      },
      body: mask.bytes(came.body),
      receivedAtMs: nowMs,
    });
    door.nudge();
  }
  return admitted;
};

const NOT_PROVED = { kind: 'refused', status: 401 } as const;

/** An account that is not there is answered as one that nothing proves: nobody learns which there are. */
const nobodyAt = ({ environments }: Carrier): WebhookAccount => ({
  account: { id: 0, version: 0, credentials: {}, settings: {} },
  environment: environments.production === undefined ? 'sandbox' : 'production',
});
