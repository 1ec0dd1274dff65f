import type { Run } from './run.ts';
import { unbound, type Tuple } from './value.ts';

/** The variables of a block, function or tuple while it is evaluated. */
export class Frame {
  readonly run: Run;
  readonly slots: unknown[];
  readonly up: Frame | undefined;
  readonly tuple: Tuple | undefined;

  constructor(run: Run, slots: unknown[], up: Frame | undefined, tuple: Tuple | undefined) {
    this.run = run;
    this.slots = slots;
    this.up = up;
    this.tuple = tuple;
  }
}

/** Slots of variables that are not assigned yet. */
export const emptySlots = (count: number): unknown[] => {
  const slots: unknown[] = [];
  for (let index = 0; index < count; index += 1) slots.push(unbound);
  return slots;
};
