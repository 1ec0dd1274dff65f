/** For operators: the consignments of all shippers, and the whole story of one. */
import { type Static, Type } from 'typebox';
import { ACCEPTANCES } from '../../engine/consignment/reply.ts';
import { inDirection, normalise } from '../../engine/statuses/normalise.ts';
import { NORMALISED_STATUSES } from '../../engine/statuses/status.ts';
import { ORDER_TYPES } from '../../engine/webhooks/subscription.ts';
import { standingOf } from '../records/acceptance.ts';
import { listAudit } from '../records/audit.ts';
import { canonicalOf, findConsignmentById } from '../records/consignments.ts';
import { listDeliveriesOf } from '../records/delivery-log.ts';
import { listExchanges } from '../records/exchanges.ts';
import { type ConsignmentFilter, type ListedConsignment, listConsignments } from '../records/list-consignments.ts';
import { findShipper, findShipperById } from '../records/shippers.ts';
import { type CallView, listCalls, listNotices } from '../records/story.ts';
import { exchangeView } from './admin-reads.ts';
import type { EventView } from './consignment-shapes.ts';
import { about, AuditNote, Call, ListedEntry, Notice, Story, type StoryEvent } from './console-shapes.ts';
import { viewDelivery } from './deliveries.ts';
import type { ApiDeps } from './deps.ts';
import { notFound, ok } from './http-answer.ts';
import { listsOf, NUMBER } from './lists.ts';
import * as f from './query-fields.ts';
import { viewConsignment } from './read.ts';
import { type AddRoutes, routesOf } from './route.ts';
import { DeliveryEntry } from './webhook-shapes.ts';

const AREA = { auth: 'admin', tag: 'Admin' } as const;

/** What consignments may be looked for by. */
export const consignmentFilter = {
  number: Type.Optional(
    f.filled(
      400,
      'One of its numbers, as it is: a tracking number, the referenceNumber, orderNumber or consignmentNumber.',
    ),
  ),
  shipper: Type.Optional(f.shipperCode()),
  environment: Type.Optional(f.Environment),
  carrier: Type.Optional(f.carrierCode()),
  status: Type.Optional(Type.Enum([...NORMALISED_STATUSES])),
  acceptance: Type.Optional(Type.Enum([...ACCEPTANCES])),
  orderType: Type.Optional(Type.Enum([...ORDER_TYPES])),
  createdFrom: Type.Optional(f.time('Created then or later.')),
  createdBefore: Type.Optional(f.time('Created earlier than that.')),
};
const Filter = Type.Object(consignmentFilter);

/** So many of each list are shown, and so much of each body. */
const MOST = 200;
const EXCHANGES_MAX = 100;
const BODY_MAX = 16_384;

const ConsignmentPath = Type.Object({ id: f.number() });

export const addAdminConsignmentRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  list('GET /admin/consignments', {
    id: 'searchConsignments',
    summary: 'Consignments of all shippers, the newest first',
    description: 'All that fit every filter.',
    filter: consignmentFilter,
    entry: ListedEntry,
    size: [50, 200],
    place: [({ createdUs, id }: ListedConsignment) => [createdUs, id], NUMBER, NUMBER],
    read: async ({ query, after: [createdUs = '', id = ''] = [], limit }) => {
      const filter = await readFilter(deps, query);
      const after = createdUs === '' ? undefined : { createdUs, id };
      return filter === undefined ? [] : await listConsignments(deps.pool, filter, { after, limit });
    },
    show: ({ stands, ...listed }) => f.viewOf(ListedEntry, { ...listed, ...standingOf(stands) }),
  });
  route('GET /admin/consignments/:id', {
    id: 'readStory',
    role: 'read',
    summary: 'One consignment with its whole story',
    description: 'Its order, dispatches, calls, exchanges, events, labels, notices with their deliveries, and audit.',
    path: ConsignmentPath,
    reply: [
      Story,
      `Of each list the newest ${MOST} at most, of exchanges ${EXCHANGES_MAX}; of bodies ${BODY_MAX} bytes.`,
    ],
    errors: [404],
    handle: async ({ path }) => {
      const story = await tell(deps, Number(path.id));
      return story === undefined ? notFound(`There is no consignment ${path.id}`, 'unknown_consignment') : ok(story);
    },
  });
};

