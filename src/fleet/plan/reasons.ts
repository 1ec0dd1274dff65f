/** Why a task is on no route. */
import { clearSpot, NO_BLINKS, scanRoute } from './insertion.ts';
import type { Model } from './model.ts';
import type { Routes } from './routes.ts';
import type { Resource, Task, Unassigned, UnassignedCode } from './problem.ts';
import { FITS, stopsOf } from './tasks.ts';

/** Whether a resource has room for a task on its route. */
export const canTake = (routes: Routes, task: number, resource: number): boolean => {
  const spot = clearSpot({ delta: 0, route: -1, after: 0, afterSecond: 0 });
  scanRoute(routes, task, resource, spot, NO_BLINKS);
  return spot.route >= 0;
};

const fitsShift = ({ problem: { places, travel } }: Model, { start, end, shift }: Resource, task: Task): boolean => {
  const path = [start, ...stopsOf(task).map(({ place }) => place), end];
  const legsS = path
    .slice(1)
    .map((place, index) => travel.durationsS[(path[index] ?? place) * places.length + place] ?? 0);
  const servicesS = stopsOf(task).map(({ serviceS }) => serviceS);
  return [...legsS, ...servicesS].reduce((sum, each) => sum + each, 0) <= shift.toS - shift.fromS;
};

const WORDS: Readonly<Record<UnassignedCode, (left: number, task: Task) => string>> = {
  resource: (_, { resource }) => `There is no resource ${resource} that it is bound to.`,
  depot: () => 'No route starts or ends at its depot.',
  zone: (_, { zone }) => `No driver covers the zone ${zone}.`,
  vehicle_type: (left, { vehicleType }) => `None of the ${left} in question has a vehicle of the type ${vehicleType}.`,
  skills: (left, { skills }) => `None of the ${left} drivers in question has all of the skills ${skills.join(', ')}.`,
  capacity: (left) => `It is too large for each of the ${left} vehicles in question.`,
  shift: (left) => `Its driving and service take longer than each of the ${left} shifts in question.`,
  window: (left) => `None of the ${left} drivers in question can be there within its window and back within the shift.`,
  not_planned: () => 'There is room for it, but it is on no route.',
  no_room: (left) => `None of the ${left} routes in question has room left for it.`,
};

/** Of one resource where `which` names it, of all otherwise; `empty`: what they could do, had they nothing else to do. */
export const reasonFor = (empty: Routes, index: number, which?: number, hasRoom = false): Unassigned => {
  const { model } = empty;
  const { tasks, resources } = model.problem;
  const task = tasks[index];
  if (task === undefined) throw new RangeError(`There is no task ${index}`);
  const constraints: readonly (readonly [UnassignedCode, (resource: Resource, at: number) => boolean])[] = [
    ...FITS.map(([code, fits]) => [code, (resource: Resource) => fits(resource, task)] as const),
    ['shift', (resource) => fitsShift(model, resource, task)],
    ['window', (_, at) => canTake(empty, index, at)],
  ];
  let left = [...resources.entries()].filter(([at]) => which === undefined || at === which);
  for (const [code, isMet] of constraints) {
    const meeting = left.filter(([at, resource]) => isMet(resource, at));
    if (meeting.length === 0) return { task: task.id, code, message: WORDS[code](left.length, task) };
    left = meeting;
  }
  const code = hasRoom ? 'not_planned' : 'no_room';
  return { task: task.id, code, message: WORDS[code](left.length, task) };
};
