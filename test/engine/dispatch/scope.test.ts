import { describe, expect, it } from 'vitest';
import { createMemoryLog } from '../../../src/engine/dispatch/attempt-log.ts';
import {
  derivedUuid,
  evaluateEnvironment,
  evaluateForSending,
  idempotencyKeyOf,
  openRoots,
  evaluationContextOf,
  withDraws,
} from '../../../src/engine/dispatch/scope.ts';
import { DrawNeeded } from '../../../src/engine/mapping/mapping.ts';
import { createMask } from '../../../src/engine/transport/masking.ts';
import { carrierOf, runOf } from './world.ts';

const carrier = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://\${settings.country}.acme.example', client: '\${credentials.key}', test: false } }
credentials: { key: { secret: true } }
settings: { country: {} }
operations:
  create: { post: /orders, result: '{ "itemsTrackDetails": [] }' }
`);
const run = runOf(carrier, 'create', {
  account: { id: 1, version: 1, credentials: { key: 'key-0123456789' }, settings: { country: 'be' } },
  inputs: { consignment: { referenceId: 'R1' } },
});
const attemptLog = () => createMemoryLog(() => Promise.resolve());

describe('roots', () => {
  it('that are kept or shown hold no credentials, tokens or environment values made of them', async () => {
    const environment = await evaluateEnvironment(run, evaluationContextOf(run, attemptLog()), false);
    const open = openRoots(run, environment, {}, { step: 'create', element: 0, item: { a: 1 }, index: 0 });
    expect(environment).toEqual({ name: 'production', url: 'https://be.acme.example', test: false });
    expect(JSON.stringify(open)).not.toContain('key-0123456789');
    const names = 'consignment environment idempotencyKey index item now settings steps tables';
    expect(Object.keys(open).toSorted().join(' ')).toBe(names);
  });

  it('of what is sent hold them all', async () => {
    const ports = { attemptLog: attemptLog(), nowMs: () => run.nowMs + 1_000 };
    const scope = { step: 'create', element: 0 };
    const sent = { run, ports, mask: createMask([]) };
    const sending = evaluateForSending(sent, scope, openRoots(run, {}, {}), async (it) => Promise.resolve(it.roots));
    expect(await sending).toMatchObject({
      consignment: { referenceId: 'R1' },
      credentials: { key: 'key-0123456789' },
      auths: {},
      environment: { client: 'key-0123456789' },
      now: '2026-05-01T09:00:00.000Z',
      sentAt: '2026-05-01T09:00:01.000Z',
    });
  });

  it('name an environment that is missing', async () => {
    const missing = { ...run, environment: 'sandbox' } as const;
    const evaluated = evaluateEnvironment(missing, evaluationContextOf(run, attemptLog()), true);
    await expect(evaluated).rejects.toMatchObject({ code: 'environment_missing' });
  });
});

describe('keys and drawn values', () => {
  it('are the same for the same dispatch, step, element and name, and others for others', () => {
    const uuid = derivedUuid('s', 'key', 'create', 0);
    expect(uuid).toBe(derivedUuid('s', 'key', 'create', 0));
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const own = [uuid, derivedUuid('t', 'key', 'create', 0), derivedUuid('s', 'key', 'create', 1)];
    const others = [...own, derivedUuid('s', 'key', 'creat', 'e0'), derivedUuid('s', 'uuid', 'create', 0)];
    expect(new Set(others).size).toBe(5);
  });

  it('of a lookup is that of the call it asks about', () => {
    expect(idempotencyKeyOf({ ...run, idempotencyKey: 'its' }, { step: 'lookup', element: 0 })).toBe('its');
  });

  it('stop an evaluation, are drawn and recorded, and the evaluation starts over', async () => {
    const kept = attemptLog();
    const call = { step: 'create', element: 0 };
    const context = evaluationContextOf(run, kept, call);
    let evaluations = 0;
    const value = await withDraws(kept, call, () => {
      evaluations += 1;
      const first = context.drawn({ kind: 'sequence', name: 'a', options: {} });
      return Promise.resolve(`${first}-${context.drawn({ kind: 'sequence', name: 'b', options: { pad: 3 } })}`);
    });
    expect(value).toBe('1-001');
    expect(evaluations).toBe(3);
    expect(kept.draws.size).toBe(2);
  });

  it('end somewhere', async () => {
    let name = 0;
    const endless = (): Promise<never> =>
      Promise.reject(new DrawNeeded({ kind: 'sequence', name: `n${(name += 1)}`, options: {} }));
    await expect(withDraws(attemptLog(), undefined, endless)).rejects.toMatchObject({ code: 'too_many_draws' });
  });
});

describe('what functions make', () => {
  it('is known to the mask when a secret is in it', () => {
    const mask = createMask([{ name: 'key', value: 'key-0123456789' }]);
    const { derived } = evaluationContextOf(run, attemptLog(), undefined, mask);
    derived?.('id:key-0123456789', 'made-of-the-secret');
    derived?.('nothing secret', 'made-of-nothing');
    expect(mask.text('made-of-the-secret, made-of-nothing')).toBe('***derived***, made-of-nothing');
  });
});
