import { randomBytes } from 'node:crypto';
import type { Verdict } from './decide.ts';
import { type Receiver, type Sending, sendSigned } from './send.ts';

/** Sends an event that tells of nothing, so that a shipper can try the receiver and its check of signatures. */
export const sendTestEvent = async (
  receiver: Receiver,
  sending: Sending,
  signal?: AbortSignal,
): Promise<Verdict & { readonly eventId: string }> => {
  const eventId = `evt_test_${randomBytes(12).toString('base64url')}`;
  const body = JSON.stringify({
    eventId,
    timestamp: new Date(sending.nowMs()).toISOString(),
    sequence: 0,
    event: 'webhook.test',
  });
  return { ...(await sendSigned({ webhookId: eventId, body }, receiver, sending, signal)), eventId };
};
