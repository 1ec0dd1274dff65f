export interface FakeClock {
  /** Milliseconds since 1970, as `Date.now()`. */
  readonly now: () => number;
  readonly advance: (ms: number) => void;
}

/** A clock that stands still until it is told to move. */
export function fakeClock(start: string | number = '2026-01-05T09:00:00Z'): FakeClock {
  let time = new Date(start).getTime();
  return {
    now: () => time,
    advance(ms) {
      time += ms;
    },
  };
}
