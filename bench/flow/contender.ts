/** Something that takes orders and pushes: Waybill in one of its forms, or the floor. */
import type { Peer, Queue, Records } from './machine.ts';
import type { Kind, Load } from './shippers.ts';

export interface Contender extends AsyncDisposable {
  readonly name: string;
  /** Of its server. */
  readonly pid: number;
  /** Its server where that can be profiled. */
  readonly profiler: Peer | undefined;
  readonly records: Records;
  /** Undefined: it has none. */
  readonly queue: Queue | undefined;
  /** Where `kind` goes, and the module that makes what is sent. */
  readonly trafficOf: (kind: Kind) => Pick<Load, 'targets' | 'traffic'>;
  /** Where that module expects to be. */
  readonly cwd: string | undefined;
  /** Number of the first consignment. */
  readonly first: number;
  /** How many marks tell that one is done for good, such as its webhooks where the contender sends them. */
  readonly marks: Readonly<Record<Kind, number>>;
  /** How many marks of this kind there are. */
  readonly done: (kind: Kind) => Promise<number>;
  /** What is recorded as not done, for people. */
  readonly left: () => Promise<string>;
}