/** Undefined: nothing can fit. */
export const readFilter = async (
  { pool }: ApiDeps,
  { shipper: code, carrier, createdFrom, createdBefore, ...same }: Static<typeof Filter>,
): Promise<ConsignmentFilter | undefined> => {
  const shipper = code === undefined ? undefined : await findShipper(pool, code);
  if (code !== undefined && shipper === undefined) return undefined;
  const [fromMs, beforeMs] = [createdFrom, createdBefore].map((text) => f.timeOf(text)?.getTime());
  return { ...same, shipperId: shipper?.id, carrierCode: carrier, fromMs, beforeMs };
};

const tell = async (deps: ApiDeps, id: number) => {
  const { pool } = deps;
  const record = await findConsignmentById(pool, id);
  if (record === undefined) return undefined;
  const [view, shipper, ...newest] = await Promise.all([
    viewConsignment(deps, record, MOST + 1),
    findShipperById(pool, record.shipperId),
    listCalls(pool, id, MOST + 1),
    listExchanges(pool, { consignmentId: id, limit: EXCHANGES_MAX + 1, bodyMax: BODY_MAX }),
    listNotices(pool, id, MOST + 1),
    listDeliveriesOf(pool, id, MOST + 1),
    listAudit(pool, { subject: `consignment:${id}`, limit: MOST + 1 }),
  ]);
  const { events, dispatches } = view;
  const carrier = deps.carriers.find(record.carrierCode);
  /** By the profile as it is now. */
  const readAgain = (event: Static<typeof EventView>): Static<typeof StoryEvent> => {
    if (carrier === undefined) return { ...event, warnings: [] };
    const receivedAtMs = new Date(event.receivedAt).getTime();
    const read = normalise(carrier, event.carrierStatus, receivedAtMs, record.consignmentType);
    const { row, eventTimezone, warnings } = inDirection(read, record.consignmentType);
    const place = row && `${row.place.file}:${row.place.line}`;
    return {
      ...event,
      eventTimezone,
      warnings: [...warnings],
      ...(row && place !== undefined && { row: { key: row.key, status: row.status, place } }),
    };
  };
  const cut: string[] = [];
  const most = <Row>(name: keyof Static<typeof Story>, rows: readonly Row[], max = MOST): readonly Row[] => {
    if (rows.length > max) cut.push(name);
    return rows.slice(0, max);
  };
  const [calls, exchanges, notices, deliveries, audit] = newest;
  return {
    ...view,
    ...f.viewOf(Type.Object(about), { ...record, shipper: shipper?.code }),
    order: JSON.parse(record.orderText) as unknown,
    canonical: canonicalOf(record),
    events: most('events', events.toReversed()).toReversed().map(readAgain),
    dispatches: most('dispatches', dispatches.toReversed()).toReversed(),
    calls: most('calls', calls).map(viewCall),
    exchanges: most('exchanges', exchanges, EXCHANGES_MAX).map(exchangeView),
    notices: most('notices', notices).map((notice) => f.viewOf(Notice, notice)),
    deliveries: most('deliveries', deliveries).map((delivery) => viewDelivery(DeliveryEntry, delivery)),
    audit: most('audit', audit).map((entry) => f.viewOf(AuditNote, entry)),
    cut,
  };
};

const viewCall = ({ verdict, ...call }: CallView) => {
  const { as, problem } = verdict?.failed ?? {};
  return f.viewOf(Call, { ...call, failure: problem && { as, code: problem.code, messages: problem.messages } });
};
