import { expect, it } from 'vitest';
import { answer, carrierOf, createWorld } from './world.ts';

const carrier = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
limits: { breaker: { failures: 2, pause: 1h } }
retry: { attempts: 1 }
operations: { create: { post: /orders, result: '{ "itemsTrackDetails": { "trackingNumber": "T1" } }' } }
`);

it('a request that our own guard refused says nothing about the carrier, and opens no breaker', async () => {
  const refused = { kind: 'not_sent', code: 'address_forbidden', message: 'not a public address' } as const;
  const { another } = createWorld(carrier, [refused, refused, refused, answer(200, {})]);
  for (let time = 0; time < 3; time += 1)
    expect(await another('create')).toMatchObject({ kind: 'held', why: 'config_error' });
  expect(await another('create')).toMatchObject({ kind: 'done' });
});
