import type { Place } from './place.ts';

/** Why something did not succeed: for the shipper (messages), for programs (code), for authors (the profile's line). */
export interface Problem {
  readonly code: string;
  readonly messages: readonly string[];
  /** The line of the profile or mapping that decided or failed. */
  readonly place?: Place | undefined;
}

export const problem = (code: string, message: string | readonly string[], place?: Place): Problem => ({
  code,
  messages: typeof message === 'string' ? [message] : message,
  ...(place === undefined ? {} : { place }),
});
