/** The own fleet, opened: its endpoint for consignments, its routes, and what it does by itself. */
import type { FastifyInstance } from 'fastify';
import type { Transport } from '../engine/transport/transport.ts';
import { addLinkRoutes } from './contract/links.ts';
import { addCarrierRoutes, sendHere } from './contract/serve.ts';
import type { FleetDeps, OperatorOf } from './ports.ts';
import { addDispatcherRoutes } from './execution/dispatcher-routes.ts';
import { addDriverRoutes } from './execution/driver-routes.ts';
import { startOutbox } from './execution/outbox.ts';
import { addPlanningRoutes } from './planning/routes.ts';
import { addTaskRoutes } from './planning/task-routes.ts';
import { addResourceRoutes } from './resources/routes.ts';
import { startUpkeep } from './upkeep.ts';

/** A name that no network has (RFC 2606): requests to it end in this process. */
export const FLEET_ORIGIN = 'https://own-fleet.invalid';

const ROUTES = [
  addLinkRoutes,
  addResourceRoutes,
  addTaskRoutes,
  addPlanningRoutes,
  addDispatcherRoutes,
  addDriverRoutes,
];

interface Fleet {
  readonly send: Transport['send'];
  readonly addRoutes: (scope: FastifyInstance, operatorOf: OperatorOf) => void;
  /** Begins to push statuses, and to forget what is kept for a time only. */
  readonly start: () => void;
  readonly close: () => Promise<void>;
}

export const openFleet = (deps: FleetDeps): Fleet => {
  const running: { close(): Promise<void> }[] = [];
  return {
    send: sendHere(deps, FLEET_ORIGIN),
    addRoutes: (scope, operatorOf) => {
      addCarrierRoutes(scope, deps);
      for (const add of ROUTES) add(scope, { ...deps, operatorOf });
    },
    start: () => void running.push(startOutbox(deps), startUpkeep(deps)),
    close: async () => {
      for (const part of running) await part.close();
    },
  };
};
