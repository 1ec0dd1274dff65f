/** Makes what comes again: the errands of plans that are due, each once, whoever looks. */
import type { PoolClient } from 'pg';
import { nextCutOff } from '../../engine/ask/cut-offs.ts';
import { messageOf, problem } from '../../engine/failure.ts';
import { type PickupPlan, pickupOn } from '../../engine/pickups/plan.ts';
import type { PickupDeps } from '../api/pickup-intake.ts';
import { takePickup } from '../api/pickup-intake.ts';
import { nextOf } from '../api/plans.ts';
import type { Alert } from '../records/alert.ts';
import { addErrand, type NewErrand, type NewErrandDispatch } from '../records/errands.ts';
import type { CutOffPlan } from '../records/cut-offs.ts';
import { findFacility } from '../records/facilities.ts';
import { makeManifest } from '../records/manifests.ts';
import { goOn, type NextErrand, type Plan, takeDuePlan } from '../records/plans.ts';
import { type Log, transaction } from '../records/pool.ts';
import { type Loop, startLoop } from './loop.ts';

interface PlanDeps extends PickupDeps {
  readonly log: Log;
  readonly alert: Alert;
  readonly handOn: (dispatchIds: readonly number[]) => void;
}

/** What plans of a kind make, and when. */
interface PlanKind {
  /**
   * What is to be made for the day that is due, or `added`: what was made already; else why it cannot be, or undefined
   * where there is nothing to be made.
   */
  readonly make: (
    deps: PlanDeps,
    plan: Plan & NextErrand,
    client: PoolClient,
  ) => Promise<
    | { readonly errand: Omit<NewErrand, 'planId'>; readonly how: NewErrandDispatch | { readonly done: unknown } }
    | { readonly added: { readonly dispatchId: number | undefined } }
    | { readonly code: string; readonly messages: readonly string[] }
    | undefined
  >;
  readonly next: (deps: PlanDeps, plan: Plan) => Promise<NextErrand | undefined>;
}

const PLANS: Readonly<Record<string, PlanKind>> = {
  manifest: {
    make: async (deps, plan, client) => {
      const { id: planId, shipperId, environment, carrierCode, facilityCode = '', day } = plan;
      const { timeZone } = plan.request as CutOffPlan;
      const carrier = deps.carriers.find(carrierCode);
      if (carrier === undefined) return { code: 'carrier_not_loaded', messages: [`${carrierCode} is not loaded`] };
      const facility = await findFacility(deps.pool, plan, facilityCode);
      if (facility === undefined)
        return { code: 'unknown_facility', messages: [`There is no facility ${facilityCode}`] };
      const place = { shipperId, environment, facilityCode, facility: facility.details, day, timeZone };
      const added = await makeManifest(client, carrier, { ...place, planId });
      return added && { added };
    },
    next: (deps, plan) => {
      const cutOff = plan.request as CutOffPlan;
      return Promise.resolve(nextCutOff(cutOff, cutOff.timeZone, Math.max(deps.nowMs(), plan.dueAtMs ?? 0)));
    },
  },
  pickup: {
    make: async (deps, plan) => {
      const { kind, shipperId, environment, code, day, request } = plan;
      const taken = await takePickup(deps, plan, pickupOn(request as PickupPlan, day));
      if (taken.kind !== 'ready') {
        // A day that was closed since it was planned.
        if (taken.issues.every((issue) => issue.code === 'window_closed')) return undefined;
        return { code: taken.issues[0]?.code ?? 'invalid', messages: taken.issues.map(({ message }) => message) };
      }
      const { carrier, accountId, facilityCode, wantedAs } = taken;
      const referenceNumber = `${code}-${day}`;
      const wanted = wantedAs(referenceNumber);
      return {
        errand: {
          kind,
          shipperId,
          environment,
          referenceNumber,
          carrierCode: carrier.code,
          accountId,
          facilityCode,
          day,
          request: wanted,
        },
        how: { operation: 'pickup', profileHash: carrier.hash, inputs: { pickup: wanted.pickup } },
      };
    },
    next: async (deps, plan) => await nextOf(deps, plan, plan.request as PickupPlan, plan.day),
  },
};

/** Where nothing can be said of the next day, or all went wrong: when it is looked at again. */
const AGAIN_MS = 3_600_000;

/** The plan that has been due the longest; false: there is none. With its errand, it goes on to its next day. */
export const makeDue = async (deps: PlanDeps): Promise<boolean> => {
  let taken: Plan | undefined;
  try {
    const made = await transaction(deps.pool, async (client) => {
      const plan = await takeDuePlan(client, deps.nowMs());
      if (plan?.day === undefined || plan.dueAtMs === undefined) return undefined;
      taken = plan;
      const { [plan.kind]: kind } = PLANS;
      if (kind === undefined) throw new Error(`there are no plans of the kind ${plan.kind}`);
      const { day, dueAtMs } = plan;
      const wanted = await kind.make(deps, { ...plan, day, dueAtMs }, client);
      const added =
        wanted === undefined || 'code' in wanted
          ? undefined
          : 'added' in wanted
            ? wanted.added
            : await addErrand(client, { ...wanted.errand, planId: plan.id }, wanted.how);
      const failure = wanted !== undefined && 'code' in wanted ? { day, ...wanted } : undefined;
      const next = (await kind.next(deps, plan)) ?? (failure && { day, dueAtMs: deps.nowMs() + AGAIN_MS });
      await goOn(client, plan.id, next, failure);
      return { plan, failure, dispatchId: added?.dispatchId };
    });
    if (made === undefined) return false;
    if (made.dispatchId !== undefined) deps.handOn([made.dispatchId]);
    if (made.failure !== undefined) tell(deps, made.plan, made.failure);
    return true;
  } catch (thrown) {
    if (taken === undefined) throw thrown;
    // It must not keep the others waiting.
    const { id, day = '' } = taken;
    const reason = problem('internal_error', messageOf(thrown));
    await goOn(deps.pool, id, { day, dueAtMs: deps.nowMs() + AGAIN_MS }, { day, ...reason });
    tell(deps, taken, reason);
    return true;
  }
};

const tell = (
  { alert }: PlanDeps,
  { id, kind, code, shipper, carrierCode, day }: Plan,
  reason: { readonly code: string; readonly messages: readonly string[] },
) =>
  alert('plan_failed', {
    plan: id,
    kind,
    name: code,
    shipper,
    carrier: carrierCode,
    day,
    code: reason.code,
    reason: reason.messages.join('; '),
  });

const LOOK_EVERY_MS = 10_000;

export const startPlans = (deps: PlanDeps): Loop =>
  startLoop({
    everyMs: LOOK_EVERY_MS,
    look: async () => await makeDue(deps),
    log: deps.log,
    failure: 'what comes again could not be made; it is looked for again',
  });
