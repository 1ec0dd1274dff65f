/**
 * What a route has come to: a fold over all that was reported of it, in the order of the devices' times, so it is the same
 * in whatever order and how often the reports came. Pure.
 */
import type { TaskState } from '../contract/tasks.ts';
import type { EventType, ReportedEvent } from './events.ts';

export interface FoldEvent {
  readonly id: string;
  readonly type: EventType;
  readonly atMs: number;
  readonly stopId: number | undefined;
  readonly taskIds: readonly number[];
  readonly data: Partial<ReportedEvent>;
}

export interface FoldStop {
  readonly id: number;
  readonly taskIds: readonly number[];
  readonly plannedArrivalMs: number | undefined;
  readonly windowFromMs: number | undefined;
  readonly travelS: number;
  readonly serviceS: number;
  readonly isCancelled: boolean;
}

export interface Folded {
  readonly state: 'planned' | 'started' | 'finished' | 'broken_down';
  readonly startedAtMs: number | undefined;
  readonly finishedAtMs: number | undefined;
  readonly stops: ReadonlyMap<number, { readonly state: StopState; readonly etaMs: number | undefined }>;
  /** Of tasks about which something was reported, or whose route is under way. */
  readonly tasks: ReadonlyMap<number, TaskOutcome>;
}
type StopState = 'pending' | 'en_route' | 'arrived' | 'done' | 'failed' | 'cancelled';
type TaskOutcome = Extract<TaskState, 'out' | 'delivered' | 'partly_delivered' | 'failed'> | 'back' | 'dropped';

const OUTCOMES: Readonly<Partial<Record<EventType, TaskOutcome>>> = {
  delivered: 'delivered',
  partly_delivered: 'partly_delivered',
  failed: 'failed',
};
const MINUTE_MS = 60_000;

/** What becomes of a task with these packages by a report: none of them among those that were handed over, it has failed. */
export const outcomeOf = (
  { type, data: { packages } }: Pick<FoldEvent, 'type' | 'data'>,
  items: readonly string[],
): TaskOutcome | undefined =>
  type === 'partly_delivered' && packages?.some((item) => items.includes(item)) === false ? 'failed' : OUTCOMES[type];

const isReturn = ({ type }: Pick<FoldEvent, 'type'>): number => Number(type === 'returned_to_depot');
/** By the time of the device; of one moment, a return after what it brings back, and else as the ids are sorted. */
export const inOrder = <Event extends FoldEvent>(events: readonly Event[]): readonly Event[] =>
  events.toSorted(
    (one, other) => one.atMs - other.atMs || isReturn(one) - isReturn(other) || (one.id < other.id ? -1 : 1),
  );

/** `itemsOf`: the item references of a task's packages. */
export const foldRoute = (
  stops: readonly FoldStop[],
  reported: readonly FoldEvent[],
  itemsOf: (task: number) => readonly string[],
): Folded => {
  const events = inOrder(reported).filter(({ type }) => type !== 'position');
  const tasks = new Map<number, TaskOutcome>();
  const states = new Map<number, StopState>(
    stops.map(({ id, isCancelled }) => [id, isCancelled ? 'cancelled' : 'pending']),
  );
  let state: Folded['state'] = 'planned';
  let startedAtMs: number | undefined;
  let finishedAtMs: number | undefined;
  let delayMs = 0;
  /** Where the route was last known to be, and since when. */
  let last: { readonly at: number; readonly ms: number; readonly isLeft: boolean } | undefined;
  for (const event of events) {
    const { type, atMs, stopId, taskIds, data } = event;
    // Whoever drives to a stop has started, also if that was not reported or not yet.
    if (state === 'planned') {
      state = 'started';
      startedAtMs = atMs;
      for (const stop of stops) for (const task of stop.taskIds) tasks.set(task, 'out');
    }
    const place = stops.findIndex(({ id }) => id === stopId);
    const before = stopId === undefined ? undefined : states.get(stopId);
    if (type === 'broken_down' || type === 'route_finished') {
      state = type === 'broken_down' ? 'broken_down' : 'finished';
      finishedAtMs = atMs;
      for (const stop of stops)
        for (const task of stop.taskIds) if (tasks.get(task) === 'out') tasks.set(task, 'dropped');
    } else if (type === 'returned_to_depot') {
      const about = taskIds.length > 0 ? taskIds : [...tasks.keys()];
      for (const task of about) {
        const outcome = tasks.get(task);
        if (outcome === 'failed') tasks.set(task, 'back');
      }
    } else if (type === 'delayed') {
      delayMs += (data.minutes ?? 0) * MINUTE_MS;
    } else if (stopId !== undefined && before !== undefined) {
      // What was delivered is delivered.
      const isOver = before === 'done';
      for (const task of taskIds) {
        const outcome = outcomeOf(event, itemsOf(task));
        if (outcome !== undefined && tasks.get(task) !== 'delivered') tasks.set(task, outcome);
      }
      if (OUTCOMES[type] !== undefined) {
        const own = stops[place]?.taskIds ?? taskIds;
        const isAllFailed =
          own.length > 0 && own.every((task) => tasks.get(task) === 'failed' || tasks.get(task) === 'back');
        const isAnyOpen = own.some((task) => (tasks.get(task) ?? 'out') === 'out');
        states.set(stopId, isAnyOpen ? 'arrived' : isAllFailed ? 'failed' : 'done');
        if (!isAnyOpen) [last, delayMs] = [{ at: place, ms: atMs, isLeft: true }, 0];
      } else if (!isOver && before !== 'failed') {
        states.set(stopId, type === 'arrived' || before === 'arrived' ? 'arrived' : 'en_route');
        if (type === 'arrived') [last, delayMs] = [{ at: place, ms: atMs, isLeft: false }, 0];
      }
    }
  }
  const etas = etasOf(
    stops,
    states,
    last ?? (startedAtMs === undefined ? undefined : { at: -1, ms: startedAtMs, isLeft: true }),
    delayMs,
  );
  return {
    state,
    startedAtMs,
    finishedAtMs,
    stops: new Map([...states].map(([id, stopState]) => [id, { state: stopState, etaMs: etas.get(id) }])),
    tasks,
  };
};

/** Of the stops to come: from where the route is, as long as planned from door to door. */
const etasOf = (
  stops: readonly FoldStop[],
  states: ReadonlyMap<number, StopState>,
  last: { readonly at: number; readonly ms: number; readonly isLeft: boolean } | undefined,
  delayMs: number,
): ReadonlyMap<number, number> => {
  const etas = new Map<number, number>();
  let leavesMs =
    last === undefined ? undefined : last.ms + (last.isLeft ? 0 : (stops[last.at]?.serviceS ?? 0) * 1_000) + delayMs;
  for (const [at, stop] of stops.entries()) {
    const state = states.get(stop.id);
    if (state === 'arrived' && last?.at === at) etas.set(stop.id, last.ms);
    if (state !== 'pending' && state !== 'en_route') continue;
    if (leavesMs === undefined) {
      if (stop.plannedArrivalMs !== undefined) etas.set(stop.id, stop.plannedArrivalMs);
      continue;
    }
    const eta: number = Math.max(leavesMs + stop.travelS * 1_000, stop.windowFromMs ?? 0);
    etas.set(stop.id, eta);
    leavesMs = eta + stop.serviceS * 1_000;
  }
  return etas;
};
