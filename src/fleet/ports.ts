/** What the own fleet asks of its surroundings. `src/cli` composes it with the platform, tests with what they have. */
import type { FastifyRequest } from 'fastify';
import type { Fonts } from '../engine/labels/fonts.ts';
import type { Transport } from '../engine/transport/transport.ts';
import type { Planner, TravelSource } from './plan/problem.ts';

type Statement<Result> = (strings: TemplateStringsArray, ...values: unknown[]) => Promise<Result>;

/**
 * PostgreSQL. Values become parameters; rows have names in camel case, undefined for null, and timestamps selected as
 * `…_ms` as milliseconds since 1970.
 */
export interface Database {
  all<Row>(...statement: Parameters<Statement<Row[]>>): Promise<Row[]>;
  first<Row>(...statement: Parameters<Statement<Row>>): Promise<Row | undefined>;
  /** Yields how many rows were written. */
  run(...statement: Parameters<Statement<number>>): Promise<number>;
  /** All or nothing; within a transaction, the one that is open. */
  transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
}

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface FleetDeps {
  readonly database: Database;
  readonly log: Log;
  readonly nowMs: () => number;
  /** Of this server, without a slash at its end: in links to proofs, in drivers' links, and where statuses go unless told. */
  readonly publicUrl: string;
  /** Where labels are fetched from by whoever sends us consignments. */
  readonly labelUrl: string;
  readonly fonts: () => Promise<Fonts>;
  /** To the status URLs of links. */
  readonly send: Transport['send'];
  readonly seal: (plain: string, about: string) => Buffer;
  readonly open: (sealed: Buffer, about: string) => string;
  /** Makes plans: in a thread, or by a service. */
  readonly planner: Planner;
  /** Of a routing service; undefined: travel is estimated from coordinates. */
  readonly travelOf: TravelSource | undefined;
  /** How long drivers' positions are kept. */
  readonly keepPositionsMs: number;
}

/** The operator with at least this role that a request proves to be; rejects with the refusal otherwise. */
export type OperatorOf = (request: FastifyRequest, role: 'read' | 'operate' | 'administer') => Promise<string>;

export interface RouteDeps extends FleetDeps {
  readonly operatorOf: OperatorOf;
}
