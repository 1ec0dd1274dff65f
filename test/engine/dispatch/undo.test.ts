import { expect, it } from 'vitest';
import type { CallRecord } from '../../../src/engine/dispatch/ports.ts';
import type { Success } from '../../../src/engine/dispatch/run-context.ts';
import { isInDoubt, mayHaveSideEffects } from '../../../src/engine/dispatch/undo.ts';

const call = (state: CallRecord['state'], step = 'create', element = 0): CallRecord => ({
  step,
  element,
  state,
  attempt: 1,
  firstSentAtMs: 0,
});

it.each<[string, readonly CallRecord[], boolean, boolean]>([
  ['nothing', [], false, false],
  ['what failed, or is to be tried again', [call('failed'), call('retry', 'label')], false, false],
  ['what succeeded', [call('succeeded')], false, true],
  ['what succeeded and was undone', [call('succeeded'), call('succeeded', 'create~undo')], false, false],
  ['what succeeded while another was undone', [call('succeeded'), call('succeeded', 'create~undo', 1)], false, true],
  ['what succeeded, with an undo under way', [call('succeeded'), call('sending', 'create~undo')], false, true],
  ['what is being sent', [call('sending')], true, true],
  ['what is of unknown outcome', [call('unknown')], true, true],
])('of %s the log tells doubt and side effects', (_, calls, doubt, effects) => {
  const successes = calls.map((scope) => ({ call: { scope } })) as unknown as Success[];
  expect([isInDoubt({ ports: { attemptLog: { calls } }, successes }), mayHaveSideEffects({ calls })]).toEqual([
    doubt,
    effects,
  ]);
  const isDone = calls.some(({ state }) => state === 'succeeded');
  expect(isInDoubt({ ports: { attemptLog: { calls } }, successes: [] }), 'by a run before it').toBe(doubt || isDone);
});
