/** Visits: what is done together at one door. The tasks of a stop, or of an exchange, are one; any other task is its own. Pure. */
import { distanceKm } from '../resources/place.ts';
import type { Day, DayTask } from './day.ts';

interface Load {
  readonly weightKg: number;
  readonly volumeM3: number;
  readonly pallets: number;
}

export interface Visit {
  /** Of its first task. */
  readonly id: string;
  readonly taskIds: readonly number[];
  readonly latitude: number;
  readonly longitude: number;
  readonly zone: string | undefined;
  readonly window: { readonly fromMs: number; readonly toMs: number } | undefined;
  readonly serviceS: number;
  readonly delivers: Load;
  readonly collects: Load;
  readonly hasDelivery: boolean;
  readonly hasPickup: boolean;
  readonly crew: number;
  readonly skills: readonly string[];
  readonly vehicleType: string | undefined;
  readonly priority: number;
}

/** An exchange is one visit where both its parts go to the same door. */
const SAME_DOOR_KM = 0.1;

const visitOf = (tasks: readonly DayTask[]): Visit => {
  const [first] = tasks;
  if (first === undefined) throw new Error('a visit has at least one task');
  const { latitude, longitude } = first.demand;
  const windows = tasks.flatMap(({ demand: { window } }) => window ?? []);
  const loadOf = (kind: DayTask['kind']): Load => {
    const sum = (name: keyof Load): number =>
      tasks.reduce((total, task) => total + (task.kind === kind ? task.demand[name] : 0), 0);
    return { weightKg: sum('weightKg'), volumeM3: sum('volumeM3'), pallets: sum('pallets') };
  };
  return {
    id: `v${first.id}`,
    taskIds: tasks.map(({ id }) => id),
    latitude,
    longitude,
    zone: first.zone,
    window:
      windows.length === 0
        ? undefined
        : {
            fromMs: Math.max(...windows.map(({ fromMs }) => fromMs)),
            toMs: Math.min(...windows.map(({ toMs }) => toMs)),
          },
    serviceS: tasks.reduce((total, { demand }) => total + demand.serviceMinutes * 60, 0),
    delivers: loadOf('DELIVERY'),
    collects: loadOf('PICKUP'),
    hasDelivery: tasks.some(({ kind }) => kind === 'DELIVERY'),
    hasPickup: tasks.some(({ kind }) => kind === 'PICKUP'),
    crew: Math.max(...tasks.map(({ demand }) => demand.crew)),
    skills: [...new Set(tasks.flatMap(({ demand }) => demand.skills))],
    vehicleType: tasks.find(({ demand }) => demand.vehicleType !== undefined)?.demand.vehicleType,
    priority: Math.max(...tasks.map(({ demand }) => demand.priority)),
  };
};

const isPair = (one: DayTask, other: DayTask): boolean =>
  one.exchange !== undefined &&
  one.exchange === other.exchange &&
  one.kind !== other.kind &&
  one.linkId === other.linkId &&
  distanceKm(one.demand, other.demand) <= SAME_DOOR_KM &&
  haveTimeTogether(one.demand, other.demand);

const haveTimeTogether = ({ window: one }: DayTask['demand'], { window: other }: DayTask['demand']): boolean =>
  one === undefined || other === undefined || Math.max(one.fromMs, other.fromMs) < Math.min(one.toMs, other.toMs);

/** By the stop that each is of; those that are of none. */
export const visitsOf = ({
  tasks,
}: Pick<Day, 'tasks'>): {
  readonly byStop: ReadonlyMap<number, Visit>;
  readonly open: readonly Visit[];
} => {
  const onStops = Map.groupBy(
    [...tasks.values()].filter(({ stopId }) => stopId !== undefined),
    ({ stopId }) => stopId ?? 0,
  );
  const open: [DayTask, DayTask?][] = [];
  const known = new Map<string, [DayTask, DayTask?][]>();
  for (const task of [...tasks.values()].filter(({ stopId }) => stopId === undefined)) {
    const others = known.get(task.exchange ?? '') ?? [];
    const pair = others.find(([other, its]) => its === undefined && isPair(other, task));
    if (pair !== undefined) pair.push(task);
    else {
      const visit: [DayTask] = [task];
      open.push(visit);
      if (task.exchange !== undefined) known.set(task.exchange, [...others, visit]);
    }
  }
  return {
    byStop: new Map([...onStops].map(([stopId, group]) => [stopId, visitOf(group)])),
    open: open.map((group) => visitOf(group.flatMap((task) => task ?? []))),
  };
};
