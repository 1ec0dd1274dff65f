import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { minimalProfile } from './server.ts';
import { flowWorld } from './world.ts';

describe('a profile that changes under a running server', () => {
  const flow = flowWorld();

  const writeProfile = async (more: string): Promise<void> =>
    await writeFile(path.join(flow.home, 'carriers/plain.yaml'), minimalProfile(flow.carrier.url) + more);
  const reload = async (status = 200): Promise<unknown> => {
    const reply = await flow.asAdmin('POST', '/admin/reload?only=changed');
    expect(reply.status).toBe(status);
    return reply.body;
  };
  const told = (status: string): boolean => flow.receiver.received.some((notice) => notice.status === status);

  beforeAll(async () => {
    await flow.subscribe('forward');
    await flow.create('REF-1');
    await flow.push({
      value: 'T-REF-1-PKG-1',
      carrierStatusCode: 'ON_THE_MOON',
      statusReceivedAt: '2026-05-02 08:00:00',
    });
    await until('the unknown status is told', () => told('Unmapped'));
  });

  const listed = async (): Promise<string> =>
    JSON.stringify((await flow.asAdmin('GET', '/admin/statuses/unmapped')).body);

  it('makes good what it has learnt: stored events are normalised again, and the shipper is told', async () => {
    expect(await listed()).toContain('ON_THE_MOON');
    await writeProfile('statuses: { table: { ON_THE_MOON: Delayed } }\n');
    expect(await reload()).toMatchObject({ carriers: [{ code: 'plain' }] });
    await until('the status that the table has learnt is told', () => told('Delayed'));
    const stored = await flow.read('REF-1');
    expect(JSON.stringify(stored.body)).toContain('"Delayed"');
    expect(await listed()).not.toContain('ON_THE_MOON');
  });

  it('stays in its last good version when the new one is broken, and says what is wrong with it', async () => {
    await writeProfile('sttuses: {}\n');
    await reload(422);
    expect(JSON.stringify((await flow.asAdmin('GET', '/admin/carriers')).body)).toContain('sttuses');
    const reply = await flow.create('REF-2');
    expect(JSON.stringify(reply.body)).toContain('T-REF-2-PKG-1');
  });

  it('records with each exchange the version that was used', async () => {
    await writeProfile('labels: { formats: [PDF] }\n');
    await reload();
    await flow.create('REF-3');
    const { rows } = await flow.database.pool.query<{ versions: number }>(
      'select count(distinct profile_hash) as versions from exchanges',
    );
    expect(rows[0]?.versions).toBeGreaterThanOrEqual(2);
  });
});
