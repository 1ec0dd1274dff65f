/** Places of slots: one is free where the day's crews can make one more visit in its zone and window. */
import { createInsertions } from '../plan/insertions.ts';
import type { Plan, Planner, Problem, Route } from '../plan/problem.ts';
import { solve } from '../plan/solve.ts';
import { readDay } from '../planning/read-day.ts';
import { draftOf, type DraftVisit } from '../planning/draft.ts';
import { problemOf } from '../planning/problem-of.ts';
import type { Database, FleetDeps } from '../ports.ts';
import { centreOf } from '../resources/place.ts';

export interface Slot {
  readonly depot: string;
  readonly zone: string;
  readonly day: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const STOP_MINUTES = 5;
/** Of a visit of which nothing is known yet. */
const TYPICAL = { weightKg: 10, volumeM3: 0.1, pallets: 0 };
const NO_LOAD = { weightKg: 0, volumeM3: 0, pallets: 0 };

interface Held {
  readonly id: string;
  readonly zone: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Reservations of the day that no task has taken over. */
const heldOn = async (database: Database, depot: string, day: string, nowMs: number): Promise<readonly Held[]> =>
  await database.all<Held>`
    select r.id, r.zone, r.starts_at as from_ms, r.ends_at as to_ms from fleet.reservations r
    where r.depot = ${depot} and r.day = ${day}
      and (r.state = 'confirmed' or (r.state = 'held' and r.expires_at > ${new Date(nowMs)}))
      and not exists (select from fleet.tasks t
        where t.link_id = r.link_id and t.reference_id = r.reference_id and t.state <> 'cancelled')
    order by r.starts_at, r.id`;

/** One more visit that somebody asks for, all of one depot and day. */
export interface Wish {
  readonly id: string;
  readonly slot: Slot;
}

export interface Rooms {
  /** Whether the visit could be made. */
  readonly isFree: (wish: Wish) => boolean;
  /** As `isFree`; and from now on the place is taken. */
  readonly take: (wish: Wish) => boolean;
}

/** What is left of a depot's day for any of the wishes, as the records have it; under the day's lock, what is found free stays so. */
export const openRooms = async (
  deps: Pick<FleetDeps, 'nowMs' | 'travelOf' | 'planner'>,
  database: Database,
  { depot, day: dayName }: Pick<Slot, 'depot' | 'day'>,
  wishes: readonly Wish[],
): Promise<Rooms> => {
  const nowMs = deps.nowMs();
  const day = await readDay(database, depot, dayName, nowMs);
  const draft = draftOf(day);
  const visitOf = ({ id, zone, fromMs, toMs }: Held): DraftVisit => ({
    id,
    taskIds: [],
    ...(centreOf(day.resources.zones.get(zone)) ?? { latitude: day.site.latitude, longitude: day.site.longitude }),
    zone,
    window: { fromMs, toMs },
    serviceS: (day.resources['service-times'].get('DEFAULT')?.stopMinutes ?? STOP_MINUTES) * 60,
    delivers: TYPICAL,
    collects: NO_LOAD,
    hasDelivery: true,
    hasPickup: false,
    crew: 1,
    skills: [],
    vehicleType: undefined,
    priority: 0,
    stopId: undefined,
    locked: false,
    isPast: false,
  });
  const taken = (await heldOn(database, depot, dayName, nowMs)).map(visitOf);
  // Where more is open than a day can plan, there is no room to give away.
  if (day.left > 0) return { isFree: () => false, take: () => false };
  const asked = wishes.map(({ id, slot }) => visitOf({ ...slot, id }));
  // One table of travel for all of them.
  const { problem } = await problemOf(deps, day, draft, { bound: 'all', more: [...taken, ...asked] });
  const isAsked = new Set(wishes.map(({ id }) => id));
  // All that is to be done has its place before anybody else gets one.
  const tasks = problem.tasks.filter(({ id }) => !isAsked.has(id));
  let plan = await planned({ ...problem, tasks }, deps.planner);
  const insertionsOf = createInsertions(problem);
  /** There is no room any more: others take of it, nobody gives. */
  const full = new Set<string>();
  const find = ({ id, slot }: Wish): Route | undefined => {
    const key = `${slot.zone} ${slot.fromMs} ${slot.toMs}`;
    if (full.has(key)) return undefined;
    const [best] = insertionsOf(plan, id)
      .flatMap((one) => (one.kind === 'possible' ? [one] : []))
      .toSorted((one, other) => one.addedCost - other.addedCost);
    if (best === undefined) full.add(key);
    return best?.route;
  };
  return {
    isFree: (wish) => find(wish) !== undefined,
    take: (wish) => {
      const route = find(wish);
      if (route === undefined) return false;
      plan = { routes: [...plan.routes.filter(({ resource }) => resource !== route.resource), route] };
      return true;
    },
  };
};

/** More are planned in a thread, so that nobody waits meanwhile. */
const HERE_MAX = 60;
const planned = async (problem: Problem, planner: Planner): Promise<Pick<Plan, 'routes'>> =>
  problem.tasks.length > HERE_MAX ? await planner(problem) : solve(problem, { nowMs: () => 0, isStopped: () => false });
