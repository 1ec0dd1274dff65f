/** Judges plans by nothing but the problem: shares no code with the planner. */
import type {
  Load,
  Plan,
  Problem,
  Resource,
  Route,
  Stop,
  Task,
  UnassignedCode,
} from '../../../src/fleet/plan/problem.ts';

const DIMENSIONS = ['weightKg', 'volumeM3', 'pallets'] as const;
const NEAR = 1e-6;

const stopOf = (task: Task, index: number): Stop =>
  task.kind === 'shipment' ? (index === 0 ? task.pickup : task.delivery) : task.stop;

/** What a stop does to what is aboard, and what of it is aboard from the start. */
const changeOf = (task: Task, index: number): { fromStart: Load; change: readonly (readonly [Load, 1 | -1])[] } => {
  switch (task.kind) {
    case 'delivery':
      return { fromStart: task.delivers, change: [[task.delivers, -1]] };
    case 'pickup':
      return { fromStart: {}, change: [[task.collects, 1]] };
    case 'exchange':
      return {
        fromStart: task.delivers,
        change: [
          [task.delivers, -1],
          [task.collects, 1],
        ],
      };
    case 'shipment':
      return { fromStart: {}, change: [[task.carries, index === 0 ? 1 : -1]] };
  }
};

const meets = (resource: Resource, task: Task, code: UnassignedCode): boolean => {
  switch (code) {
    case 'resource':
      return task.resource === undefined || task.resource === resource.id;
    case 'depot': {
      const isFrom = task.kind === 'delivery' || task.kind === 'exchange';
      const isTo = task.kind === 'pickup' || task.kind === 'exchange';
      return (
        task.depot === undefined ||
        ((!isFrom || resource.start === task.depot) && (!isTo || resource.end === task.depot))
      );
    }
    case 'zone':
      return task.zone === undefined || resource.zones === undefined || resource.zones.includes(task.zone);
    case 'vehicle_type':
      return task.vehicleType === undefined || task.vehicleType === resource.vehicleType;
    case 'skills':
      return task.skills.filter((skill) => !resource.skills.includes(skill)).length === 0;
    default:
      return true;
  }
};

const UNTIMED = ['resource', 'depot', 'zone', 'vehicle_type', 'skills'] as const;

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= NEAR * Math.max(1, Math.abs(a), Math.abs(b));

