import type { Evidence } from './evidence.ts';

/** Of a fault; as `Date.now()`. */
export interface Span {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

interface Rate {
  /** Between the begin of one consignment and the next, of all in hand together. */
  readonly everyMs: number;
  readonly atOnce: number;
  readonly patience: number;
}

/** What was on its way when the fault began is through by then. */
const SETTLED_MS = 1_000;
/** Of creates: see the load. While nothing is handed on, they wait all of their two seconds. */
const [WAITING_SHARE, WAIT_MS] = [0.3, 2_000];

/** Without the queue, accepts go on: half as many, at least, as the load can make then, and nobody is sent away. */
export const tellOf = (
  { name, fromMs, toMs }: Span,
  answers: Evidence['answers'],
  { everyMs, atOnce, patience }: Rate,
): { readonly accepted: number; readonly violations: readonly string[] } => {
  const beganWithin = (atMs: number, ms: number): boolean => atMs - ms >= fromMs + SETTLED_MS && atMs - ms <= toMs;
  const accepted = answers.filter(({ status, atMs, ms }) => status === 200 && beganWithin(atMs, ms)).length;
  const refused = answers.filter(
    ({ status, atMs, ms }) => status === 503 && atMs >= fromMs && atMs - ms <= toMs,
  ).length;
  const possible = Math.max(0, toMs - fromMs - SETTLED_MS) / (everyMs + (WAITING_SHARE * WAIT_MS) / atOnce);
  const least = Math.floor(possible / 2 / patience);
  return {
    accepted,
    violations: [
      ...(accepted < least ? [`${accepted} accepted while Redis was ${name}, of at least ${least}`] : []),
      ...(refused > 0 ? [`${refused} × 503 while Redis was ${name}`] : []),
    ],
  };
};
