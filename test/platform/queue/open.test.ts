import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { repeatingErrors } from '../../../src/platform/queue/backend.ts';
import { openQueues, QUEUE_NAMES, reasonToRefuse } from '../../../src/platform/queue/queues.ts';
import { fakeClock } from '../../support/clock.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog, recordingLog } from '../../support/log.ts';
import { collect, describeQueues, isAdded, jobsOf } from '../../support/queues.ts';
import { until } from '../../support/until.ts';

describeQueues('queues', (open, backend) => {
  it('carry ids to a worker, each once, and forget them when they are done', async () => {
    const queues = await open();
    const got = collect(queues, 'status', 4);
    const ids = Array.from({ length: 1_200 }, (_, n) => `d-${n}-a1`);
    expect(await queues.add('status', jobsOf(...ids))).toEqual([]);
    await until('all jobs are done', () => got.length >= ids.length);
    expect(got.toSorted()).toEqual(ids.toSorted());
    await until('none is left', async () => {
      const { waiting, active, delayed } = (await queues.counts()).status;
      return waiting + active + delayed === 0;
    });
  });

  it('keep the queues apart', async () => {
    const queues = await open();
    const got = QUEUE_NAMES.map((name) => collect(queues, name));
    for (const name of QUEUE_NAMES) await queues.add(name, jobsOf(`for-${name}-1`));
    await until('each has come', () => got.flat().length === QUEUE_NAMES.length);
    expect(got).toEqual(QUEUE_NAMES.map((name) => [`for-${name}-1`]));
  });

  it('leave an id alone that waits already, also within one call', async () => {
    const queues = await open();
    await queues.add('status', jobsOf('same-1', 'same-1', 'other-1'));
    await queues.add('status', jobsOf('same-1'));
    expect((await queues.counts()).status).toEqual({ waiting: 2, active: 0, delayed: 0 });
  });

  it('leave an id alone that is being worked on, and take it again when it is done', async () => {
    const queues = await open();
    const starts: string[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    queues.work('status', { concurrency: 3 }, async (jobId) => {
      await gates[starts.push(jobId) - 1]!.promise;
    });
    await queues.add('status', jobsOf('again-1'));
    await until('it is at hand', () => starts.length === 1);
    await queues.add('status', jobsOf('again-1'));
    await sleep(200);
    expect(starts).toEqual(['again-1']);
    expect((await queues.counts()).status).toEqual({ waiting: 0, active: 1, delayed: 0 });
    gates[0]!.resolve();
    await until('it is done', async () => (await queues.counts()).status.active === 0);
    await queues.add('status', jobsOf('again-1'));
    await until('it comes again', () => starts.length === 2);
    gates[1]!.resolve();
  });

  it('take an id again whose job failed, and log the failure', async () => {
    const log = recordingLog();
    const queues = await open({ log });
    const starts: string[] = [];
    queues.work('status', { concurrency: 1 }, async (jobId) => {
      starts.push(jobId);
      throw new Error('the printer is on fire');
    });
    await queues.add('status', jobsOf('bad-1'));
    await until('it failed', () => log.lines.some(({ level }) => level === 'error'));
    expect(log.lines.find(({ level }) => level === 'error')?.fields).toEqual({
      queue: 'status',
      jobId: 'bad-1',
      error: 'the printer is on fire',
    });
    await until('it is gone', async () => (await queues.counts()).status.active === 0);
    await queues.add('status', jobsOf('bad-1'));
    await until('it comes again', () => starts.length === 2);
  });

  it('hold back a delayed job until its time, past an idle worker', async () => {
    const queues = await open();
    const got: { jobId: string; at: number }[] = [];
    queues.work('status', { concurrency: 1 }, async (jobId) => void got.push({ jobId, at: Date.now() }));
    await sleep(200);
    const from = Date.now();
    await queues.add('status', [
      { id: 'late-1', delayMs: 700 },
      { id: 'soon-1', delayMs: 0 },
    ]);
    await until('the one without delay has come', () => got.length === 1);
    expect((await queues.counts()).status).toMatchObject({ delayed: 1 });
    await until('both have come', () => got.length === 2);
    expect(got.map(({ jobId }) => jobId)).toEqual(['soon-1', 'late-1']);
    expect(got[1]!.at - from).toBeGreaterThanOrEqual(690);
    expect(got[1]!.at - from).toBeLessThan(3_000);
  });

  it('count a delay from when it was asked for, though the clock is set before the queue has answered', async () => {
    const queues = await open();
    const got = collect(queues, 'status');
    const adding = queues.add('status', [{ id: 'set-1', delayMs: 200 }]);
    const hourLater = Date.now() + 3_600_000;
    const clock = vi.spyOn(Date, 'now').mockReturnValue(hourLater);
    await adding.finally(() => clock.mockRestore());
    await until('it has come', () => got.length === 1);
  });

  it('refuse what a queue cannot take, without spoiling the rest', async () => {
    const queues = await open();
    const got = collect(queues);
    const bad = [...jobsOf('', 'null1\u0000', 'lone1\ud800'), { id: 'when-1', delayMs: Number.NaN }];
    const refused = await queues.add('status', [...bad, { id: 'good-1' }]);
    expect(refused.map(({ id }) => id)).toEqual(bad.map(({ id }) => id));
    await until('the good one has come', () => got.length === 1);
    expect(got).toEqual(['good-1']);
  });

  it('give no more jobs to a process at once than it asked for', async () => {
    const queues = await open();
    let [running, most, done] = [0, 0, 0];
    queues.work('status', { concurrency: 3 }, async () => {
      most = Math.max(most, (running += 1));
      await sleep(20);
      running -= 1;
      done += 1;
    });
    await queues.add('status', jobsOf(...Array.from({ length: 30 }, (_, n) => `c${n}`)));
    await until('all are done', () => done === 30);
    expect(most).toBe(3);
  });

  it('let a job at hand end before they close', async () => {
    const queues = await open();
    const steps: string[] = [];
    queues.work('status', { concurrency: 1 }, async (_, signal) => {
      steps.push('started');
      await sleep(500);
      steps.push(signal.aborted ? 'aborted' : 'ended');
    });
    await queues.add('status', jobsOf('slow-1', 'next-1'));
    await until('it started', () => steps.length === 1);
    await queues.close();
    expect(steps).toEqual(['started', 'ended']);
    const later = await open();
    expect((await later.counts()).status).toEqual({ waiting: 1, active: 0, delayed: 0 });
  });

  it('abort what does not end within the limit, and close all the same', async () => {
    const queues = await open({ closeLimitMs: 200 });
    let isAborted = false;
    queues.work('status', { concurrency: 2 }, async (jobId, signal) => {
      if (jobId === 'deaf-1') await new Promise(() => undefined);
      await once(signal, 'abort');
      isAborted = true;
    });
    await queues.add('status', jobsOf('deaf-1', 'listening-1'));
    await until('both are at hand', async () => (await queues.counts()).status.active === 2);
    const from = Date.now();
    await queues.close();
    expect(isAborted).toBe(true);
    expect(Date.now() - from).toBeLessThan(8_000);
  });

  it('give a job to another worker when its own was killed', { timeout: 60_000 }, async () => {
    const queues = await open({ lockDurationMs: 1_500, stalledIntervalMs: 300 });
    const place = await open.place();
    const script = fileURLToPath(new URL('worker-process.ts', import.meta.url));
    const child = spawn(process.execPath, [script, JSON.stringify({ ...place, lockDurationMs: 1_500 })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await queues.add('status', jobsOf('orphan-1'));
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    expect(String(said)).toBe('orphan-1\n');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const got = collect(queues);
    await until('the job came again', () => got.length > 0, 30_000);
    expect(got).toEqual(['orphan-1']);
  });

  it('have one worker for a queue in a process', async () => {
    const queues = await open();
    queues.work('status', { concurrency: 1 }, () => Promise.resolve());
    expect(() => queues.work('status', { concurrency: 1 }, () => Promise.resolve())).toThrow('has its worker already');
    expect(queues.backend).toBe(backend);
  });
});

describe('queues on a PostgreSQL whose connections are cut', () => {
  const database = freshDatabase();

  it('go on when they are back', async () => {
    const queues = await openQueues({ databaseUrl: database.databaseUrl, prefix: 'cut', log: quietLog });
    const got = collect(queues);
    await queues.add('status', jobsOf('before-1'));
    await until('the first has come', () => got.length === 1);
    await database.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
    await until('a job can be added', async () => await isAdded(queues, 'after-1'));
    await until('the second has come', () => got.includes('after-1'), 20_000);
    await queues.close();
  });

  it('fail to open with a Failure when the database is away', async () => {
    const url = new URL(database.databaseUrl);
    url.port = '1';
    await expect(openQueues({ databaseUrl: url.href, prefix: 'x', log: quietLog })).rejects.toMatchObject({
      code: 'queue_unavailable',
    });
  });
});

describe('a job', () => {
  it.each(['d-17-a1', 'e9b1c7de-0000-4000-8000-000000000000', 'status_3', 'x1'.repeat(100)])('may be called %s', (id) =>
    expect(reasonToRefuse({ id })).toBeUndefined(),
  );

  // BullMQ gives out plain integers itself, separates its keys with colons, and has keys called `delayed`.
  it.each(['', '17', '-17', 'd:17', 'delayed', 'd 17', 'd17\u0000', 'd17\ud800', 'x1'.repeat(101)])(
    'may not be called %j',
    (id) => expect(reasonToRefuse({ id })).toMatch(/^an id /),
  );

  it.each([
    [0, undefined],
    [0.5, undefined],
    [366 * 86_400_000, undefined],
    ...[-1, Number.NaN, Infinity].map((delayMs) => [delayMs, expect.stringMatching(/^a delay /)] as const),
  ] as const)('that is delayed by %d ms is refused: %s', (delayMs, reason) =>
    expect(reasonToRefuse({ id: 'd1', delayMs })).toEqual(reason),
  );
});

describe('errors of the queue', () => {
  it('that repeat are logged once in 10 s, with how often they came meanwhile', () => {
    const log = recordingLog();
    const clock = fakeClock();
    const report = repeatingErrors(log, clock.now);
    for (let n = 0; n < 5; n += 1) report({ queue: 'status' }, new Error('connection refused'));
    report({ queue: 'status' }, new Error('something else'));
    clock.advance(10_000);
    report({ queue: 'status' }, new Error('connection refused'));
    expect(log.lines.map(({ fields }) => fields)).toEqual([
      { queue: 'status', error: 'connection refused', repeated: 0 },
      { queue: 'status', error: 'something else', repeated: 0 },
      { queue: 'status', error: 'connection refused', repeated: 4 },
    ]);
  });

  it('that come as one are named by the first', () => {
    const log = recordingLog();
    repeatingErrors(log)({}, new AggregateError([new Error('refused by ::1'), new Error('refused by 127.0.0.1')]));
    expect(log.lines[0]?.fields).toMatchObject({ error: 'refused by ::1' });
  });
});
