/** What drivers and dispatchers report of a route, and what is wrong with a report. Pure. */
import { type Static, Type } from 'typebox';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { type Issue, issueAt, validator } from '../../engine/validate.ts';
import type { TaskState } from '../contract/tasks.ts';
import { closed, ID, type Resources } from '../resources/shapes.ts';

const EVENT_TYPES = [
  'route_started',
  'en_route',
  'arrived',
  'delivered',
  'partly_delivered',
  'failed',
  'delayed',
  'returned_to_depot',
  'route_finished',
  'position',
] as const;
export type EventType = (typeof EVENT_TYPES)[number] | 'broken_down';

const text = (max: number) => Type.Optional(Type.String({ maxLength: max }));
const uuid = () =>
  Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$', 'x-must': 'be a UUID' });

export const ReportedEvent = Type.Object(
  {
    id: uuid(),
    type: Type.Enum([...EVENT_TYPES]),
    /** By the device's clock. */
    at: Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$',
      'x-must': 'be an instant written YYYY-MM-DDTHH:MM:SSZ',
    }),
    stopId: Type.Optional(ID),
    /** Of the stop; all of them unless told. */
    taskIds: Type.Optional(Type.Array(ID, { minItems: 1, maxItems: 50 })),
    /** Of `partly_delivered`: those that were delivered, by their item references. */
    packages: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 500 })),
    reason: text(100),
    comment: text(1_000),
    receivedBy: text(200),
    relation: text(100),
    proofs: Type.Optional(Type.Array(uuid(), { maxItems: 20 })),
    latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
    longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
    /** Of `delayed`. */
    minutes: Type.Optional(Type.Number({ minimum: 1, maximum: 1_440 })),
    vas: Type.Optional(
      Type.Array(
        Type.Object(
          { vasCode: Type.String({ maxLength: 100 }), itemReferenceNumber: text(200), done: Type.Boolean() },
          closed,
        ),
        { maxItems: 100 },
      ),
    ),
  },
  closed,
);
export type ReportedEvent = Static<typeof ReportedEvent>;
export const readEvent = validator(ReportedEvent, 'the event');

/** Of a route, what a report may be about. */
interface ReportedRoute {
  readonly order: readonly { readonly id: number; readonly taskIds: readonly number[] }[];
  readonly tasks: ReadonlyMap<number, ReportedTask>;
  readonly proofs: ReadonlyMap<string, { readonly stopId: number; readonly kind: string }>;
}
interface ReportedTask {
  readonly id: number;
  readonly state: TaskState;
  readonly consignment: Pick<Consignment, 'vas'>;
  readonly packages: readonly { readonly itemReference: string }[];
}

/** Clocks of phones are a little wrong. */
const AHEAD_MS = 120_000;
const BEHIND_MS = 7 * 86_400_000;
const OF_STOPS: ReadonlySet<string> = new Set(['en_route', 'arrived', 'delivered', 'partly_delivered', 'failed']);
const HANDED_OVER: ReadonlySet<string> = new Set(['delivered', 'partly_delivered']);

/** It may be taken: its time is one, and near enough. */
export const isTimely = (atMs: number, nowMs: number): boolean => atMs <= nowMs + AHEAD_MS && atMs >= nowMs - BEHIND_MS;

/** Nothing: it is taken. It says nothing about what was reported before: what comes late or out of order is taken, too. */
export const eventIssues = (
  event: ReportedEvent,
  route: ReportedRoute,
  { reasons }: Pick<Resources, 'reasons'>,
  nowMs: number,
): readonly Issue[] => {
  const issues: Issue[] = [];
  const wrong = (field: string, code: Parameters<typeof issueAt>[1], says: string): void =>
    void issues.push(issueAt(field, code, says));
  const atMs = Date.parse(event.at);
  if (Number.isNaN(atMs)) wrong('at', 'malformed', 'is no time');
  if (atMs > nowMs + AHEAD_MS) wrong('at', 'not_allowed', 'lies in the future');
  if (atMs < nowMs - BEHIND_MS) wrong('at', 'not_allowed', 'is more than 7 days ago');
  if ((event.latitude === undefined) !== (event.longitude === undefined))
    wrong(event.latitude === undefined ? 'latitude' : 'longitude', 'required', 'goes with the other');
  if (event.type === 'position' && event.latitude === undefined) wrong('latitude', 'required', 'is what it is about');
  if (event.type === 'delayed' && event.minutes === undefined) wrong('minutes', 'required', 'says how late');
  if (event.type === 'failed' && event.reason === undefined) wrong('reason', 'required', 'says why');
  if (event.reason !== undefined && !reasons.has(event.reason))
    wrong('reason', 'not_one_of', `must be one of ${[...reasons.keys()].join(', ')}`);
  if (event.stopId === undefined)
    return OF_STOPS.has(event.type) ? [...issues, issueAt('stopId', 'required', 'says where')] : issues;
  const stopId = Number(event.stopId);
  if (!route.order.some(({ id }) => id === stopId))
    return [...issues, issueAt('stopId', 'not_one_of', `names ${event.stopId}, which is no stop of the route`)];
  const known = tasksOf(route, { stopId: event.stopId });
  for (const [at, task] of (event.taskIds ?? []).entries())
    if (!known.some(({ id }) => id === Number(task)))
      wrong(`taskIds[${at}]`, 'not_one_of', `names ${task}, which is no task of the stop`);
  const tasks = tasksOf(route, event);
  for (const [at, item] of (event.packages ?? []).entries())
    if (!tasks.some(({ packages }) => packages.some(({ itemReference }) => itemReference === item)))
      wrong(`packages[${at}]`, 'not_one_of', `names ${item}, which is no package of the task`);
  const proofs = (event.proofs ?? []).map((proof) => route.proofs.get(proof.toLowerCase()));
  for (const [at, proof] of proofs.entries())
    if (proof?.stopId !== stopId)
      wrong(`proofs[${at}]`, 'not_one_of', `names ${event.proofs?.[at]}, which is no photo or signature of this stop`);
  const isSigned = proofs.some((proof) => proof?.stopId === stopId && proof.kind === 'signature');
  if (HANDED_OVER.has(event.type) && !isSigned && tasks.some(needsSignature))
    wrong('proofs', 'required', 'must have a signature: the order asks for one');
  return issues;
};

const needsSignature = ({ consignment: { vas = [] } }: ReportedTask): boolean =>
  vas.some(({ vasCode }) => vasCode === 'SIGNATURE_REQUIRED');

/** Those of its stop that it is about. */
export const tasksOf = (
  { order, tasks }: Pick<ReportedRoute, 'order' | 'tasks'>,
  { stopId, taskIds }: Pick<ReportedEvent, 'stopId' | 'taskIds'>,
): readonly ReportedTask[] =>
  (order.find(({ id }) => id === Number(stopId))?.taskIds ?? [])
    .filter((id) => taskIds === undefined || taskIds.includes(String(id)))
    .flatMap((id) => tasks.get(id) ?? [])
    .filter(({ state }) => state !== 'cancelled');
