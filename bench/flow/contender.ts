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
  /** How many of this kind are done for good, webhooks included where the contender sends them. */
  readonly done: (kind: Kind) => Promise<number>;
}
