import type { Step } from '../carrier.ts';
import type { Rule } from './rule.ts';

/** key-never-sent: the carrier is said to know a repeat by its key, but no request carries one. */
export const keyNeverSent: Rule = ({ carrier, findings }) => {
  for (const operation of Object.values(carrier.operations)) {
    if (operation.idempotency.by !== 'key' || operation.steps.some(sendsKey)) continue;
    const message = `no request of ${operation.name} carries the key`;
    findings.error('key-never-sent', operation.place, message, 'send ${idempotencyKey}, as the carrier asks for it');
  }
};

const sendsKey = (step: Step): boolean => {
  const soapHeader = step.body?.codec === 'soap' ? step.body.header : undefined;
  return [step.url, ...Object.values(step.headers), ...Object.values(step.query), step.body?.content, soapHeader].some(
    (mapping) => mapping !== undefined && /\bidempotencyKey\b/.test(mapping.text),
  );
};
