/** Pickups that come again: by their shippers, and for operators all that comes again. */
import { Type } from 'typebox';
import { nextPickup, PickupPlan, pickupOn } from '../../engine/pickups/plan.ts';
import { issueAt } from '../../engine/validate.ts';
import { findFacility } from '../records/facilities.ts';
import { endPlan, endPlanById, findPlan, listPlans, type NextErrand, type Plan, savePlan } from '../records/plans.ts';
import { transaction } from '../records/pool.ts';
import type { Owner } from '../records/shippers.ts';
import { badRequest, type HttpAnswer, notFound, ok, unprocessable } from './http-answer.ts';
import { listsOf, NUMBER } from './lists.ts';
import { type PickupDeps, placeAt, takePickup } from './pickup-intake.ts';
import { type PickupPlanView, PlanView, times } from './pickup-shapes.ts';
import { carrierCode, number, numberOf, shipperCode, texts, viewOf } from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const AREA = { auth: 'shipper', tag: 'Pickups' } as const;
const KIND = 'pickup';
const Path = Type.Object({
  code: Type.String({
    pattern: '^[A-Za-z0-9][\\w.-]{0,79}$',
    'x-must': 'be letters, digits, dots, dashes and underscores',
  }),
});
const AnyPlanView = Type.Object({
  id: Type.Integer(),
  ...texts('kind', 'shipper', 'environment', 'code', 'carrierCode'),
  facilityCode: Type.Optional(Type.String()),
  ...times,
});
const shown = ({ request, ...plan }: Plan): PickupPlanView => viewOf(PlanView, { ...plan, ...(request as PickupPlan) });
const unknown = (code: string): HttpAnswer => notFound(`There is no plan ${code} that goes on`, 'unknown_plan');

/** The next pickup of a plan, after a day; undefined: there is none, or its carrier or facility is gone. */
export const nextOf = async (
  deps: PickupDeps,
  owner: Owner,
  plan: PickupPlan,
  after?: string,
): Promise<NextErrand | undefined> => {
  const carrier = deps.carriers.find(plan.carrier.code);
  const facility = await findFacility(deps.pool, owner, plan.originFacilityCode);
  if (carrier === undefined || facility === undefined) return undefined;
  const { address, pickupTimes, timezone } = facility.details;
  const timeZone = plan.timezone ?? timezone ?? carrier.time.zone;
  return nextPickup(plan, { place: placeAt(carrier, address, pickupTimes), timeZone, after, nowMs: deps.nowMs() });
};

export const addPlanRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  const { pool } = deps;
  route('PUT /v2/pickup-plans/:code', {
    id: 'savePickupPlan',
    summary: 'Have a facility’s parcels picked up on certain days, or replace the plan with this code',
    description:
      'Each pickup is booked some hours before, with the reference number `<code>-<day>`, and not on days on which the ' +
      'facility or the carrier is closed. Those that are booked already stay. Give the number and weight to expect.',
    path: Path,
    body: PickupPlan,
    reply: [PlanView, 'As it is now.'],
    errors: [422],
    handle: async ({ shipper, path: { code }, body }) => {
      const { shipperId, environment } = shipper;
      const next = await nextOf(deps, shipper, body);
      const rules = [
        ...(body.pickupStartTime < body.pickupEndTime
          ? []
          : [issueAt('pickupEndTime', 'window_order', 'must be after pickupStartTime')]),
        ...(['totalQuantity', 'totalWeight'] as const).flatMap((name) =>
          body[name] === undefined ? [issueAt(name, 'required', 'is required: what is to be expected')] : [],
        ),
      ];
      if (rules.length > 0) return unprocessable('The plan breaks rules', rules, {}, 'rules_broken');
      const tomorrow = new Date(deps.nowMs() + 86_400_000).toISOString().slice(0, 10);
      const taken = await takePickup(deps, shipper, pickupOn(body, next?.day ?? tomorrow));
      if (taken.kind === 'invalid') return badRequest(taken.issues);
      const issues = [
        ...(taken.kind === 'refused' ? taken.issues : []),
        ...(next === undefined && taken.kind === 'ready'
          ? [issueAt('weekdays', 'window_closed', 'has no day on which the facility and the carrier work')]
          : []),
      ].map((one) => ({ ...one, path: one.path.replace(/^shipFrom\.(?:pickup.*)?/, '') }));
      if (issues.length > 0) return unprocessable('The plan breaks rules', issues, {}, 'rules_broken');
      const key = { kind: KIND, shipperId, environment, code };
      const plan = { carrierCode: body.carrier.code, facilityCode: body.originFacilityCode, request: body };
      return ok(shown(await savePlan(pool, key, plan, next)));
    },
  });
  route('GET /v2/pickup-plans/:code', {
    id: 'readPickupPlan',
    summary: 'One plan',
    path: Path,
    reply: [PlanView, 'The plan.'],
    errors: [404],
    handle: async ({ shipper, path: { code } }) => {
      const found = await findPlan(pool, { ...shipper, kind: KIND, code });
      return found === undefined ? unknown(code) : ok(shown(found));
    },
  });
  route('DELETE /v2/pickup-plans/:code', {
    id: 'endPickupPlan',
    summary: 'End a plan',
    description: 'Pickups that are booked already stay.',
    path: Path,
    reply: [Type.Object({ code: Type.String(), ended: Type.Literal(true) }), 'It has ended.'],
    errors: [404],
    handle: async ({ shipper, path: { code } }) =>
      (await endPlan(pool, { ...shipper, kind: KIND, code })) ? ok({ code, ended: true }) : unknown(code),
  });
  list('GET /v2/pickup-plans', {
    id: 'listPickupPlans',
    summary: 'Plans that go on',
    entry: PlanView,
    place: [({ id }: Plan) => [id], NUMBER],
    read: async ({ shipper, after, limit }) =>
      await listPlans(pool, { owner: shipper, kind: KIND, afterId: numberOf(after?.[0]), limit }),
    show: shown,
  });
  const admin = { auth: 'admin', tag: 'Admin' } as const;
  listsOf(
    scope,
    deps,
    admin,
  )('GET /admin/plans', {
    id: 'listPlans',
    summary: 'What comes again at carriers: pickups on certain days, and the like',
    filter: {
      shipper: Type.Optional(shipperCode()),
      carrier: Type.Optional(carrierCode()),
      failing: Type.Optional(Type.Enum(['true'], { description: 'Only those of which the last was not done.' })),
    },
    entry: AnyPlanView,
    place: [({ id }: Plan) => [id], NUMBER],
    read: async ({ query: { shipper, carrier, failing }, after, limit }) =>
      await listPlans(pool, {
        shipper,
        carrierCode: carrier,
        failing: failing === 'true',
        afterId: numberOf(after?.[0]),
        limit,
      }),
    show: (plan) => viewOf(AnyPlanView, plan),
  });
  routesOf(
    scope,
    deps,
    admin,
  )('POST /admin/plans/:id/end', {
    id: 'endPlan',
    role: 'operate',
    summary: 'End a plan',
    description: 'What it has booked already stays.',
    path: Type.Object({ id: number() }),
    reply: [Type.Object({ id: Type.Integer(), ended: Type.Literal(true) }), 'It has ended.'],
    errors: [404],
    handle: async ({ path, actor }) => {
      const id = Number(path.id);
      const ended = await transaction(pool, async (client) => await endPlanById(client, id, actor));
      return ended ? ok({ id, ended: true }) : unknown(path.id);
    },
  });
};
