import type { Rule } from './rule.ts';

/** open-webhook: one that anybody may call. */
export const openWebhook: Rule = ({ carrier, findings }) => {
  const { webhook } = carrier.statuses;
  if (webhook === undefined || webhook.auth.length > 0 || webhook.allow.length > 0) return;
  const help = 'give it an auth, or allow only the addresses of the carrier';
  findings.error('open-webhook', webhook.place, 'anybody may send statuses to this webhook', help);
};
