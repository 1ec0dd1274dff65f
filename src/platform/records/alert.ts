/** Alerts for operators, under stable codes: logged, and sent to a webhook if one is configured. */
import type { Log } from './pool.ts';

/** What happened, by the code. */
export const ALERTS = {
  breaker_opened: 'a carrier failed too often in a row and is called only now and then until it answers well',
  delivery_exhausted: 'a webhook delivery failed as often as it may be tried',
  dispatch_held: 'a dispatch is held for an operator',
  dispatch_waiting: 'a dispatch waits for a carrier that is away, and is tried again and again',
  label_failed: 'a label has failed',
  login_failed: 'a login at a carrier does not work; its dispatches fail until account or profile are changed',
  plan_failed: 'what comes again at a carrier, such as a pickup, was not made or not done',
  profile_refused: 'a carrier has errors and was not loaded; run: waybill lint',
  push_ambiguous: 'a push fits several consignments, or several packages of one',
  push_failed: 'a push cannot be read, or not all of it',
  push_unmapped: 'a push has a status that no row of the table knows',
  push_unmatched: 'a push fits no consignment',
  subscription_paused: 'a subscription is paused as its receiver is gone or keeps failing',
} as const;
export type AlertCode = keyof typeof ALERTS;
type AlertFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Never waits, never throws. The fields are shown to people: never a secret. */
export type Alert = (code: AlertCode, fields: AlertFields) => void;

export const createAlert =
  (log: Log, more?: Alert): Alert =>
  (code, fields) => {
    log.warn({ alert: code, ...fields }, ALERTS[code]);
    more?.(code, fields);
  };
