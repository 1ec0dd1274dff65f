import type { Capabilities, LabelRetry, Limits, OperationName, Retry } from './carrier.ts';

/** What holds where a profile says nothing (profile-language.md §2). */

export const DEFAULT_LIMITS: Limits = {
  timeoutMs: 30_000,
  concurrency: 8,
  rate: undefined,
  per: 'carrier',
  breaker: { failures: 10, pauseMs: 60_000 },
  sizeBytes: 20_000_000,
};

export const DEFAULT_RETRY: Retry = { attempts: 4, waitMs: 2_000, maxMs: 300_000 };

export const DEFAULT_LABEL_RETRY: LabelRetry = { waitMs: 30_000, maxMs: 1_800_000, untilMs: 172_800_000 };

export const DEFAULT_CAPABILITIES: Capabilities = {
  fleet: 'outsourced',
  bulky: false,
  orders: ['FORWARD', 'REVERSE'],
  maxPackages: undefined,
  vas: undefined,
  cod: true,
  from: undefined,
  to: undefined,
};

export const DEFAULT_TIME = { zone: 'UTC', formats: ['iso'] } as const;

export const DEFAULT_POLL_UNTIL_MS = 5_184_000_000;

export const DEFAULT_TOLERANCE_MS = 300_000;

export const DEFAULT_REPLY_STATUS = 200;

/** What the carrier promises of a repeated request. */
export const defaultIdempotency = (operation: OperationName): 'reference' | 'none' =>
  operation === 'update' || operation === 'cancel' ? 'reference' : 'none';
