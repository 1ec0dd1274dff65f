/** A day of a depot: its tasks, its routes, and what there is to plan with. */
import type { Demand } from '../contract/demand.ts';
import type { TaskState } from '../contract/tasks.ts';
import type { Depot, Resources } from '../resources/shapes.ts';

export interface DayTask {
  readonly id: number;
  readonly linkId: number;
  readonly referenceId: string;
  readonly kind: 'DELIVERY' | 'PICKUP';
  readonly exchange: string | undefined;
  readonly zone: string | undefined;
  readonly demand: Demand;
  readonly state: TaskState;
  readonly stopId: number | undefined;
  readonly changedAtMs: number;
}

export interface DayStop {
  readonly id: number;
  readonly routeId: number;
  readonly locked: boolean;
  readonly state: 'pending' | 'en_route' | 'arrived' | 'done' | 'failed' | 'cancelled';
  readonly plannedArrivalMs: number | undefined;
  readonly plannedDepartureMs: number | undefined;
  readonly travelS: number;
  readonly serviceS: number;
  readonly etaMs: number | undefined;
}

export interface DayRoute {
  readonly id: number;
  readonly driver: string;
  readonly vehicle: string;
  readonly state: 'planned' | 'started' | 'finished' | 'broken_down';
  readonly version: number;
  readonly startedAtMs: number | undefined;
  /** In their order. */
  readonly stops: readonly DayStop[];
}

export interface Day {
  readonly depot: string;
  readonly site: Depot;
  readonly day: string;
  readonly resources: Resources;
  readonly tasks: ReadonlyMap<number, DayTask>;
  readonly routes: readonly DayRoute[];
  /** Open tasks beyond those that a day can plan. */
  readonly left: number;
  /** Another where tasks or routes have changed. */
  readonly version: string;
}
