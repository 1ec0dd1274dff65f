import { describe, expect, it } from 'vitest';
import {
  answer,
  carrierOf,
  createWorld,
  endingOf,
  lookup,
  numbers,
  refused,
  type Reply,
  reset,
  single,
  worldOf,
} from './world.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';

const HOUR = 3_600_000;
const busy = (status: number, seconds?: number) =>
  answer(status, undefined, seconds === undefined ? {} : { 'retry-after': String(seconds) });
const unsent = (code: string) => ({ kind: 'not_sent', code, message: 'away' }) as Reply;
const repeated = (reply: Reply, times: number): Reply[] => Array.from({ length: times }, () => reply);

/** Goes on with a create whenever it is due, until it has ended: how, after how long, and the waits in seconds. */
const patiently = async (world: ReturnType<typeof worldOf>) => {
  const waits: number[] = [];
  const startMs = world.clock.now();
  let outcome: RunOutcome;
  for (;;) {
    outcome = await world.run('create');
    if (outcome.kind !== 'waiting') break;
    waits.push((outcome.dueAtMs - world.clock.now()) / 1_000);
    world.clock.advance(outcome.dueAtMs - world.clock.now());
  }
  return { ended: endingOf(outcome), afterMs: world.clock.now() - startMs, waits };
};

describe('a carrier that is away', () => {
  it('is tried for a day, with waits that double up to the longest, and then held as certainly not done', async () => {
    const { ended, afterMs, waits } = await patiently(worldOf(single(), ...repeated(refused, 500)));
    expect(ended).toBe('held: fail');
    expect(waits.slice(0, 10)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(afterMs).toBeGreaterThanOrEqual(24 * HOUR);
    expect(afterMs).toBeLessThan(24.5 * HOUR);
  });

  it('is tried for as long as its profile says', async () => {
    const { ended, afterMs } = await patiently(worldOf(single('retry: { until: 2h }'), ...repeated(refused, 500)));
    expect(ended).toBe('held: fail');
    expect(afterMs).toBeGreaterThanOrEqual(2 * HOUR);
    expect(afterMs).toBeLessThan(2.5 * HOUR);
    const none = await patiently(worldOf(single('retry: { until: 0s }'), ...repeated(refused, 4)));
    expect(none).toMatchObject({ ended: 'held: fail', waits: [2, 4, 8] });
  });

  const retried = 'outcomes: [ { status: 503, do: retry } ]';
  it.each<[string, string, Reply]>([
    ['refuses connections', '', refused],
    ['has a name that does not resolve', '', unsent('name_not_found')],
    ['has a certificate that ran out', '', unsent('tls_certificate_expired')],
    ['asks us to slow down', '', busy(429)],
    ['asks for time, and recognises repeats', 'idempotency: reference', busy(503, 60)],
    ['asks for time, and says that it did nothing', retried, busy(503, 60)],
  ])('and %s has what waits for it when it is back', async (_, lines, reply) => {
    const world = worldOf(single(lines), ...repeated(reply, 20), numbers);
    const { ended, afterMs } = await patiently(world);
    expect(ended).toBe('done');
    expect(afterMs).toBeGreaterThan(HOUR);
    expect(new Set(world.sent.map(({ body }) => String(body))).size).toBe(1);
  });

  it('is waited for where only its login is away', async () => {
    const login = 'auths: { login: { session: { login: { post: /login }, token: response.body.token } } }';
    const world = worldOf(
      single('auth: login').replace('credentials', `${login}\ncredentials`),
      ...repeated(refused, 9),
      { token: 't-0123456789' },
      numbers,
    );
    expect(await patiently(world)).toMatchObject({ ended: 'done', waits: expect.objectContaining({ length: 9 }) });
  });

  it('is asked no sooner than it asks for', async () => {
    const { waits } = await patiently(worldOf(single(), busy(429, 7_200), busy(429, 1), numbers));
    expect(waits).toEqual([7_200, 4]);
  });

  it('gets nothing twice that it may have done: 503 alone is an unknown outcome, whatever it asks for', async () => {
    for (const reply of [busy(503, 60), busy(503)]) {
      const world = worldOf(single(), reply);
      expect(await patiently(world)).toMatchObject({ ended: 'held: unknown_outcome', waits: [] });
      expect(world.requests()).toEqual(['POST /orders']);
    }
  });

  it('is looked up for as long, where nobody knows what it did before', async () => {
    const world = worldOf(single('', lookup), reset, ...repeated(refused, 20), numbers);
    expect((await patiently(world)).ended).toBe('done');
    expect(new Set(world.requests().slice(1))).toEqual(new Set(['GET /orders/REF-1']));
  });

  it('uses up no attempts: when it is back they are as many as ever', async () => {
    const failing = single('outcomes: [ { status: 409, do: retry } ]');
    const world = worldOf(failing, ...repeated(refused, 20), 409, 409, 409, numbers);
    expect((await patiently(world)).ended).toBe('done');
    const world2 = worldOf(failing, ...repeated(refused, 20), 409, 409, 409, 409);
    expect((await patiently(world2)).ended).toBe('held: fail');
  });
});

describe('many that wait for a carrier that is away', () => {
  it('are looked at ever more seldom, call it once a pause, and are all held in the end', async () => {
    const carrier = carrierOf(`${single()}limits: { breaker: { failures: 2, pause: 60s } }\n`);
    const { ports, clock, sent, another } = createWorld(carrier, repeated(refused, 3_000));
    const waiting = Array.from({ length: 100 }, () => ({
      dueAtMs: clock.now(),
      awaySinceMs: undefined as number | undefined,
    }));
    const endings: string[] = [];
    let looks = 0;
    while (waiting.length > 0) {
      const next = waiting.reduce((first, one) => (one.dueAtMs < first.dueAtMs ? one : first));
      clock.advance(Math.max(0, next.dueAtMs - clock.now()));
      looks += 1;
      const outcome = await another('create', undefined, { awaySinceMs: next.awaySinceMs }, ports);
      if (outcome.kind === 'waiting') Object.assign(next, { awaySinceMs: undefined, ...outcome });
      else {
        waiting.splice(waiting.indexOf(next), 1);
        endings.push(endingOf(outcome));
      }
    }
    expect(new Set(endings)).toEqual(new Set(['held: fail']));
    expect(looks / 100).toBeLessThan(300);
    expect(sent.length).toBeLessThan(25 * 60);
  });
});
