import { describe, expect, it } from 'vitest';
import { reasonToRefuse } from '../../../src/platform/queue/queues.ts';
import {
  dispatchJobId,
  labelJobId,
  parseDispatchJobId,
  parseLabelJobId,
  parseStatusJobId,
  statusJobId,
} from '../../../src/platform/records/outbox.ts';

// As one of two hundred has none: no digit, without which the queue takes no id.
const LABEL = 'abcdefghijklmnopqrstuvwxyzABCDEF';
const PARSERS = [parseDispatchJobId, parseStatusJobId, parseLabelJobId];

describe('the id of a job', () => {
  it.each([
    [dispatchJobId(17, 3), parseDispatchJobId, 17],
    [statusJobId(17), parseStatusJobId, 17],
    [labelJobId(LABEL), parseLabelJobId, LABEL],
    [labelJobId(LABEL, 12), parseLabelJobId, LABEL],
    [`${labelJobId(LABEL)}-p1777626000000`, parseLabelJobId, LABEL],
  ])('%s says what it is about, to its own queue only, which takes it', (jobId, parse, about) => {
    expect(PARSERS.map((one) => one(jobId))).toEqual(PARSERS.map((one) => (one === parse ? about : undefined)));
    expect(reasonToRefuse({ id: jobId })).toBeUndefined();
  });

  const others = '|d-17|d-x-a1|d-17-a1; drop|x-17-a1|d-1234567890123456-a1|w-17|w-x-a1|w-17-a1; drop|r-4-p17 ';
  const labels = `w-99999999999999999999-a1|l-|l-short|d-${LABEL}|l-${LABEL} |l-${LABEL}|l-${LABEL}-a`;
  it.each(`${others}|${labels}`.split('|'))('that is none (%s) is nobody’s', (jobId) => {
    expect(PARSERS.map((parse) => parse(jobId))).toEqual(PARSERS.map(() => undefined));
  });
});
