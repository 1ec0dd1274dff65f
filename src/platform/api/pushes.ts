/** For operators: what carriers sent us, and what of it fits nothing or is not understood. */
import { type Static, Type } from 'typebox';
import { allNames, namesOf } from '../../engine/statuses/match.ts';
import { hideNamed, hideNamedBytes } from '../../engine/transport/masking.ts';
import {
  findCandidates,
  findPushEvents,
  listPushes,
  type LoggedPush,
  nameConsignments,
  PUSH_REASONS,
} from '../records/push-log.ts';
import { findPush } from '../records/pushes.ts';
import { bodyView } from './admin-reads.ts';
import type { ApiDeps } from './deps.ts';
import { notFound, ok } from './http-answer.ts';
import { listsOf, NUMBER } from './lists.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

export const PushPath = Type.Object({ id: f.number() });
const Source = Type.Enum(['contract', 'webhook', 'poll']);
export const pushFilters = {
  carrier: Type.Optional(f.carrierCode()),
  source: Type.Optional(Source),
  since: Type.Optional(f.time('Received then or later.')),
  until: Type.Optional(f.time('Received before.')),
};
const listFilter = {
  ...pushFilters,
  state: Type.Optional(Type.Enum(['pending', 'done', 'failed'])),
  reason: Type.Optional(Type.Enum(PUSH_REASONS, { description: 'Why it is not well.' })),
};

export const ConsignmentName = Type.Object(f.texts('shipper', 'environment', 'referenceNumber'));
const pushFields = {
  id: Type.Integer(),
  carrierCode: Type.String(),
  source: Source,
  environment: Type.Optional(f.Environment),
  receivedAt: f.instant(),
  state: Type.Enum(['pending', 'done', 'failed']),
  failure: Type.Optional(Type.String({ description: 'Why it could not be read, or not all of it.' })),
  unmatched: Type.Integer({ description: 'Events of it that fit no consignment.' }),
  ambiguous: Type.Integer({ description: 'Events that fit several, or one of which several packages may be meant.' }),
  unmapped: Type.Integer({ description: 'Events whose status no row of the status table knows.' }),
};
const PushEntry = Type.Object(pushFields);
const PushEvent = Type.Object({
  id: Type.Integer(),
  pushId: Type.Integer({ description: 'Another, where it had come before.' }),
  match: Type.Enum(['matched', 'unmatched', 'ambiguous']),
  ...f.optionalTexts('packageId', 'reason'),
  ...f.texts('status', 'carrierStatus', 'carrierSubStatus', 'carrierDescription', 'eventTimezone'),
  occurredAt: f.instant(),
  warnings: Type.Array(Type.String()),
  update: Type.Record(Type.String(), Type.Unknown()),
});
const WholePush = Type.Object({
  ...pushFields,
  request: Type.Object({ ...f.texts('method', 'url'), headers: Type.Record(Type.String(), Type.String()) }),
  body: Type.String({ description: 'As it came, but for what is secret; text or base64, as `encoding` says.' }),
  encoding: Type.Enum(['utf8', 'base64']),
  readNow: Type.Object(
    { updates: Type.Integer(), problems: Type.Array(Type.String()) },
    { description: 'How many status updates the profile reads from it by now, and what it cannot read.' },
  ),
  events: Type.Array(
    Type.Object({
      ...PushEvent.properties,
      consignment: Type.Optional(ConsignmentName),
      candidates: Type.Array(ConsignmentName, { description: 'Consignments that one of its names stands for.' }),
    }),
  ),
});

export const addPushRoutes: AddRoutes = (scope, deps) => {
  const { pool } = deps;
  const area = { auth: 'admin', tag: 'Admin' } as const;
  const route = routesOf(scope, deps, area);
  const list = listsOf(scope, deps, area);
  list('GET /admin/pushes', {
    id: 'listPushes',
    summary: 'What carriers pushed, or were polled for, and what of it is not well, the newest first',
    filter: listFilter,
    entry: PushEntry,
    place: [({ id }: LoggedPush) => [id], NUMBER],
    byId: 'before',
    read: async ({ query: { state, reason, ...given }, after, limit }) => {
      const reasons = reason === undefined ? undefined : [reason];
      const beforeId = f.numberOf(after?.[0]);
      return await listPushes(pool, { ...pushFilterOf(given), state, reasons, beforeId, limit });
    },
    show: (push) => f.viewOf(PushEntry, push),
  });
  route('GET /admin/pushes/:id', {
    id: 'getPush',
    role: 'read',
    summary: 'One push as it came, and what became of each of its events',
    path: PushPath,
    reply: [WholePush, 'Without what is secret.'],
    errors: [404],
    handle: async ({ path }) => {
      const view = await wholePush(deps, Number(path.id));
      return view === undefined ? notFound(`There is no push ${path.id}`, 'unknown_push') : ok(view);
    },
  });
};

type Filters = { -readonly [Name in keyof typeof pushFilters]?: Static<(typeof pushFilters)[Name]> };
export const pushFilterOf = ({ carrier: carrierCode, source, since, until }: Filters) => {
  const received = { since: f.timeOf(since), until: f.timeOf(until) };
  return { carrierCode, source, ...received };
};

const wholePush = async ({ pool, intake }: ApiDeps, id: number) => {
  const push = await findPush(pool, id);
  const [entry] = await listPushes(pool, { ids: [id], limit: 1 });
  if (push === undefined || entry === undefined) return undefined;
  const reading = await intake.read(push);
  const keys = reading.events.map(({ deduplicationKey }) => deduplicationKey);
  const events = await findPushEvents(pool, push, keys);
  const open = events.filter(({ match }) => match !== 'matched');
  const lists = open.map(({ update }) => allNames(namesOf(update)));
  const candidates = new Map((await findCandidates(pool, push, lists)).map((ids, at) => [open[at]?.id, ids]));
  const ids = events.flatMap(({ id, consignmentId = [] }) => [consignmentId, candidates.get(id) ?? []].flat());
  const named = await nameConsignments(pool, ids);
  return {
    ...f.viewOf(PushEntry, entry),
    request: push.request,
    ...bodyView(hideNamedBytes(Buffer.from(push.body))),
    readNow: { updates: reading.said, problems: reading.problems },
    events: events.map((event) => ({
      ...f.viewOf(PushEvent, event),
      update: JSON.parse(hideNamed(JSON.stringify(event.update))) as object,
      consignment: event.consignmentId === undefined ? undefined : named.get(event.consignmentId),
      candidates: (candidates.get(event.id) ?? []).flatMap((one) => named.get(one) ?? []),
    })),
  };
};