const checkRoute = (problem: Problem, route: Route): readonly string[] => {
  const faults: string[] = [];
  const expect = (isRight: boolean, fault: string): void => {
    if (!isRight) faults.push(`${route.resource}: ${fault}`);
  };
  const resource = problem.resources.find(({ id }) => id === route.resource);
  if (resource === undefined) return [`${route.resource} is no resource`];
  const driveS = (from: number, to: number): number => problem.travel.durationsS[from * problem.places.length + to]!;
  const driveM = (from: number, to: number): number => problem.travel.distancesM[from * problem.places.length + to]!;
  const visits = route.stops.map((planned) => {
    const task = problem.tasks.find(({ id }) => id === planned.task)!;
    return { planned, task, stop: stopOf(task, planned.stop) };
  });
  expect(visits.length > 0, 'has no stops');

  // Times.
  const pause = route.break;
  let leftS = route.startS;
  let place = resource.start;
  let travelS = 0;
  let distanceM = 0;
  expect(route.startS >= resource.shift.fromS - NEAR, 'starts before the shift');
  expect(route.endS <= resource.shift.toS + NEAR, `ends at ${route.endS}, after the shift`);
  const leg = (index: number, to: number, arrivalS: number, nextS: number, what: string): void => {
    const legS = driveS(place, to);
    travelS += legS;
    distanceM += driveM(place, to);
    expect(arrivalS >= leftS + legS - NEAR, `${what} is reached ${leftS + legS - arrivalS} s too early`);
    if (pause?.before === index) {
      expect(pause.startS >= leftS - NEAR && pause.endS <= nextS + NEAR, `the break overlaps ${what}`);
      expect(nextS - leftS >= legS + pause.endS - pause.startS - NEAR, `the way to ${what} has no time for the break`);
    }
  };
  for (const [index, { planned, stop, task }] of visits.entries()) {
    leg(index, stop.place, planned.arrivalS, planned.startS, `stop ${index}`);
    expect(planned.place === stop.place, `stop ${index} is elsewhere`);
    expect(planned.startS >= planned.arrivalS - NEAR, `stop ${index} begins before the arrival`);
    expect(
      stop.windows.length === 0 ||
        stop.windows.some(({ fromS, toS }) => planned.startS >= fromS - NEAR && planned.startS <= toS + NEAR),
      `stop ${index} (${task.id}) begins at ${planned.startS}, outside its windows`,
    );
    expect(isNear(planned.departureS, planned.startS + stop.serviceS), `stop ${index} is not served in its time`);
    const pausedS = pause?.before === index ? Math.max(0, pause.endS - Math.max(pause.startS, planned.arrivalS)) : 0;
    expect(isNear(planned.waitS, planned.startS - planned.arrivalS - pausedS), `stop ${index} waits otherwise`);
    leftS = planned.departureS;
    place = stop.place;
  }
  leg(visits.length, resource.end, route.endS - 0, route.endS, 'the end');
  if (resource.break === undefined) expect(pause === undefined, 'has a break that nobody asked for');
  else if (pause === undefined) expect(route.endS <= resource.break.window.toS + NEAR, 'has no break');
  else {
    const { window, durationS } = resource.break;
    expect(
      pause.startS >= window.fromS - NEAR && pause.startS <= window.toS + NEAR,
      'takes its break outside the window',
    );
    expect(isNear(pause.endS - pause.startS, durationS), 'has a break of another length');
  }
  expect(isNear(route.travelS, travelS) && isNear(route.distanceM, distanceM), 'is of another length');
  const cost = resource.fixedCost + (distanceM / 1000) * resource.costPerKm + (travelS / 3600) * resource.costPerHour;
  expect(isNear(route.cost, cost), `costs ${cost}, not ${route.cost}`);

  // Loads.
  for (const dimension of DIMENSIONS) {
    let aboard = resource.aboard?.[dimension] ?? 0;
    for (const { task, planned } of visits) {
      if (planned.stop === 0) aboard += changeOf(task, 0).fromStart[dimension] ?? 0;
    }
    const limit = resource.capacity[dimension] ?? Infinity;
    expect(isNear(route.load[dimension] ?? 0, aboard), `starts with another ${dimension}`);
    expect(aboard <= limit + NEAR, `starts with ${aboard} ${dimension}`);
    for (const [index, { task, planned }] of visits.entries()) {
      for (const [load, sign] of changeOf(task, planned.stop).change) aboard += sign * (load[dimension] ?? 0);
      expect(isNear(planned.load[dimension] ?? 0, aboard), `has another ${dimension} after stop ${index}`);
      expect(aboard <= limit + NEAR, `has ${aboard} ${dimension} after stop ${index}`);
    }
  }

  // Who may do it, and in which order.
  for (const { task } of visits) {
    for (const code of UNTIMED) expect(meets(resource, task, code), `may not do ${task.id}: ${code}`);
  }
  for (const { task } of visits.filter(({ task }) => task.kind === 'shipment')) {
    const order = route.stops.filter((planned) => planned.task === task.id).map(({ stop }) => stop);
    expect(order.join() === '0,1', `does the stops of ${task.id} in the order ${order.join()}`);
  }
  return faults;
};

/** What is wrong with a plan; empty: nothing. */
export const faultsOf = (problem: Problem, plan: Plan): readonly string[] => {
  const faults = plan.routes.flatMap((route) => checkRoute(problem, route));
  const resources = plan.routes.map(({ resource }) => resource);
  if (new Set(resources).size < resources.length) faults.push('a resource has two routes');
  const seen = new Map<string, number>();
  for (const { task } of plan.routes.flatMap(({ stops }) => stops)) seen.set(task, (seen.get(task) ?? 0) + 1);
  for (const { task } of plan.unassigned) seen.set(task, (seen.get(task) ?? 0) + 10);
  for (const task of problem.tasks) {
    const count = seen.get(task.id) ?? 0;
    if (count !== 10 && count !== (task.kind === 'shipment' ? 2 : 1)) faults.push(`${task.id} is there ${count} times`);
  }
  if (seen.size > problem.tasks.length) faults.push('there are tasks that the problem does not have');
  for (const { task: id, code } of plan.unassigned) {
    const task = problem.tasks.find((each) => each.id === id)!;
    const place = (UNTIMED as readonly UnassignedCode[]).indexOf(code);
    const before = UNTIMED.slice(0, place < 0 ? UNTIMED.length : place);
    const left = problem.resources.filter((resource) => before.every((each) => meets(resource, task, each)));
    if (left.length === 0 && problem.resources.length > 0)
      faults.push(`${id} is left over for an earlier reason than ${code}`);
    if (place >= 0 && left.some((resource) => meets(resource, task, code)))
      faults.push(`${id} is not left over for ${code}`);
  }
  if (
    !isNear(
      plan.cost,
      plan.routes.reduce((sum, { cost }) => sum + cost, 0),
    )
  )
    faults.push('the cost is another');
  return faults;
};
