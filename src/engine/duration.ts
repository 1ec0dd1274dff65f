const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `500ms 30s 5m 2h 45d` → milliseconds, or undefined when the text is not a duration. */
export const parseDuration = (text: string): number | undefined => {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  if (match === null) return undefined;
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
};

export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

/** `20/s 600/m 10/d` → a count in a span, or undefined when the text is not a rate. */
export const parseRate = (text: string): Rate | undefined => {
  const match = /^(\d{1,6})\/(s|m|h|d)$/.exec(text.trim());
  if (match === null || Number(match[1]) === 0) return undefined;
  return { count: Number(match[1]), perMs: UNIT_MS[match[2] as keyof typeof UNIT_MS] };
};
