/**
 * The planner's port: who drives, what is to be done, and the plan that comes of it, as plain data. Any planner answers
 * it: the embedded one, or VROOM over HTTP.
 *
 * Times are seconds since an instant of the caller's choice (Unix time, or the midnight of a day), the same throughout a
 * problem; durations are seconds, distances metres. Costs are in a unit of the caller's choice.
 */

/** Both ends included. */
export interface TimeWindow {
  readonly fromS: number;
  readonly toS: number;
}

/** What is left out is zero of a load, and unlimited of a capacity. */
export interface Load {
  readonly weightKg?: number | undefined;
  readonly volumeM3?: number | undefined;
  readonly pallets?: number | undefined;
}

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  /** Decides the speed where travel is estimated from coordinates. */
  readonly zone?: string | undefined;
}

/** From each place to each, row by row: from `a` to `b` is at `a * places + b`. */
export interface TravelTable {
  readonly durationsS: Float64Array;
  readonly distancesM: Float64Array;
}

/** Fills the table of a list of places: great circles, OSRM or Valhalla. Throws a `Failure`. */
export type TravelSource = (places: readonly Place[], signal?: AbortSignal) => Promise<TravelTable>;

/** Begins within its window, wherever the driver is by then; not due of a route that has ended by `window.toS` without it. */
interface Break {
  readonly window: TimeWindow;
  readonly durationS: number;
}

/** The stop of a task: 0, or 1 for the delivery of a shipment. */
export interface StopRef {
  readonly task: string;
  readonly stop: 0 | 1;
}

/** A driver with a vehicle, for one route. */
export interface Resource {
  readonly id: string;
  /** Where the route starts and ends, as indexes of `places`: depots, or where the driver is by now. */
  readonly start: number;
  readonly end: number;
  readonly shift: TimeWindow;
  readonly break?: Break | undefined;
  readonly capacity: Load;
  /** Aboard from the start to the end of the route, whatever is done on it. */
  readonly aboard?: Load | undefined;
  readonly skills: readonly string[];
  /** Left out: all. */
  readonly zones?: readonly string[] | undefined;
  readonly vehicleType?: string | undefined;
  /** Of a route with at least one stop. */
  readonly fixedCost: number;
  readonly costPerKm: number;
  /** Of driving, not of waiting or service. */
  readonly costPerHour: number;
}

export interface Stop {
  readonly place: number;
  /** Service begins within one of them; empty: at any time. In order, not overlapping. */
  readonly windows: readonly TimeWindow[];
  readonly serviceS: number;
}

interface TaskTerms {
  readonly id: string;
  /** All of them are required of the driver. */
  readonly skills: readonly string[];
  readonly zone?: string | undefined;
  readonly vehicleType?: string | undefined;
  /** From 0. Where not everything has room, higher ones come first. */
  readonly priority: number;
  /** Only this resource may do it: locked by hand, or aboard already. */
  readonly resource?: string | undefined;
  /** What is delivered comes from here and what is collected goes here: the route starts, or ends, at this place. */
  readonly depot?: number | undefined;
}

export type Task = TaskTerms &
  (
    | { readonly kind: 'delivery'; readonly stop: Stop; readonly delivers: Load }
    | { readonly kind: 'pickup'; readonly stop: Stop; readonly collects: Load }
    | { readonly kind: 'exchange'; readonly stop: Stop; readonly delivers: Load; readonly collects: Load }
    /** Fetched at one address and brought to another, on one route, in this order. */
    | { readonly kind: 'shipment'; readonly pickup: Stop; readonly delivery: Stop; readonly carries: Load }
  );

/**
 * What is best, after leaving as little as possible undone. `fewest_vehicles`, then the least cost; `least_cost`, with
 * the fixed costs; `balanced`: working time shared evenly among all resources.
 */
type Objective = 'fewest_vehicles' | 'least_cost' | 'balanced';

/** The search ends with the first that is reached. With `iterations` alone, a plan depends on nothing but its problem. */
export interface Budget {
  readonly iterations?: number | undefined;
  readonly milliseconds?: number | undefined;
}

export interface Problem {
  readonly places: readonly Place[];
  readonly travel: TravelTable;
  readonly resources: readonly Resource[];
  readonly tasks: readonly Task[];
  readonly objective: Objective;
  readonly seed: number;
  readonly budget: Budget;
}

export interface PlannedStop extends StopRef {
  readonly place: number;
  readonly arrivalS: number;
  /** Of the service: on arrival, or when the window opens or a break has ended. */
  readonly startS: number;
  readonly departureS: number;
  /** Idle before the service, a break not counted. */
  readonly waitS: number;
  /** Aboard on leaving. */
  readonly load: Load;
}

export interface PlannedBreak {
  readonly startS: number;
  readonly endS: number;
  /** It lies before the stop of this index, or before the end of the route where that is the number of stops. */
  readonly before: number;
}

export interface Route {
  readonly resource: string;
  /** As late as possible without making any stop later. */
  readonly startS: number;
  readonly endS: number;
  /** Aboard on leaving the start. */
  readonly load: Load;
  readonly stops: readonly PlannedStop[];
  readonly break?: PlannedBreak | undefined;
  readonly distanceM: number;
  readonly travelS: number;
  readonly cost: number;
}

/**
 * The constraint that no resource meets of those that meet the ones before it in this list. `no_room`: some could do it, had they
 * nothing else to do. `not_planned`: some could do it beside all that they do.
 */
export type UnassignedCode =
  | 'resource'
  | 'depot'
  | 'zone'
  | 'vehicle_type'
  | 'skills'
  | 'capacity'
  | 'shift'
  | 'window'
  | 'no_room'
  | 'not_planned';

export interface Unassigned {
  readonly task: string;
  readonly code: UnassignedCode;
  /** For the dispatcher. */
  readonly message: string;
}

export interface Plan {
  /** Of the resources that have something to do, in the order of the problem. */
  readonly routes: readonly Route[];
  readonly unassigned: readonly Unassigned[];
  readonly cost: number;
  readonly distanceM: number;
  /** Of the search that made it. */
  readonly iterations: number;
}

/** How far a search is. `best.cost` is by the objective: of `balanced`, squares of working time. */
export interface Progress {
  readonly iterations: number;
  readonly elapsedMs: number;
  /** Of the budget, from 0 to 1. */
  readonly fraction: number;
  readonly best: Pick<Plan, 'cost' | 'distanceM'> & { readonly vehicles: number; readonly unassigned: number };
}

interface PlanOptions {
  /** Ends the search early; the best plan so far is returned. */
  readonly signal?: AbortSignal | undefined;
  /** A few times a second at most. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Throws a `Failure` for a problem that contradicts itself or a service that does not answer, never for tasks without a route. */
export type Planner = (problem: Problem, options?: PlanOptions) => Promise<Plan>;
