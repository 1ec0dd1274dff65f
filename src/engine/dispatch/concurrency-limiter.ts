import { DEFAULT_LIMITS } from '../profile/defaults.ts';
import { createGate } from './gate.ts';
import type { Admission } from './ports.ts';

/** What the work of one carrier may take up of a process. */
export interface Room {
  enter(carrier: string): Admission;
}

/**
 * Keeps a part of a process's slots for everybody else: whatever holds a carrier's work up (its answers, its logins,
 * its many accounts), not more than `mostOfOne` of it are in hand at a time, and the rest comes back in a line.
 */
export const createRoom = (mostOfOne: number, nowMs: () => number, random: () => number): Room => {
  const gate = createGate(nowMs, random);
  const limits = { ...DEFAULT_LIMITS, concurrency: mostOfOne };
  return { enter: (carrier) => gate.enter(carrier, 0, limits) };
};
