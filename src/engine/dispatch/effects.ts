/** The effects of a finished operation on the records, applied in one transaction. Pure. */
import type { Accepted, AcceptedPackage, Label } from '../consignment/answer.ts';
import type { NoticeDraft } from '../webhooks/event.ts';
import { trackingNotice } from '../webhooks/notice.ts';
import type { NormalisedStatus } from '../statuses/status.ts';
import { fieldsOfProblem, type Problem } from '../failure.ts';
import type { Carrier, OperationName, Step } from '../profile/carrier.ts';
import type { HeldWhy, RunOutcome } from './ports.ts';

export interface LabelDraft {
  /** Index of the package; undefined: one document for all. */
  readonly position: number | undefined;
  /** Undefined: to be fetched by the profile's `label` operation. */
  readonly label: Label | undefined;
}

export interface Effects {
  readonly dispatch: {
    readonly state: RunOutcome['kind'];
    readonly dueAtMs?: number | undefined;
    /** Since when it has waited for a carrier that is away. */
    readonly awaySinceMs?: number | undefined;
    readonly failure?:
      | { readonly why: HeldWhy | 'not_done' | 'rejected' | 'waiting'; readonly problem: Problem }
      | undefined;
    readonly result?: unknown;
  };
  /** `pending`: again, as the carrier has nothing of it any more. */
  readonly acceptance?: 'pending' | 'accepted' | 'rejected' | 'cancelled' | undefined;
  /** The consignment and its order become what the dispatch carried. */
  readonly adoptInput?: boolean | undefined;
  /** Of every package, with a notice for each. */
  readonly status?: NormalisedStatus | undefined;
  readonly masterTrackingNumber?: string | undefined;
  /** What the carrier gave to be remembered: the profile's `memo`. */
  readonly carrierMetadata?: Readonly<Record<string, unknown>> | undefined;
  readonly packages?: readonly (Pick<AcceptedPackage, 'trackingNumber' | 'memo'> & { readonly position: number })[];
  readonly labels?: readonly LabelDraft[] | undefined;
  /** Those of our own say what the order says now. */
  readonly remakesLabels?: boolean | undefined;
  readonly revokeLabels?: boolean | undefined;
  /** The shipment is gone at the carrier: its numbers name nothing any more, and its labels are of no use. */
  readonly forgetShipment?: boolean | undefined;
  /** Until the packages are first polled; undefined: never. */
  readonly firstPollInMs?: number | undefined;
  readonly notices: readonly NoticeDraft[];
}

/** What of the carrier decides what an acceptance brings. */
export interface CarrierFacts {
  /** The profile has a `label` operation or a template, for labels that an acceptance did not bring. */
  readonly asksForLabels: boolean;
  readonly firstPollInMs: number | undefined;
  /** How many packages one call makes at most: of more of them, one that exists says nothing of the others. */
  readonly packagesPerCall: number;
  /** Labels are our own. */
  readonly makesLabels?: boolean;
  /** What may be remembered; undefined: nobody knows. */
  readonly memo?: readonly string[];
}

/** Of a carrier that is not called, or not loaded. */
export const NO_FACTS: CarrierFacts = { asksForLabels: false, firstPollInMs: undefined, packagesPerCall: Infinity };

export const factsOf = (carrier: Carrier | undefined): CarrierFacts => {
  if (carrier === undefined) return NO_FACTS;
  const { labelTemplate, operations, statuses, memo } = carrier;
  const everyMs = operations.track === undefined ? undefined : statuses.poll?.everyMs;
  return {
    asksForLabels: operations.label !== undefined || labelTemplate !== undefined,
    makesLabels: labelTemplate !== undefined,
    memo,
    firstPollInMs: everyMs?.get('Order Created') ?? everyMs?.get('*'),
    packagesPerCall: Math.min(...(operations.create?.steps ?? []).map(packagesPerCall)),
  };
};

const packagesPerCall = ({ method, forEach, bestEffort, batch = 1 }: Step): number =>
  forEach === undefined || bestEffort || method === 'GET' ? Infinity : batch;

