import { describe, expect, test } from 'vitest';
import { decideNext, type DeliveryPolicy, judgeTry, refused } from '../../../src/engine/webhooks/decide.ts';

const answer = (status: number) =>
  judgeTry({
    kind: 'answer',
    status,
    headers: {},
    body: Buffer.alloc(0),
  });

const cut = (status: number) =>
  judgeTry({ kind: 'ambiguous', code: 'too_large', message: 'too large', partial: { status } });

describe('a try', () => {
  test.each([200, 201, 202, 204, 299])('that is answered %i has delivered', (status) => {
    expect(answer(status)).toEqual({ means: 'delivered', outcome: 'delivered', status, message: undefined });
  });

  test.each([301, 302, 303, 307, 308])('that is answered %i has failed: nobody follows', (status) => {
    expect(answer(status)).toMatchObject({ means: 'refused', outcome: 'redirected', status });
  });

  test.each([100, 400, 401, 404, 429, 500, 503])('that is answered %i has failed', (status) => {
    expect(answer(status)).toMatchObject({ means: 'refused', outcome: 'http_error', status });
  });

  test('that is answered 410 says that nobody is there any more', () => {
    expect(answer(410)).toMatchObject({ means: 'gone', status: 410 });
  });

  test('that never arrived has failed, with the reason as its outcome', () => {
    expect(judgeTry({ kind: 'not_sent', code: 'name_not_found', message: 'no such name' })).toEqual({
      means: 'refused',
      outcome: 'name_not_found',
      status: undefined,
      message: 'no such name',
    });
  });

  test('whose answer could not be read whole is judged by its status', () => {
    expect(cut(200)).toMatchObject({ means: 'delivered', status: 200 });
    expect(cut(500)).toMatchObject({ means: 'refused', outcome: 'http_error' });
  });

  test('that we ended ourselves says nothing of the receiver', () => {
    expect(judgeTry({ kind: 'ambiguous', code: 'aborted', message: '' }).means).toBe('interrupted');
    expect(judgeTry({ kind: 'not_sent', code: 'transport_closed', message: '' }).means).toBe('interrupted');
  });

  test('keeps no long message', () => {
    expect(refused('timeout', 'x'.repeat(1_000)).message).toHaveLength(300);
  });
});

describe('what follows', () => {
  const policy: DeliveryPolicy = { retries: 4, retryMs: 1_800_000, pauseAfterMs: 86_400_000 };
  const bad = answer(500);
  const fifthAt = (nowMs: number) => decideNext(bad, { tries: 5, failingSinceMs: 1_000, nowMs }, policy);

  test('after each of the first four failures is another try, 30 minutes later', () => {
    for (const tries of [1, 2, 3, 4]) {
      expect(decideNext(bad, { tries, failingSinceMs: 0, nowMs: 5_000 }, policy)).toEqual({
        state: 'waiting',
        dueAtMs: 1_805_000,
        counted: true,
        pause: undefined,
      });
    }
  });

  test('after the fifth is the end', () => {
    expect(decideNext(bad, { tries: 5, failingSinceMs: undefined, nowMs: 5_000 }, policy)).toEqual({
      state: 'failed',
      pause: undefined,
    });
  });

  test('without retries the first failure is the end', () => {
    const next = decideNext(bad, { tries: 1, failingSinceMs: undefined, nowMs: 0 }, { ...policy, retries: 0 });
    expect(next.state).toBe('failed');
  });

  test('when a subscription has failed for long enough is a pause', () => {
    expect(fifthAt(86_400_999)).toEqual({ state: 'failed', pause: undefined });
    expect(fifthAt(86_401_000)).toEqual({ state: 'failed', pause: 'failing' });
  });

  test('of 410 is a pause, and the delivery waits without losing a try', () => {
    expect(decideNext(answer(410), { tries: 5, failingSinceMs: undefined, nowMs: 7 }, policy)).toEqual({
      state: 'waiting',
      dueAtMs: 7,
      counted: false,
      pause: 'gone',
    });
  });

  test('of our own interruption is the same try again at once', () => {
    const interrupted = judgeTry({ kind: 'ambiguous', code: 'aborted', message: '' });
    expect(decideNext(interrupted, { tries: 5, failingSinceMs: 0, nowMs: 7 }, policy)).toEqual({
      state: 'waiting',
      dueAtMs: 7,
      counted: false,
      pause: undefined,
    });
  });
});
