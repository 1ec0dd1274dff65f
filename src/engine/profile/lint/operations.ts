import type { OutcomeRule, Step } from '../carrier.ts';
import type { StatusRange } from '../language/kinds.ts';
import { authsOf, type Rule } from './rule.ts';

/** no-create: a carrier that nothing can be dispatched to. */
export const noCreate: Rule = ({ carrier, profile, findings }) => {
  if (carrier.operations.create !== undefined) return;
  const help = 'add the operation create, or abstract: true for a base';
  findings.report('no-create', profile.place, 'nothing can be dispatched to this carrier', help);
};

/** key-never-sent: the carrier is said to know a repeat by its key, but no request carries one. */
const keyNeverSent: Rule = ({ carrier, findings }) => {
  for (const operation of Object.values(carrier.operations)) {
    if (operation.idempotency.by !== 'key' || operation.steps.some(sendsKey)) continue;
    const message = `no request of ${operation.name} sends the key`;
    findings.report('key-never-sent', operation.place, message, 'send ${idempotencyKey} where the carrier expects it');
  }
};

const sendsKey = (step: Step): boolean => {
  const soapHeader = step.body?.codec === 'soap' ? step.body.header : undefined;
  return [step.url, ...Object.values(step.headers), ...Object.values(step.query), step.body?.content, soapHeader].some(
    (mapping) => mapping !== undefined && /\bidempotencyKey\b/.test(mapping.text),
  );
};

/** missing-expiry: a login without a declared token lifetime, so the token is used until a request is rejected. */
const missingExpiry: Rule = ({ carrier, findings }) => {
  for (const auth of authsOf(carrier)) {
    if (auth.kind !== 'session' || auth.expiresIn !== undefined || auth.expiresAt !== undefined) continue;
    const help = 'set expiresIn or expiresAt';
    findings.report('missing-expiry', auth.place, 'the lifetime of this token is not declared', help);
  }
};

/** What a rule without `status` is asked about: not what the built-ins keep for themselves. */
const UNRESERVED: readonly StatusRange[] = [
  { from: 100, to: 400 },
  { from: 402, to: 402 },
  { from: 404, to: 407 },
  { from: 409, to: 428 },
  { from: 430, to: 499 },
];

/** unreachable-outcome: a rule that an earlier one of the same list always answers before. */
const unreachableOutcome: Rule = ({ outcomeLists, findings }) => {
  for (const rules of outcomeLists) {
    for (const [at, rule] of rules.entries()) {
      const before = rules.slice(0, at).filter((earlier) => earlier.when === undefined);
      if (!isCovered(rule, before)) continue;
      const help = 'put the narrower rule first';
      findings.report('unreachable-outcome', rule.place, 'an earlier rule always matches first', help);
    }
  }
};

const statusesOf = ({ status = UNRESERVED }: OutcomeRule): readonly number[] =>
  status.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at));

const isCovered = (rule: OutcomeRule, before: readonly OutcomeRule[]): boolean => {
  const covering = new Set(before.flatMap(statusesOf));
  return covering.size > 0 && statusesOf(rule).every((status) => covering.has(status));
};

/** too-few-calls: an order as large as the carrier takes would need more calls than its operation may make. */
const tooFewCalls: Rule = ({ carrier, findings }) => {
  const { maxPackages = 0 } = carrier.capabilities;
  for (const { steps } of Object.values(carrier.operations)) {
    for (const { forEach, batch = 1, limits, place } of steps) {
      const calls = Math.ceil(maxPackages / batch);
      if (calls <= limits.calls || !/\b(?:itemList|packages)\b/.test(forEach?.text ?? '')) continue;
      const message = `${maxPackages} packages need ${calls} calls, and ${limits.calls} are allowed`;
      findings.report('too-few-calls', place, message, 'raise limits.calls');
    }
  }
};

export const OPERATION_RULES: readonly Rule[] = [keyNeverSent, missingExpiry, unreachableOutcome, tooFewCalls];
