/** For operators: retrying, cancelling and resolving of one or many, by their ids or by a filter, also as a trial. */
import type { FastifyInstance } from 'fastify';
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { acceptRetry, type OrderStore } from '../records/accept-change.ts';
import { acceptErrandRetry } from '../records/accept-errand.ts';
import { recordAudit } from '../records/audit.ts';
import { findConsignmentById } from '../records/consignments.ts';
import { nameConsignments } from '../records/push-log.ts';
import { findHeld, listHeld, resolveDispatch } from '../records/held-dispatches.ts';
import { listConsignments } from '../records/list-consignments.ts';
import { consignmentFilter, readFilter } from './admin-consignments.ts';
import { beginCancel, failureOf } from './cancel.ts';
import type { ApiDeps } from './deps.ts';
import { REFUSALS } from './dispatch-reply.ts';
import { heldFilter, heldFilterOf } from './held-dispatches.ts';
import { ok, wrong } from './http-answer.ts';
import { NUMBER } from './lists.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

/** In one request; the rest by its cursor. */
const MOST = 500;
const USUAL = 100;
/** No further one is begun after so long. */
export const BEGIN_WITHIN_MS = 15_000;
/** The database is shared. */
const AT_ONCE = 4;

interface Target {
  /** What was named, or fits: a dispatch or a consignment. */
  readonly id: number;
  readonly consignmentId?: number | undefined;
  readonly errandId?: number | undefined;
  readonly shipper?: string;
  readonly referenceNumber: string;
  readonly carrierCode?: string;
  /** In the order of what fits. */
  readonly place?: readonly (string | number)[];
}

interface Acted {
  readonly result: 'done' | 'refused';
  /** What is under way from now on. */
  readonly dispatchId?: number | undefined;
  readonly code?: string;
  readonly message?: string;
}

interface ManySpec<Filter extends TProperties, Own extends TProperties> {
  readonly id: string;
  /** In the audit log, beside what is noted of each. */
  readonly action: string;
  readonly summary: string;
  readonly filter: Filter;
  /** Of the body, beside what all have. */
  readonly own: Own;
  readonly cursor: readonly RegExp[];
  readonly find: (deps: ApiDeps, ids: readonly number[]) => Promise<readonly Target[]>;
  readonly select: (
    deps: ApiDeps,
    filter: Static<TObject<Filter>>,
    page: { readonly after: readonly string[] | undefined; readonly limit: number },
  ) => Promise<readonly Target[]>;
  readonly act: (
    deps: ApiDeps & OrderStore,
    target: Target,
    body: Static<TObject<Own>>,
    by: { readonly actor: string; readonly trace: string | undefined },
  ) => Promise<Acted>;
}

const Entry = Type.Object({
  id: Type.Integer(),
  ...f.optionalTexts('shipper', 'referenceNumber'),
  result: Type.Enum(['done', 'refused']),
  dispatchId: Type.Optional(Type.Integer({ description: 'What is under way from now on.' })),
  ...f.optionalTexts('code', 'message'),
});
const Reply = Type.Object({
  dryRun: Type.Boolean(),
  doneCount: Type.Integer(),
  refusedCount: Type.Integer(),
  data: Type.Array(Entry),
  nextCursor: Type.Optional(Type.String({ description: 'There are more: ask again with it.' })),
});

