/** For operators: making good what carriers pushed and nobody could place or understand, one or many, or as it would be. */
import { Type } from 'typebox';
import { recordAudit } from '../records/audit.ts';
import { findLastConsignment } from '../records/consignments.ts';
import { listPushes, nameConsignments, type PushReason } from '../records/push-log.ts';
import { findPush, type PushRecord } from '../records/pushes.ts';
import {
  assignPush,
  rematchPushes,
  renormalisePushes,
  type Repair,
  REPAIRED_AT_ONCE,
  type Repaired,
} from '../records/repair-pushes.ts';
import { findShipper } from '../records/shippers.ts';
import type { ApiDeps } from './deps.ts';
import { badRequest, conflict, type HttpAnswer, notFound, ok } from './http-answer.ts';
import { BEGIN_WITHIN_MS } from './many.ts';
import { ConsignmentName, pushFilterOf, pushFilters, PushPath } from './pushes.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const MOST = 500;
const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const some = (description: string) => Type.Optional(Type.Array(id, { minItems: 1, maxItems: MOST, description }));
const dryRun = Type.Optional(Type.Boolean({ description: 'Says what would be done, and does nothing.' }));

const selectionOf = <Reason extends PushReason>(...reasons: Reason[]) =>
  Type.Object(
    {
      ids: some('These pushes; without them all that the filters leave.'),
      ...pushFilters,
      reason: Type.Optional(Type.Enum(reasons)),
      before: Type.Optional(
        Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: '`nextBefore` of the last answer.' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST, description: '100 without it.' })),
      dryRun,
    },
    { additionalProperties: false },
  );
const Assignment = Type.Object(
  {
    shipper: f.shipperCode(),
    environment: Type.Optional(f.Environment),
    referenceNumber: f.filled(100),
    packageId: Type.Optional(f.filled(100, 'Without it the events are of all packages.')),
    events: some('These of its events; without them all that fit nothing.'),
    note: f.filled(1_000, 'Why; for the audit log.'),
    dryRun,
  },
  { additionalProperties: false },
);
const RepairedView = Type.Object({
  id: Type.Integer(),
  carrierCode: Type.String(),
  read: Type.Integer({ description: 'Events that were read for the first time.' }),
  matched: Type.Integer({ description: 'Of the events that were looked at, those that fit a consignment.' }),
  mapped: Type.Integer({ description: 'Events whose status is known now.' }),
  consignments: Type.Array(ConsignmentName, { description: 'Those that events were matched with.' }),
  failure: Type.Optional(Type.String()),
});
const Reply = Type.Object({
  dryRun: Type.Boolean(),
  data: Type.Array(RepairedView),
  nextBefore: Type.Optional(Type.Integer()),
});

