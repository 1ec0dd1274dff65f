/** The driver's route as the server tells it, and with what the server has not heard yet. Pure. */
import type { ReportedEvent } from '../../src/fleet/execution/events.ts';
import type { Route, Stop, Task } from '../src/fleet/shapes.ts';
import { isOver } from '../src/fleet/times.ts';

const SETTLED = new Set(['delivered', 'partly_delivered', 'failed', 'returned', 'cancelled']);
export const isSettled = ({ state }: Pick<Task, 'state'>): boolean => SETTLED.has(state);

const withEvent = (route: Route, { type, stopId, taskIds }: ReportedEvent): Route => {
  if (type === 'route_started') return { ...route, state: 'started' };
  if (type === 'route_finished') return { ...route, state: 'finished' };
  const stops = route.stops.map((stop) => (stop.id === stopId ? stopWith(stop, type, taskIds) : stop));
  return { ...route, stops };
};

const stopWith = (stop: Stop, type: ReportedEvent['type'], taskIds: ReportedEvent['taskIds']): Stop => {
  if (type === 'en_route' || type === 'arrived') return isOver(stop) ? stop : { ...stop, state: type };
  if (type !== 'delivered' && type !== 'partly_delivered' && type !== 'failed') return stop;
  const tasks = stop.tasks.map((task) =>
    taskIds === undefined || taskIds.includes(task.id) ? { ...task, state: type } : task,
  );
  if (!tasks.every(isSettled)) return { ...stop, tasks };
  return { ...stop, tasks, state: tasks.every(({ state }) => state === 'failed') ? 'failed' : 'done' };
};

export const withUnsent = (route: Route, unsent: readonly ReportedEvent[]): Route => unsent.reduce(withEvent, route);

/** Collected is handed over at the depot; what was not delivered is brought back, and what failed is planned again. */
export const goesBack = ({ kind, state }: Pick<Task, 'kind' | 'state'>): boolean =>
  state === 'failed' || state === 'partly_delivered' || (kind === 'PICKUP' && state === 'delivered');
