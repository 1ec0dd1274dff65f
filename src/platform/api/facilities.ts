/** A shipper's facilities, whose codes fill in the addresses of orders. */
import type { PoolClient } from 'pg';
import { Type } from 'typebox';
import {
  FacilityBody,
  FacilityCode,
  type FacilityDetails,
  facilityProperties,
} from '../../engine/consignment/facility.ts';
import { type Issue, issueAt } from '../../engine/validate.ts';
import { saveCutOffs } from '../records/cut-offs.ts';
import * as records from '../records/facilities.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { notFound, ok, unprocessable } from './http-answer.ts';
import { ANY, listsOf } from './lists.ts';
import { openAccountOf } from './order-intake.ts';
import { instant, viewOf } from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const Path = Type.Object({ code: FacilityCode });
const AREA = { auth: 'shipper', tag: 'Facilities' } as const;
const FacilityView = {
  type: 'object',
  properties: { code: Type.String(), ...facilityProperties, createdAt: instant(), updatedAt: instant() },
  required: ['code', 'address', 'createdAt', 'updatedAt'],
} as const;

const shown = ({ details, ...record }: records.FacilityRecord) => viewOf(FacilityView, { ...record, ...details });
const unknown = (code: string) => notFound(`There is no facility ${code}`, 'unknown_facility');

export const addFacilityRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  const { pool } = deps;
  route('PUT /v2/facilities/:code', {
    id: 'saveFacility',
    summary: 'Register a facility, or replace the one with this code',
    description: 'Orders that were made with the one before keep its address.',
    path: Path,
    body: Type.Unsafe<FacilityDetails>(FacilityBody),
    reply: [FacilityView, 'As it is now.'],
    errors: [422],
    handle: async ({ shipper, path: { code }, body: { address, ...rest } }) => {
      const details = { ...rest, address: { type: 'FACILITY' as const, ...address } };
      const issues = await cutOffIssues(deps, shipper, details);
      if (issues.length > 0) return unprocessable('The facility breaks rules', issues, {}, 'rules_broken');
      const also = cutOffsOf(deps, shipper, code, details);
      return ok(shown(await records.saveFacility(pool, shipper, code, details, also)));
    },
  });
  route('GET /v2/facilities/:code', {
    id: 'readFacility',
    summary: 'One facility',
    path: Path,
    reply: [FacilityView, 'The facility.'],
    errors: [404],
    handle: async ({ shipper, path: { code } }) => {
      const found = await records.findFacility(pool, shipper, code);
      return found === undefined ? unknown(code) : ok(shown(found));
    },
  });
  route('DELETE /v2/facilities/:code', {
    id: 'deleteFacility',
    summary: 'Forget a facility',
    description: 'Orders that were made with it keep its address.',
    path: Path,
    reply: [Type.Object({ code: Type.String(), deleted: Type.Literal(true) }), 'It is gone.'],
    errors: [404],
    handle: async ({ shipper, path: { code } }) => {
      const deleted = await records.deleteFacility(pool, shipper, code, cutOffsOf(deps, shipper, code));
      return deleted ? ok({ code, deleted: true }) : unknown(code);
    },
  });
  list('GET /v2/facilities', {
    id: 'listFacilities',
    summary: 'The facilities there are, by their codes',
    entry: FacilityView,
    size: [50, 200],
    place: [({ code }: records.FacilityRecord) => [code], ANY],
    read: async ({ shipper, after, limit }) =>
      await records.listFacilities(pool, shipper, { afterCode: after?.[0], limit }),
    show: shown,
  });
};

/** Carriers that its manifests cannot be of, and cut-offs that come twice. */
const cutOffIssues = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  { manifests = [] }: FacilityDetails,
): Promise<readonly Issue[]> => {
  const found = manifests.map(async ({ carrier: { code }, cutOff }, at): Promise<readonly Issue[]> => {
    const first = manifests.findIndex((one) => one.carrier.code === code && one.cutOff === cutOff);
    if (first < at) return [issueAt(`manifests[${at}]`, 'unique', `is the cut-off ${cutOff} of ${code} again`)];
    const account = await openAccountOf(deps, shipper, code);
    const issues = 'issues' in account ? account.issues : [];
    return issues.map((issue) => ({ ...issue, path: `manifests[${at}].carrier.code` }));
  });
  return (await Promise.all(found)).flat();
};

/** Saves when its manifests are made. */
const cutOffsOf = (
  { carriers, nowMs }: ApiDeps,
  shipper: ShipperBearer,
  code: string,
  { manifests = [], timezone }: Partial<FacilityDetails> = {},
) => {
  const cutOffs = manifests.map((one) => ({
    ...one,
    timeZone: timezone ?? carriers.find(one.carrier.code)?.time.zone ?? 'UTC',
  }));
  return async (client: PoolClient): Promise<void> => await saveCutOffs(client, shipper, code, cutOffs, nowMs());
};
