/** The driver's route as the server tells it, and with what the server has not heard yet. Pure. */
import type { Route, Stop, Task } from '../src/fleet/shapes.ts';

export interface DriverEvent {
  readonly id: string;
  readonly type:
    | 'route_started'
    | 'en_route'
    | 'arrived'
    | 'delivered'
    | 'partly_delivered'
    | 'failed'
    | 'delayed'
    | 'returned_to_depot'
    | 'route_finished'
    | 'position';
  readonly at: string;
  readonly stopId?: string;
  readonly taskIds?: readonly string[];
  readonly packages?: readonly string[];
  readonly reason?: string;
  readonly comment?: string;
  readonly receivedBy?: string;
  readonly relation?: string;
  readonly proofs?: readonly string[];
  readonly latitude?: number;
  readonly longitude?: number;
  readonly minutes?: number;
  readonly vas?: readonly { readonly vasCode: string; readonly itemReferenceNumber?: string; readonly done: boolean }[];
}

const SETTLED = new Set(['delivered', 'partly_delivered', 'failed', 'returned', 'cancelled']);
export const isSettled = ({ state }: Pick<Task, 'state'>): boolean => SETTLED.has(state);
export const isOpen = ({ state }: Stop): boolean => state === 'pending' || state === 'en_route' || state === 'arrived';

export const isLate = (stop: Stop): boolean =>
  isOpen(stop) &&
  stop.tasks.some(({ window }) => window && Date.parse(window.to) < Date.parse(stop.eta ?? stop.plannedArrival));

const withEvent = (route: Route, { type, stopId, taskIds }: DriverEvent): Route => {
  if (type === 'route_started') return { ...route, state: 'started' };
  if (type === 'route_finished') return { ...route, state: 'finished' };
  const stops = route.stops.map((stop) => (stop.id === stopId ? stopWith(stop, type, taskIds) : stop));
  return { ...route, stops };
};

const stopWith = (stop: Stop, type: DriverEvent['type'], taskIds: DriverEvent['taskIds']): Stop => {
  if (type === 'en_route' || type === 'arrived') return isOpen(stop) ? { ...stop, state: type } : stop;
  if (type !== 'delivered' && type !== 'partly_delivered' && type !== 'failed') return stop;
  const tasks = stop.tasks.map((task) =>
    taskIds === undefined || taskIds.includes(task.id) ? { ...task, state: type } : task,
  );
  if (!tasks.every(isSettled)) return { ...stop, tasks };
  return { ...stop, tasks, state: tasks.every(({ state }) => state === 'failed') ? 'failed' : 'done' };
};

export const withUnsent = (route: Route, unsent: readonly DriverEvent[]): Route => unsent.reduce(withEvent, route);
