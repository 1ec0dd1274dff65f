/** Rows that operators add to the status table of a profile, on a real server with a home of its own. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { minimalProfile } from '../flow/server.ts';
import { flowWorld } from '../flow/world.ts';

describe('rows of a status table', () => {
  const world = flowWorld({ profiles: (url) => ({ plain: minimalProfile(url) }) });

  it('that several operators add at once are all there', async () => {
    const codes = ['AT_LOCKER', 'WITH_NEIGHBOUR', 'BACK_TO_SENDER', 'ON_THE_SHIP'];
    const added = await Promise.all(
      codes.map(async (code) => {
        const rows = [{ code, status: 'In Transit' }];
        return (await world.asAdmin('POST', '/admin/carriers/plain/statuses', { rows })).status;
      }),
    );
    expect(added).toEqual([200, 200, 200, 200]);
    const profile = readFileSync(path.join(world.home, 'carriers/plain.yaml'), 'utf8');
    expect(codes.filter((code) => !profile.includes(code))).toEqual([]);
  });
});
