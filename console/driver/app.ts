/** What the screens are shown, and what they may do. */
import type { ReportedEvent } from '../../src/fleet/execution/events.ts';
import type { Known, Proof, Queued } from './store.ts';

/** Its id, its time and where the device is are added to it. */
export type Report = Omit<ReportedEvent, 'id' | 'at' | 'proofs' | 'latitude' | 'longitude'>;
export type Picture = Pick<Proof, 'kind' | 'content'>;

export interface App {
  readonly known: Known;
  readonly queue: ReadonlyMap<number, Queued>;
  /** With what the server has not heard yet. */
  readonly route: Known['route'];
  /** Resolves when the device keeps it. */
  report(report: Report, proofs?: readonly Picture[]): Promise<void>;
  noteScanned(stopId: string, item: string, isOn: boolean): Promise<void>;
  dismiss(key: number): Promise<void>;
}
