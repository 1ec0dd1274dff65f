import { describe, expect, it } from 'vitest';
import { reasonToRefuse } from '../../../src/platform/queue/queues.ts';
import { parseStatusJobId, statusJobId } from '../../../src/platform/records/outbox.ts';

const PARSERS = [parseStatusJobId];

describe('the id of a job', () => {
  it.each([[statusJobId(17), parseStatusJobId, 17]])(
    '%s says what it is about, to its own queue only, which takes it',
    (jobId, parse, about) => {
      expect(PARSERS.map((one) => one(jobId))).toEqual(PARSERS.map((one) => (one === parse ? about : undefined)));
      expect(reasonToRefuse({ id: jobId })).toBeUndefined();
    },
  );

  const others =
    '|d-17|d-x-a1|d-17-a1; drop|x-17-a1|d-1234567890123456-a1|w-17|w-x-a1|w-17-a1; drop|r-4-p17 |w-99999999999999999999-a1';
  it.each(others.split('|'))('that is none (%s) is nobody’s', (jobId) => {
    expect(PARSERS.map((parse) => parse(jobId))).toEqual(PARSERS.map(() => undefined));
  });
});
