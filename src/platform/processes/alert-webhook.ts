/** Alerts by webhook: signed like those of shippers, many in one request, and none of them ever waited for. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '../../engine/failure.ts';
import type { Transport } from '../../engine/transport/transport.ts';
import { sendSigned, signingKey } from '../../engine/webhooks/delivery.ts';
import { type Alert, type AlertCode, ALERTS } from '../records/alert.ts';
import type { Log } from '../records/pool.ts';

interface AlertWebhookOptions {
  readonly url: string;
  /** `whsec_…` */
  readonly secret: string;
  readonly send: Transport['send'];
  readonly log: Log;
  readonly nowMs: () => number;
  /** The least time from one request to the next; 10 s. */
  readonly everyMs?: number;
}

/** What comes together with the first is in one request with it. */
const GATHER_MS = 1_000;
const EVERY_MS = 10_000;
/** Of one request; of more only their number is told. */
const ALERTS_MAX = 100;
const TRIES = 5;
const TIMEOUT_MS = 5_000;
const LAST_TIMEOUT_MS = 2_000;

interface Batch {
  readonly id: string;
  readonly body: string;
  tries: number;
}

export const openAlertWebhook = ({ url, secret, send, log, nowMs, everyMs = EVERY_MS }: AlertWebhookOptions) => {
  const key = signingKey(secret);
  let alerts: object[] = [];
  let more: Partial<Record<AlertCode, number>> = {};
  let batch: Batch | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sending = Promise.resolve();

  const isLeft = (): boolean => batch !== undefined || alerts.length > 0;
  const schedule = (inMs: number): void => {
    timer ??= setTimeout(run, inMs).unref();
  };
  const run = (): void => {
    sending = (isLeft() ? flush(TIMEOUT_MS) : Promise.resolve()).then((isSent) => {
      timer = undefined;
      // A request was made: even if nothing is left, the next one comes no sooner.
      if (isSent === true) schedule(everyMs);
    });
  };
  const gather = (): Batch => {
    const [id, timestamp] = [`alerts_${randomUUID()}`, new Date(nowMs()).toISOString()];
    const body = JSON.stringify({ eventId: id, timestamp, event: 'alerts', alerts, more });
    [alerts, more] = [[], {}];
    return { id, body, tries: 0 };
  };
  const flush = async (timeoutMs: number): Promise<true> => {
    batch ??= gather();
    batch.tries += 1;
    const message = { webhookId: batch.id, body: batch.body };
    const {
      means,
      outcome,
      message: why,
    } = await sendSigned(message, { url, keys: () => [key] }, { send, nowMs, timeoutMs }).catch((error: unknown) => ({
      means: 'refused',
      outcome: 'internal_error',
      message: messageOf(error),
    }));
    const isGivenUp = means !== 'delivered' && batch.tries >= TRIES;
    if (means !== 'delivered' && (batch.tries === 1 || isGivenUp))
      log.warn({ outcome, why, isGivenUp }, 'the alert webhook does not take alerts; all of them are in this log');
    if (means === 'delivered' || isGivenUp) batch = undefined;
    return true;
  };
  return {
    alert: ((code, fields) => {
      if (alerts.length < ALERTS_MAX)
        alerts.push({ alert: code, message: ALERTS[code], at: new Date(nowMs()).toISOString(), ...fields });
      else more[code] = (more[code] ?? 0) + 1;
      schedule(Math.min(GATHER_MS, everyMs));
    }) satisfies Alert,
    /** Sends what is left, where that does not take long. */
    close: async (): Promise<void> => {
      await sending;
      clearTimeout(timer);
      if (isLeft()) await flush(LAST_TIMEOUT_MS);
    },
  };
};
