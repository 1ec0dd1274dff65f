/** The own fleet, opened: its endpoint for consignments, its routes, and what it does by itself. */
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Transport } from '../engine/transport/transport.ts';
import { addLinkRoutes } from './contract/links.ts';
import { addCarrierRoutes, sendHere } from './contract/serve.ts';
import type { FleetDeps, OperatorOf } from './ports.ts';
import { addResourceRoutes } from './resources/routes.ts';

export const FLEET_MIGRATIONS = path.join(import.meta.dirname, 'migrations');
/** A name that no network has (RFC 2606): requests to it end in this process. */
export const FLEET_ORIGIN = 'https://own-fleet.invalid';

interface Fleet {
  readonly send: Transport['send'];
  readonly addRoutes: (scope: FastifyInstance, operatorOf: OperatorOf) => void;
  readonly start: () => void;
  readonly close: () => Promise<void>;
}

export const openFleet = (deps: FleetDeps): Fleet => {
  const running: { close(): Promise<void> }[] = [];
  return {
    send: sendHere(deps, FLEET_ORIGIN),
    addRoutes: (scope, operatorOf) => {
      addCarrierRoutes(scope, deps);
      for (const add of [addLinkRoutes, addResourceRoutes]) add(scope, { ...deps, operatorOf });
    },
    start: () => undefined,
    close: async () => {
      for (const part of running) await part.close();
    },
  };
};
