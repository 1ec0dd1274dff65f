/** A server that speaks the format of VROOM 1.14 and its HTTP front: it plans whatever is sent, in whole numbers. */
import type { RequestListener } from 'node:http';
import type { Problem, Stop, Task } from '../../../src/fleet/plan/problem.ts';
import { planned } from './town.ts';

interface VroomStep {
  readonly id: number;
  readonly location_index: number;
  readonly service?: number;
  readonly time_windows?: readonly (readonly [number, number])[];
}
interface Terms {
  readonly skills?: readonly number[];
  readonly priority?: number;
}
export interface VroomRequest {
  readonly vehicles: readonly {
    readonly id: number;
    readonly start_index: number;
    readonly end_index: number;
    readonly capacity: readonly number[];
    readonly skills?: readonly number[];
    readonly time_window: readonly [number, number];
    readonly breaks?: readonly {
      readonly id: number;
      readonly time_windows: readonly (readonly [number, number])[];
      readonly service: number;
    }[];
    readonly costs?: { readonly fixed?: number; readonly per_hour?: number; readonly per_km?: number };
  }[];
  readonly jobs: readonly (VroomStep &
    Terms & { readonly delivery?: readonly number[]; readonly pickup?: readonly number[] })[];
  readonly shipments: readonly (Terms & {
    readonly pickup: VroomStep;
    readonly delivery: VroomStep;
    readonly amount?: readonly number[];
  })[];
  readonly matrices: { readonly car: { readonly durations: number[][]; readonly distances: number[][] } };
}

const amounts = ([weightKg = 0, volumeM3 = 0, pallets = 0]: readonly number[] = []) => ({
  weightKg,
  volumeM3,
  pallets,
});
const stopOf = ({ location_index: place, service: serviceS = 0, time_windows: windows = [] }: VroomStep): Stop => ({
  place,
  serviceS,
  windows: windows.map(([fromS, toS]) => ({ fromS, toS })),
});
const termsOf = (kind: string, id: number, { skills = [], priority = 0 }: Terms) => ({
  id: `${kind} ${id}`,
  skills: skills.map(String),
  priority: priority / 10,
});

const problemOf = ({ vehicles, jobs, shipments, matrices: { car } }: VroomRequest): Problem => {
  const numbers = [...vehicles.flatMap(({ capacity }) => capacity), ...car.durations.flat(), ...car.distances.flat()];
  if (!numbers.every(Number.isInteger)) throw new Error('Invalid integer.');
  return {
    places: car.durations.map(() => ({ latitude: 0, longitude: 0 })),
    travel: {
      durationsS: Float64Array.from(car.durations.flat()),
      distancesM: Float64Array.from(car.distances.flat()),
    },
    resources: vehicles.map(
      ({
        id,
        start_index: start,
        end_index: end,
        capacity,
        skills = [],
        time_window: [fromS, toS],
        breaks = [],
        costs,
      }) => ({
        id: String(id),
        start,
        end,
        shift: { fromS, toS },
        break: breaks.map(({ time_windows: [[from, to] = [0, 0]], service }) => ({
          window: { fromS: from, toS: to },
          durationS: service,
        }))[0],
        capacity: amounts(capacity),
        skills: skills.map(String),
        fixedCost: costs?.fixed ?? 0,
        costPerKm: costs?.per_km ?? 0,
        costPerHour: costs?.per_hour ?? 3600,
      }),
    ),
    tasks: [
      ...jobs.map((job): Task => ({
        ...termsOf('job', job.id, job),
        kind: 'exchange',
        stop: stopOf(job),
        delivers: amounts(job.delivery),
        collects: amounts(job.pickup),
      })),
      ...shipments.map((shipment): Task => ({
        ...termsOf('shipment', shipment.pickup.id, shipment),
        kind: 'shipment',
        pickup: stopOf(shipment.pickup),
        delivery: stopOf(shipment.delivery),
        carries: amounts(shipment.amount),
      })),
    ],
    objective: 'least_cost',
    seed: 1,
    budget: { iterations: 100 },
  };
};

const answerTo = (request: VroomRequest) => {
  const plan = planned(problemOf(request));
  return {
    code: 0,
    summary: { cost: Math.round(plan.cost), routes: plan.routes.length, unassigned: plan.unassigned.length },
    unassigned: plan.unassigned.map(({ task }) => {
      const [kind, id] = task.split(' ');
      return { id: Number(id), type: kind === 'job' ? 'job' : 'pickup' };
    }),
    routes: plan.routes.map(({ resource, stops, startS, endS, break: pause }) => {
      const steps: unknown[] = stops.map(({ task, stop, arrivalS }) => {
        const [kind, id] = task.split(' ');
        return { type: kind === 'job' ? 'job' : stop === 0 ? 'pickup' : 'delivery', id: Number(id), arrival: arrivalS };
      });
      if (pause !== undefined) steps.splice(pause.before, 0, { type: 'break', id: 1, arrival: pause.startS });
      return {
        vehicle: Number(resource),
        steps: [{ type: 'start', arrival: startS }, ...steps, { type: 'end', arrival: endS }],
      };
    }),
  };
};

/** `seen` is told of each request. */
export const vroomListener =
  (seen: (request: VroomRequest) => void): RequestListener =>
  (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      try {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as VroomRequest;
        seen(body);
        response.end(JSON.stringify(answerTo(body)));
      } catch (error) {
        response.statusCode = 400;
        response.end(JSON.stringify({ code: 2, error: String(error) }));
      }
    });
  };
