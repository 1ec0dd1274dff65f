/** A shipper's facilities, whose codes fill in the addresses of orders. */
import { Type } from 'typebox';
import {
  FacilityBody,
  FacilityCode,
  type FacilityDetails,
  facilityProperties,
} from '../../engine/consignment/facility.ts';
import * as records from '../records/facilities.ts';
import { notFound, ok } from './http-answer.ts';
import { ANY, listsOf } from './lists.ts';
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
    handle: async ({ shipper, path, body: { address, ...rest } }) => {
      const details = { ...rest, address: { type: 'FACILITY' as const, ...address } };
      return ok(shown(await records.saveFacility(pool, shipper, path.code, details)));
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
    handle: async ({ shipper, path: { code } }) =>
      (await records.deleteFacility(pool, shipper, code)) ? ok({ code, deleted: true }) : unknown(code),
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
