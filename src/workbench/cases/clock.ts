/** The time of a case: it moves only when it is told to, and never back. */
export interface Clock {
  nowMs(): number;
  advance(ms: number): void;
  /** Does nothing where that time is over. */
  advanceTo(ms: number): void;
}

export const createClock = (startMs: number): Clock => {
  let now = startMs;
  return {
    nowMs: () => now,
    advance: (ms) => {
      now += ms;
    },
    advanceTo: (ms) => {
      now = Math.max(now, ms);
    },
  };
};
