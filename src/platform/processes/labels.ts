/** What fetching labels asks of carriers: their `label` operation, their authentication, their patience. */
import { authHeadersFor } from '../../engine/dispatch/auth/headers.ts';
import type { ConcurrencyLimiter } from '../../engine/dispatch/limits.ts';
import { runOperation } from '../../engine/dispatch/operation.ts';
import type { FetchedLabel } from '../../engine/dispatch/result.ts';
import { Failure } from '../../engine/failure.ts';
import type { Fetching, LabelClaim, Labels } from '../../engine/labels/fetch.ts';
import type { Carrier, Operation } from '../../engine/profile/carrier.ts';
import { type CarrierCalls, prepareCall } from './carrier-calls.ts';

interface LabelWork extends CarrierCalls {
  readonly labels: Labels;
  readonly limiter: ConcurrencyLimiter;
}

export const createFetching = (work: LabelWork): Fetching => ({
  labels: work.labels,
  limiter: work.limiter,
  send: work.ports.send,
  nowMs: work.ports.nowMs,
  random: work.ports.random,
  retryOf: async (claim) => await Promise.resolve(getCarrier(work, claim).labels.retry),
  authHeaders: async (claim, url) => {
    const { operations } = getCarrier(work, claim);
    const operation = operations.label ?? operations.create;
    if (operation === undefined || claim.accountId === undefined) return {};
    const { run, ports } = await prepare(work, claim, operation);
    return await authHeadersFor(run, ports, url);
  },
  runLabelOperation: async (claim) => {
    const carrier = getCarrier(work, claim);
    const operation = carrier.operations.label;
    if (operation === undefined) {
      return {
        code: 'operation_missing',
        messages: [`${carrier.code} has no label operation any more`],
        place: carrier.place,
      };
    }
    const { run, ports } = await prepare(work, claim, operation);
    const outcome = await runOperation(run, ports);
    if (outcome.kind !== 'done') return outcome.problem;
    const labels = outcome.result as readonly FetchedLabel[];
    return labels.length === 0 ? 'not_yet' : labels;
  },
});

const getCarrier = (work: LabelWork, { carrierCode }: LabelClaim): Carrier => {
  const carrier = work.carrierOf(carrierCode);
  if (carrier !== undefined) return carrier;
  throw new Failure(`no carrier ${carrierCode} is loaded`, { code: 'carrier_unknown', help: 'bring its profile back' });
};

const prepare = async (work: LabelWork, claim: LabelClaim, operation: Operation) => {
  const { environment, consignmentId } = claim;
  const carrier = getCarrier(work, claim);
  const account = claim.accountId === undefined ? undefined : await work.accountOf(claim.accountId);
  if (account === undefined) {
    throw new Failure(`the shipper has no ${environment} account with ${carrier.code}`, { code: 'account_missing' });
  }
  const inputs = await work.inputsOf(consignmentId);
  // Labels are reads: the same each time they are asked for.
  const seed = `label/${consignmentId}`;
  return prepareCall(work, { seed, carrier, operation, environment, account, inputs, consignmentId });
};
