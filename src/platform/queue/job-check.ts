import type { JobToAdd } from './queues.ts';

const LONGEST_ID = 200;
const LONGEST_DELAY_MS = 366 * 24 * 3_600_000;

/** Why a queue cannot take this job, or undefined when it can. One that it cannot take would spoil a whole batch. */
export function reasonToRefuse({ id, delayMs }: JobToAdd): string | undefined {
  if (id.length === 0 || id.length > LONGEST_ID) return `an id has 1 to ${LONGEST_ID} characters`;
  // BullMQ takes integers for its own ids, and a colon separates the parts of its keys.
  if (/^-?\d+$/.test(id)) return 'an id is not a plain integer';
  if (!/^[\w.@/+=~-]+$/.test(id)) return 'an id consists of letters, digits and _ . @ / + = ~ -';
  // On Redis an id shares its namespace with BullMQ's own keys (`delayed`, `meta`), none of which has a digit.
  if (!/\d/.test(id)) return 'an id contains a digit';
  if (delayMs !== undefined && !(delayMs >= 0 && delayMs <= LONGEST_DELAY_MS)) return 'a delay is 0 to 366 days';
  return undefined;
}
