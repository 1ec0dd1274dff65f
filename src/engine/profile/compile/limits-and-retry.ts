import { parseRate } from '../../duration.ts';
import type { Limits, Retry } from '../carrier.ts';
import { DEFAULT_LIMITS, DEFAULT_RETRY } from '../defaults.ts';
import { parseSize } from '../size.ts';
import { durationOf, inherited, inheritedAll, type Layers, numberOf, textOf, wordOf } from './layers.ts';

/** Limits, key by key from the nearest layer that says it. */
export const compileLimits = (layers: Layers): Limits => {
  const limits = inheritedAll(layers, 'limits');
  const breaker = inheritedAll(limits, 'breaker');
  const rate = textOf(inherited(limits, 'rate'));
  return {
    timeoutMs: durationOf(inherited(limits, 'timeout')) ?? DEFAULT_LIMITS.timeoutMs,
    concurrency: numberOf(inherited(limits, 'concurrency')) ?? DEFAULT_LIMITS.concurrency,
    rate: rate === undefined ? DEFAULT_LIMITS.rate : parseRate(rate),
    per: wordOf(inherited(limits, 'per'), ['carrier', 'account']) ?? DEFAULT_LIMITS.per,
    breaker: {
      failures: numberOf(inherited(breaker, 'failures')) ?? DEFAULT_LIMITS.breaker.failures,
      pauseMs: durationOf(inherited(breaker, 'pause')) ?? DEFAULT_LIMITS.breaker.pauseMs,
    },
    sizeBytes: parseSize(textOf(inherited(limits, 'size')) ?? '') ?? DEFAULT_LIMITS.sizeBytes,
  };
};

export const compileRetry = (layers: Layers): Retry => {
  const retry = inheritedAll(layers, 'retry');
  return {
    attempts: numberOf(inherited(retry, 'attempts')) ?? DEFAULT_RETRY.attempts,
    waitMs: durationOf(inherited(retry, 'wait')) ?? DEFAULT_RETRY.waitMs,
    maxMs: durationOf(inherited(retry, 'max')) ?? DEFAULT_RETRY.maxMs,
  };
};
