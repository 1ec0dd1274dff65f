/** What fetching labels asks of carriers (their `label` operation, authentication and patience), and the pump that does it. */
import { authHeadersFor } from '../../engine/dispatch/auth/headers.ts';
import type { ConcurrencyLimiter } from '../../engine/dispatch/limits.ts';
import { runOperation } from '../../engine/dispatch/operation.ts';
import { fetchedLabels } from '../../engine/dispatch/result.ts';
import { Failure, problem } from '../../engine/failure.ts';
import {
  downloadLabel,
  type Fetching,
  fetchLabels,
  type LabelClaim,
  type LabelOutcome,
  type Labels,
} from '../../engine/labels/fetch.ts';
import { ownLabel } from '../../engine/labels/make.ts';
import type { Carrier, Operation } from '../../engine/profile/carrier.ts';
import { once } from '../../engine/value.ts';
import type { Alert } from '../records/alert.ts';
import type { LabelQueue } from '../records/labels.ts';
import { type CarrierCalls, prepareCall } from './carrier-calls.ts';
import { createPump, type Pump, type PumpOptions } from './pump.ts';

interface LabelWork extends CarrierCalls {
  readonly alert: Alert;
  readonly labels: Labels;
  readonly limiter: ConcurrencyLimiter;
  /** Where fonts for labels of our own lie, beside those that ship with the engine. */
  readonly fontFolder?: string | undefined;
}

/** Those of a home, in this folder; read when something is printed for the first time. */
export const fontsOf = once(async (folder: string | undefined) =>
  (await import('../../engine/labels/fonts.ts')).createFonts(folder),
);

export const createFetching = (work: LabelWork): Fetching => {
  const getCarrier = ({ carrierCode }: LabelClaim): Carrier => {
    const carrier = work.carrierOf(carrierCode);
    if (carrier !== undefined) return carrier;
    const help = 'bring its profile back';
    throw new Failure(`no carrier ${carrierCode} is loaded`, { code: 'carrier_unknown', help });
  };
  const accountFor = async ({ environment, accountId }: LabelClaim, carrier: Carrier) => {
    const account = accountId === undefined ? undefined : await work.accountOf(accountId);
    if (account === undefined) {
      const message = `the shipper has no ${environment} account with ${carrier.code}`;
      throw new Failure(message, { code: 'account_missing' });
    }
    return account;
  };
  const prepare = async (claim: LabelClaim, carrier: Carrier, operation: Operation) => {
    const { environment, consignmentId } = claim;
    const account = await accountFor(claim, carrier);
    const inputs = await work.inputsOf(consignmentId);
    // Labels are reads: the same each time they are asked for.
    const seed = `label/${consignmentId}`;
    return prepareCall(work, { seed, carrier, operation, environment, account, inputs, consignmentId });
  };
  return {
    labels: {
      ...work.labels,
      conclude: async (claim, endings) => {
        await work.labels.conclude(claim, endings);
        for (const { label, next } of endings)
          if (next?.state === 'failed')
            work.alert('label_failed', {
              label: label.id,
              consignment: claim.consignmentId,
              carrier: claim.carrierCode,
              code: next.code,
              reason: next.message,
            });
      },
    },
    limiter: work.limiter,
    send: work.ports.send,
    nowMs: work.ports.nowMs,
    random: work.ports.random,
    retryOf: async (claim) => await Promise.resolve(getCarrier(claim).labels.retry),
    authHeaders: async (claim, url) => {
      const carrier = getCarrier(claim);
      const operation = carrier.operations.label ?? carrier.operations.create;
      if (operation === undefined || claim.accountId === undefined) return {};
      const { run, ports } = await prepare(claim, carrier, operation);
      return await authHeadersFor(run, ports, url);
    },
    makeLabels: async (claim) => {
      const carrier = getCarrier(claim);
      const { labelTemplate: template } = carrier;
      if (template === undefined) return undefined;
      const [inputs, { settings }] = [await work.inputsOf(claim.consignmentId), await accountFor(claim, carrier)];
      const shipment = { carrier, inputs, settings, nowMs: work.ports.nowMs() };
      const made: LabelOutcome[] = [];
      for (const { position = 0 } of claim.labels)
        made.push(await ownLabel(template, shipment, position, await fontsOf(work.fontFolder)));
      return made;
    },
    runLabelOperation: async (claim) => {
      const carrier = getCarrier(claim);
      const operation = carrier.operations.label;
      if (operation === undefined)
        return {
          ...problem('operation_missing', `${carrier.code} has no label operation any more`, carrier.place),
          isRefusal: false,
        };
      const { run, ports } = await prepare(claim, carrier, operation);
      return fetchedLabels(await runOperation(run, ports));
    },
  };
};

/** Of documents of manifests, with what the carrier's close-out authenticates by. */
export const createDownload =
  (work: CarrierCalls) =>
  async (
    { carrierCode, environment, accountId }: Pick<LabelClaim, 'carrierCode' | 'environment' | 'accountId'>,
    url: string,
  ): Promise<LabelOutcome> => {
    const carrier = work.carrierOf(carrierCode);
    const operation = carrier?.operations.manifest;
    const account = accountId === undefined ? undefined : await work.accountOf(accountId);
    return await downloadLabel(url, {
      nowMs: work.ports.nowMs,
      send: async (request, limits) => await work.ports.send(request, limits, carrierCode),
      authHeaders: async (at) => {
        if (carrier === undefined || operation === undefined || account === undefined) return {};
        const { run, ports } = prepareCall(work, { carrier, operation, environment, account, inputs: {} });
        return await authHeadersFor(run, ports, at);
      },
    });
  };

const SLOTS = 32;
const LOOK_EVERY_MS = 5_000;

export const createLabelPump = (
  labels: LabelQueue,
  fetching: Fetching,
  options: Pick<PumpOptions<LabelClaim>, 'log' | 'closeLimitMs'>,
): Pump<LabelClaim> => {
  const pump = createPump<LabelClaim>({
    ...options,
    name: 'label',
    slots: SLOTS,
    everyMs: LOOK_EVERY_MS,
    claim: async (free) => {
      const { claims, nextInMs } = await labels.claimDue(free);
      // Some may have been claimed together, so that this was not all that is due.
      const isFull = claims.flatMap((claim) => claim.labels).length >= free;
      return { work: claims, nextInMs: isFull ? 1 : nextInMs };
    },
    perform: async (claim, signal) => {
      const endings = await fetchLabels(claim, fetching, { signal });
      if (endings === 'lease_lost') return;
      for (const { next, putOffUntilMs } of endings) {
        const dueAtMs = next?.state === 'pending' ? next.dueAtMs : putOffUntilMs;
        if (dueAtMs !== undefined) pump.wake(Math.max(1, dueAtMs - fetching.nowMs()));
      }
    },
  });
  return pump;
};
