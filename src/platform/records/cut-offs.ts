/** Plans of manifests: the cut-offs of a facility. */
import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import { type CutOff, nextCutOff } from '../../engine/ask/cut-offs.ts';
import { endPlan, listPlans, savePlan } from './plans.ts';
import type { Owner } from './shippers.ts';

/** `request` of the plan of a cut-off. */
export interface CutOffPlan extends Pick<CutOff, 'cutOff' | 'weekdays'> {
  readonly timeZone: string;
}

/** From now on the manifests of a facility are made at these cut-offs, and at no others. What has not changed goes on. */
export const saveCutOffs = async (
  client: PoolClient,
  { shipperId, environment }: Owner,
  facilityCode: string,
  cutOffs: readonly (Pick<CutOff, 'carrier'> & CutOffPlan)[],
  nowMs: number,
): Promise<void> => {
  const [owner, kind] = [{ shipperId, environment }, 'manifest'];
  const wanted = new Map(
    cutOffs.map(({ carrier, ...request }) => [
      `${carrier.code}/${facilityCode}/${request.cutOff}`,
      { carrierCode: carrier.code, facilityCode, request },
    ]),
  );
  const known = await listPlans(client, { owner, kind, facilityCode, limit: PLANS_MAX });
  for (const { code } of known) if (!wanted.has(code)) await endPlan(client, { ...owner, kind, code });
  for (const [code, plan] of wanted) {
    const before = known.find((one) => one.code === code);
    if (before !== undefined && isDeepStrictEqual(before.request, plan.request)) continue;
    const next = nextCutOff(plan.request, plan.request.timeZone, nowMs);
    await savePlan(client, { ...owner, kind, code }, plan, next);
  }
};

const PLANS_MAX = 1_000;
