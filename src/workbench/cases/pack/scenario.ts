import type { Place } from '../../../engine/failure.ts';
import type { Stage } from './stage.ts';

/** What is wrong, and where in the profile. */
export interface Complaint {
  readonly message: string;
  readonly place: Place;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** Empty: it holds. Throws `Pending` where there is nothing to see yet. */
  readonly run: (stage: Stage) => Promise<readonly Complaint[]>;
}