export const effectsOf = (operation: OperationName, outcome: RunOutcome, facts: CarrierFacts): Effects => {
  switch (outcome.kind) {
    case 'waiting': {
      const { dueAtMs, awaySinceMs, problem } = outcome;
      return {
        dispatch: { state: 'waiting', dueAtMs, awaySinceMs, failure: { why: 'waiting', problem } },
        notices: [],
      };
    }
    case 'rejected':
      return {
        dispatch: { state: 'rejected', failure: { why: 'rejected', problem: outcome.problem } },
        ...(operation === 'create' ? { acceptance: 'rejected' } : {}),
        notices: [noticeOf('consignment.rejected', operation, outcome.problem)],
      };
    case 'held': {
      const { accepted } = outcome;
      if (accepted !== undefined) return partialEffects(operation, outcome, accepted, facts);
      return {
        dispatch: { state: 'held', failure: { why: outcome.why, problem: outcome.problem } },
        // What is left to do is a create, of the order as it was to become.
        ...(outcome.oldCancelled === true ? { acceptance: 'pending', adoptInput: true, forgetShipment: true } : {}),
        notices: [noticeOf('consignment.held', operation, outcome.problem)],
      };
    }
    case 'done':
      return {
        ...doneEffects(operation, outcome.result, facts),
        ...(outcome.oldCancelled === true ? { acceptance: 'accepted', forgetShipment: true } : {}),
      };
  }
};

const noticeOf = (event: NoticeDraft['event'], operation: OperationName, problem: Problem): NoticeDraft => ({
  event,
  reason: problem.messages.join('; '),
  info: {
    operation,
    code: problem.code,
    messages: problem.messages,
    ...fieldsOfProblem(problem),
  },
});

/** What exists is the consignment's; what is missing waits for a retry. */
const partialEffects = (
  operation: OperationName,
  { why, problem, oldCancelled }: Extract<RunOutcome, { kind: 'held' }>,
  accepted: Accepted,
  facts: CarrierFacts,
): Effects => {
  const { notices, ...effects } = acceptedEffects(accepted, facts);
  const notice = noticeOf('consignment.partial', operation, problem);
  const made = accepted.packages.map(({ itemReferenceNumber }) => itemReferenceNumber);
  const missing = accepted.warnings.flatMap((one) =>
    typeof one === 'object' && one.code === 'package_missing' ? (one.packageId ?? []) : [],
  );
  return {
    dispatch: { state: 'held', failure: { why, problem }, result: accepted },
    acceptance: 'accepted',
    ...(oldCancelled === true ? { adoptInput: true, forgetShipment: true } : {}),
    ...effects,
    notices: [...notices, { ...notice, info: { ...notice.info, made, missing } }],
  };
};

const doneEffects = (operation: OperationName, result: unknown, facts: CarrierFacts): Effects => {
  const dispatch = { state: 'done', result } as const;
  switch (operation) {
    case 'create':
      return { dispatch, acceptance: 'accepted', ...acceptedEffects(result as Accepted, facts) };
    case 'update':
      // A shipper whose request did not wait for the carrier learns of the end only by this notice.
      return result === undefined
        ? {
            dispatch,
            adoptInput: true,
            remakesLabels: facts.makesLabels,
            notices: [{ event: 'consignment.tracking', info: { operation } }],
          }
        : { dispatch, adoptInput: true, ...acceptedEffects(result as Accepted, facts) };
    case 'cancel':
      return { dispatch, acceptance: 'cancelled', status: 'Cancelled', revokeLabels: true, notices: [] };
    default:
      return { dispatch, notices: [] };
  }
};

const acceptedEffects = (accepted: Accepted, facts: CarrierFacts): Omit<Effects, 'dispatch'> => {
  const packages = accepted.packages.map((one, index) => ({ ...one, position: one.position ?? index }));
  const drafts: LabelDraft[] = packages.map(({ label, position }) => ({ position, label }));
  const labels = drafts.filter(({ label }) => label !== undefined);
  if (accepted.label !== undefined) labels.push({ position: undefined, label: accepted.label });
  else if (facts.asksForLabels) labels.push(...drafts.filter(({ label }) => label === undefined));
  return {
    masterTrackingNumber: accepted.masterTrackingNumber,
    carrierMetadata: accepted.memo,
    firstPollInMs: facts.firstPollInMs,
    packages: packages.map(({ trackingNumber, memo, position }) => ({ position, trackingNumber, memo })),
    labels,
    notices: [trackingNotice(packages)],
  };
};