const addMany = <Filter extends TProperties, Own extends TProperties>(
  scope: FastifyInstance,
  deps: ApiDeps,
  on: `POST ${string}`,
  { id, action, summary, filter, own, cursor: parts, find, select, act }: ManySpec<Filter, Own>,
): void => {
  const Body = Type.Object(
    {
      ids: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: MOST })),
      filter: Type.Optional(
        Type.Object(filter, {
          additionalProperties: false,
          minProperties: 1,
          description: 'All that fit, a page at a time.',
        }),
      ),
      dryRun: Type.Optional(Type.Boolean({ description: 'Says what would become of each, and changes nothing.' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST, description: `At most so many (${USUAL}).` })),
      cursor: Type.Optional(Type.String({ maxLength: 1_000 })),
      ...own,
    },
    { additionalProperties: false },
  );
  routesOf(scope, deps, { auth: 'admin', tag: 'Admin' } as const)(on, {
    id,
    role: 'operate',
    summary,
    description:
      'Each on its own, and each is told of in the reply, which does not wait for carriers. A request that was cut short may be made again: ' +
      'what is done is not done twice.',
    body: Body,
    reply: [Reply, 'What became of each.'],
    handle: async ({ body, actor, request }) => {
      const by = { actor, trace: request.span?.traceparent };
      const { filter: wanted, dryRun = false, limit = USUAL, cursor, ...given } = body as Given;
      const ids = given.ids && [...new Set(given.ids)];
      if ((ids === undefined) === (wanted === undefined)) return wrong('ids or filter is required, not both');
      const after = cursor === undefined ? undefined : f.readCursor(cursor, parts.length);
      if (cursor !== undefined && (ids !== undefined || after?.every((part, at) => parts[at]?.test(part)) !== true))
        return wrong('cursor is none that we gave');
      const page = { after, limit: limit + 1 };
      const found = await (ids === undefined ? select(deps, wanted as Static<TObject<Filter>>, page) : find(deps, ids));
      const targets = ids === undefined ? found.slice(0, limit) : found;
      const data: (Acted & { readonly id: number })[] = (ids ?? [])
        .filter((id) => !found.some((target) => target.id === id))
        .map((id) => ({ id, ...UNKNOWN }));
      const store = dryRun ? { ...deps, isRehearsal: true } : deps;
      const untilMs = deps.nowMs() + BEGIN_WITHIN_MS;
      let begun = 0;
      while (begun < targets.length && deps.nowMs() < untilMs) {
        const some = targets.slice(begun, begun + AT_ONCE);
        const acted = await Promise.all(
          some.map(async (target) => {
            const { dispatchId, ...done } = await act(store, target, body as never, by);
            if (dispatchId === undefined || dryRun) return { ...f.viewOf(Entry, target), ...done };
            deps.handOn([dispatchId]);
            return { ...f.viewOf(Entry, target), ...done, dispatchId };
          }),
        );
        data.push(...acted);
        begun += some.length;
      }
      if (ids !== undefined) data.push(...targets.slice(begun).map((target) => ({ id: target.id, ...NOT_BEGUN })));
      const doneCount = data.filter(({ result }) => result === 'done').length;
      const counts = { doneCount, refusedCount: data.length - doneCount };
      if (!dryRun) {
        const detail = JSON.stringify({ ...body, ...counts });
        await recordAudit(deps.pool, { actor, action, subject: 'many', detail });
      }
      const end = begun < found.length ? targets[begun - 1]?.place : undefined;
      return ok({ dryRun, ...counts, data, ...(end && { nextCursor: f.writeCursor(end.map(String)) }) });
    },
  });
};

interface Given {
  readonly ids?: readonly number[];
  readonly filter?: object;
  readonly dryRun?: boolean;
  readonly limit?: number;
  readonly cursor?: string;
}

const refused = (code: string, message: string): Acted => ({ result: 'refused', code, message });
const UNKNOWN = refused('unknown', 'There is none of this id');
const NOT_BEGUN = refused('not_begun', 'Time was up before its turn: ask again');
const BUSY = refused('busy', 'An earlier action on it is still under way');

/** Held dispatches. */
const held = {
  filter: heldFilter,
  cursor: [NUMBER],
  find: async ({ pool }: ApiDeps, ids: readonly number[]) => await findHeld(pool, ids),
  select: async (
    { pool }: ApiDeps,
    filter: Static<TObject<typeof heldFilter>>,
    { after, limit }: { readonly after: readonly string[] | undefined; readonly limit: number },
  ) => {
    const found = await listHeld(pool, heldFilterOf(filter), { afterId: f.numberOf(after?.[0]), limit });
    return found.map((one) => ({ ...one, place: [one.id] }));
  },
};

