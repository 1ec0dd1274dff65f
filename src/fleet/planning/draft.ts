/** The routes of a day as they are changed: which visits each has, in which order. Pure. */
import type { Day, DayRoute } from './day.ts';
import { type Visit, visitsOf } from './visits.ts';

export interface DraftRoute {
  /** Undefined: a new one. */
  readonly id: number | undefined;
  readonly driver: string;
  readonly vehicle: string;
  readonly state: DayRoute['state'];
  /** By the ids of visits. */
  readonly visits: readonly string[];
}

export interface Draft {
  /** Those that are planned or under way. */
  readonly routes: readonly DraftRoute[];
  readonly visits: ReadonlyMap<string, DraftVisit>;
}

export interface DraftVisit extends Visit {
  /** Undefined: on no route in the records. */
  readonly stopId: number | undefined;
  readonly locked: boolean;
  /** Begun or over: no plan moves it any more. */
  readonly isPast: boolean;
}

const isUnderWay = ({ state }: Pick<DayRoute, 'state'>): boolean => state === 'planned' || state === 'started';

export const draftOf = (day: Day): Draft => {
  const { byStop, open } = visitsOf(day);
  const visits = new Map<string, DraftVisit>();
  const add = (visit: Visit, more: Pick<DraftVisit, 'stopId' | 'locked' | 'isPast'>): string => {
    visits.set(visit.id, { ...visit, ...more });
    return visit.id;
  };
  const routes = day.routes.filter(isUnderWay).map(({ id, driver, vehicle, state, stops }): DraftRoute => ({
    id,
    driver,
    vehicle,
    state,
    visits: stops.flatMap((stop) => {
      const visit = byStop.get(stop.id);
      if (visit === undefined) return [];
      return [add(visit, { stopId: stop.id, locked: stop.locked, isPast: stop.state !== 'pending' })];
    }),
  }));
  for (const visit of open) add(visit, { stopId: undefined, locked: false, isPast: false });
  return { routes, visits };
};

export const unplanned = ({ routes, visits }: Draft): readonly DraftVisit[] => {
  const planned = new Set(routes.flatMap((route) => route.visits));
  return [...visits.values()].filter(({ id, stopId, isPast }) => !planned.has(id) && !(isPast && stopId !== undefined));
};
