/** What fetching labels asks of carriers: their `label` operation, their proof, their patience. */
import type { Account, Inputs, Ports, Run } from '../../engine/dispatch/ports.ts';
import { createMemoryLog, type TakeFromSequence } from '../../engine/dispatch/attempt-log.ts';
import { authHeadersFor } from '../../engine/dispatch/auth/headers.ts';
import type { FetchedLabel } from '../../engine/dispatch/result.ts';
import type { ConcurrencyLimiter } from '../../engine/dispatch/limits.ts';
import { runOperation } from '../../engine/dispatch/operation.ts';
import { Failure } from '../../engine/failure.ts';
import type { Fetching, LabelClaim, Labels } from '../../engine/labels/fetch.ts';
import type { Carrier, Operation } from '../../engine/profile/carrier.ts';
import type { ExchangeContext } from '../records/exchanges.ts';

export interface LabelWork {
  readonly labels: Labels;
  readonly ports: Omit<Ports, 'attemptLog' | 'noteExchange'>;
  readonly limiter: ConcurrencyLimiter;
  readonly carrierOf: (code: string) => Carrier | undefined;
  readonly accountOf: (id: number) => Promise<Account | undefined>;
  /** Of the consignment: the roots that a `label` operation sees. */
  readonly inputsOf: (consignmentId: number) => Promise<Inputs>;
  readonly noteExchange: (context: ExchangeContext) => Ports['noteExchange'];
  /** Of the account. */
  readonly takeFromSequence: (accountId: number) => TakeFromSequence;
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

const prepare = async (
  work: LabelWork,
  claim: LabelClaim,
  operation: Operation,
): Promise<{ run: Run; ports: Ports }> => {
  const carrier = getCarrier(work, claim);
  const account = claim.accountId === undefined ? undefined : await work.accountOf(claim.accountId);
  if (account === undefined) {
    throw new Failure(`the shipper has no ${claim.environment} account with ${carrier.code}`, {
      code: 'account_missing',
    });
  }
  const noteExchange = work.noteExchange({
    carrierCode: carrier.code,
    environment: claim.environment,
    accountId: account.id,
    consignmentId: claim.consignmentId,
    dispatchId: undefined,
    profileHash: carrier.hash,
  });
  const run: Run = {
    // Labels are reads: the same each time they are asked for.
    seed: `label/${claim.consignmentId}`,
    carrier,
    operation,
    environment: claim.environment,
    account,
    inputs: await work.inputsOf(claim.consignmentId),
    nowMs: work.ports.nowMs(),
  };
  const attemptLog = createMemoryLog(noteExchange, work.takeFromSequence(account.id));
  return { run, ports: { ...work.ports, noteExchange, attemptLog } };
};