export const addManyRoutes: AddRoutes = (scope, deps) => {
  addMany(scope, deps, 'POST /admin/dispatches/retry', {
    id: 'retryDispatches',
    action: 'retry_many',
    summary: 'Take held dispatches up again',
    ...held,
    own: {},
    act: async (store, { consignmentId = 0, errandId, carrierCode }, _, by) => {
      const carrier = store.carriers.find(carrierCode ?? '');
      if (carrier === undefined) return refused('unknown_carrier', 'Its carrier is not on this platform at present');
      const request = { profileHash: carrier.hash, ...by, claim: undefined };
      const accepted =
        errandId === undefined
          ? await acceptRetry(store, { ...request, consignmentId })
          : await acceptErrandRetry(store, { ...request, errandId });
      if (accepted.kind === 'busy') return BUSY;
      if (accepted.kind === 'refused') return refused(accepted.why, REFUSALS[accepted.why]);
      return { result: 'done', ...('dispatchId' in accepted && { dispatchId: accepted.dispatchId }) };
    },
  });
  addMany(scope, deps, 'POST /admin/dispatches/resolve', {
    id: 'resolveDispatches',
    action: 'resolve_many',
    summary: 'Say what became of held dispatches that all came to the same end',
    ...held,
    own: {
      outcome: Type.Enum(['done', 'not_done', 'rejected']),
      note: f.filled(1_000, 'How you know.'),
    },
    act: async (store, { id: dispatchId }, { outcome, note }, { actor }) => {
      const truth = { outcome, trackingNumbers: new Map<string, string>() };
      const resolved = await resolveDispatch(store, { dispatchId, truth, note, actor });
      switch (resolved.kind) {
        case 'resolved':
          return { result: 'done' };
        case 'numbers':
        case 'number_missing':
          return refused('numbers_missing', 'The carrier’s numbers of it are needed: resolve it alone');
        case 'not_held':
          return refused('dispatch_not_held', `The dispatch is ${resolved.state}`);
        case 'unknown':
          return UNKNOWN;
      }
    },
  });
  addMany(scope, deps, 'POST /admin/consignments/cancel', {
    id: 'cancelAnyConsignments',
    action: 'cancel_many',
    summary: 'Cancel consignments of any shippers before their carriers pick them up',
    filter: consignmentFilter,
    cursor: [NUMBER, NUMBER],
    own: { remark: Type.Optional(f.filled(500)) },
    find: async ({ pool }, ids) => {
      const named = await nameConsignments(pool, ids);
      return ids.flatMap((id) => {
        const name = named.get(id);
        return name === undefined ? [] : [{ ...name, id, consignmentId: id }];
      });
    },
    select: async (deps, given, { after: [createdUs = '', id = ''] = [], limit }) => {
      const filter = await readFilter(deps, given);
      const after = createdUs === '' ? undefined : { createdUs, id };
      const rows = filter === undefined ? [] : await listConsignments(deps.pool, filter, { after, limit });
      return rows.map((row) => ({ ...row, consignmentId: row.id, place: [row.createdUs, row.id] }));
    },
    act: async (store, { consignmentId = 0 }, { remark }, by) => {
      const record = await findConsignmentById(store.pool, consignmentId);
      if (record === undefined) return UNKNOWN;
      const accepted = await beginCancel(store, record, { remark, ...by, claim: undefined });
      if (accepted.kind === 'accepted') return { result: 'done', dispatchId: accepted.dispatchId };
      if (accepted.kind === 'busy') return BUSY;
      return { ...UNKNOWN, ...failureOf(record, accepted, undefined) };
    },
  });
};
