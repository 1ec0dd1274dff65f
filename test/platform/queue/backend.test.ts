import { expect, it } from 'vitest';
import { repeatingErrors } from '../../../src/platform/queue/backend.ts';
import { fakeClock } from '../../support/clock.ts';
import { recordingLog } from '../../support/log.ts';

it('an error that repeats is logged once in 10 s, with how often it came meanwhile', () => {
  const log = recordingLog();
  const clock = fakeClock();
  const report = repeatingErrors(log, clock.now);
  for (let n = 0; n < 5; n += 1) report({ queue: 'label' }, new Error('connection refused'));
  report({ queue: 'label' }, new Error('something else'));
  clock.advance(10_000);
  report({ queue: 'label' }, new Error('connection refused'));
  expect(log.lines.map(({ fields }) => fields)).toEqual([
    { queue: 'label', error: 'connection refused', repeated: 0 },
    { queue: 'label', error: 'something else', repeated: 0 },
    { queue: 'label', error: 'connection refused', repeated: 4 },
  ]);
});

it('errors that come as one are named by the first', () => {
  const log = recordingLog();
  repeatingErrors(log)({}, new AggregateError([new Error('refused by ::1'), new Error('refused by 127.0.0.1')]));
  expect(log.lines[0]?.fields).toMatchObject({ error: 'refused by ::1' });
});
