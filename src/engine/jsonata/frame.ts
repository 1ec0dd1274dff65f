import type { Run } from './run.ts';
import { unbound, type Tuple } from './value.ts';

const unboundSlots = (size: number): unknown[] => Array.from({ length: size }, () => unbound);
/** Slots to copy, which is quicker than to fill them. */
const small = Array.from({ length: 32 }, (_, size) => unboundSlots(size));

/** The variables of a block, function or tuple while it is evaluated. */
export class Frame {
  readonly run: Run;
  readonly slots: unknown[];
  readonly up: Frame | undefined;
  readonly tuple: Tuple | undefined;

  constructor(run: Run, size: number, up?: Frame, tuple?: Tuple) {
    this.run = run;
    this.slots = small[size]?.slice() ?? unboundSlots(size);
    this.up = up;
    this.tuple = tuple;
  }
}

/** The frame so many levels above. */
export const climb = (frame: Frame, levels: number): Frame => {
  let reached = frame;
  for (let step = 0; step < levels; step += 1) reached = reached.up as Frame;
  return reached;
};

/** A part of an expression, compiled: evaluated for an input, with the variables of its place. */
export type Closure = (input: unknown, frame: Frame) => unknown;