export const addPushRepairRoutes: AddRoutes = (scope, deps) => {
  const { pool } = deps;
  const route = routesOf(scope, deps, { auth: 'admin', tag: 'Admin' });
  route('POST /admin/pushes/:id/assign', {
    id: 'assignPush',
    role: 'operate',
    summary: 'Say which consignment a push is for that fitted none or several',
    description:
      'Its shipper is told what follows by webhook. A tracking number that it names is one of the consignment from ' +
      'now on: what else names it finds it.',
    path: PushPath,
    body: Assignment,
    reply: [Reply, 'What became of it, or would.'],
    errors: [404, 409],
    handle: async ({ path, body, actor }) => {
      const push = await findPush(pool, Number(path.id));
      if (push === undefined) return notFound(`There is no push ${path.id}`, 'unknown_push');
      const {
        shipper,
        environment = 'production',
        referenceNumber,
        packageId,
        events: eventIds,
        dryRun = false,
      } = body;
      const owner = await findShipper(pool, shipper);
      const record = owner && (await findLastConsignment(pool, owner.id, environment, referenceNumber));
      if (record === undefined)
        return notFound(
          `Shipper ${shipper} has no consignment ${referenceNumber} in ${environment}`,
          'unknown_consignment',
        );
      const refused = whyNot(push, record);
      if (refused !== undefined) return conflict(refused, 'push_not_assignable');
      const position = record.packages.find(({ reference }) => reference === packageId)?.position;
      if (packageId !== undefined && position === undefined) {
        const there = record.packages.map(({ reference }) => reference).join(', ');
        return badRequest([
          {
            path: 'packageId',
            code: 'not_one_of',
            message: `packageId ${packageId} is no package of the consignment: it has ${there}`,
          },
        ]);
      }
      const to = { kind: 'matched', consignmentId: record.id, position, direction: record.consignmentType } as const;
      const asked = { to, eventIds };
      const open = (await deps.intake.readAgain(push, asked)).events.filter(({ assigned }) => assigned);
      if (eventIds !== undefined && open.length < new Set(eventIds).size)
        return badRequest([
          {
            path: 'events',
            code: 'not_one_of',
            message: `events names one that push ${push.id} does not have, or that has its consignment`,
          },
        ]);
      if (open.length === 0)
        return conflict(`No event of push ${push.id} is without a consignment`, 'push_not_assignable');
      const repaired = await assignPush(deps, push, asked, dryRun);
      const audit = { actor, action: 'assign_push', subject: `push:${push.id}`, detail: JSON.stringify(body) };
      if (!dryRun) await recordAudit(pool, audit);
      return ok({ dryRun, data: await viewsOf(deps, repaired) });
    },
  });
  const repair = (name: string, summary: string, reasons: PushReason[], act: Repair) =>
    route(`POST /admin/pushes/${name}`, {
      id: `${name}Pushes`,
      role: 'operate',
      summary,
      body: selectionOf(...reasons),
      reply: [Reply, '`nextBefore` is `before` of the next request, where there are more.'],
      handle: async ({ body, actor }): Promise<HttpAnswer> => {
        const { dryRun = false, ids, reason, before: beforeId, limit = 100, ...given } = body;
        const filter = { ...pushFilterOf(given), ids, beforeId, reasons: reason === undefined ? reasons : [reason] };
        const found = await listPushes(pool, { ...filter, limit: limit + 1 });
        const page = found.slice(0, limit);
        const repaired: Repaired[] = [];
        const untilMs = deps.nowMs() + BEGIN_WITHIN_MS;
        while (repaired.length < page.length && deps.nowMs() < untilMs) {
          const some = page.slice(repaired.length, repaired.length + REPAIRED_AT_ONCE);
          repaired.push(...(await act(deps, some, dryRun)));
        }
        const nextBefore = found.length > repaired.length ? repaired.at(-1)?.id : undefined;
        const audit = {
          actor,
          action: `${name}_pushes`,
          subject: 'pushes',
          detail: JSON.stringify({ ...body, found: repaired.length }),
        };
        if (!dryRun) await recordAudit(pool, audit);
        return ok({ dryRun, data: await viewsOf(deps, repaired), nextBefore });
      },
    });
  repair(
    'rematch',
    'Look again for the consignments of pushes that fitted none or several, the newest first',
    ['unmatched', 'ambiguous'],
    rematchPushes,
  );
  repair(
    'renormalise',
    'Read pushes that are not well by the profile as it is now, the newest first',
    ['unmapped', 'failed', 'unmatched', 'ambiguous'],
    renormalisePushes,
  );
};

const whyNot = (
  push: PushRecord,
  record: { readonly carrierCode: string; readonly environment: string; readonly acceptance: string },
): string | undefined => {
  if (push.state === 'pending') return `Push ${push.id} is about to be processed; assign it when that is done`;
  if (record.carrierCode !== push.carrierCode)
    return `Carrier ${push.carrierCode} sent push ${push.id}, and the consignment is with ${record.carrierCode}`;
  if (push.environment !== undefined && push.environment !== record.environment)
    return `Push ${push.id} is of ${push.environment}, and the consignment of ${record.environment}`;
  return record.acceptance === 'rejected' ? 'The carrier rejected the consignment, and has none of it' : undefined;
};

const viewsOf = async ({ pool }: ApiDeps, repaired: readonly Repaired[]) => {
  const named = await nameConsignments(
    pool,
    repaired.flatMap(({ consignmentIds }) => consignmentIds),
  );
  return repaired.map(({ consignmentIds, ...one }) => ({
    ...f.viewOf(RepairedView, one),
    consignments: consignmentIds.flatMap((id) => named.get(id) ?? []),
  }));
};
