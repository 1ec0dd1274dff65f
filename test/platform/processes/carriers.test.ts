import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAlert } from '../../../src/platform/records/alert.ts';
import { type Carriers, openCarriers } from '../../../src/platform/processes/carriers.ts';
import { makeHome, minimalProfile } from '../../flow/server.ts';
import { type Listener, listen } from '../../../src/platform/records/listener.ts';
import { freshDatabase } from '../../support/database.ts';
import { recordingLog } from '../../support/log.ts';

const detail = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
const about = { actor: 'engine', action: 'load_profile', subject: 'carrier:plain', detail };
const good = (more = ''): string => `${minimalProfile('https://plain.example')}${more}`;

describe('what becomes of profiles', () => {
  const database = freshDatabase();
  let home: string;
  let log: ReturnType<typeof recordingLog>;
  let carriers: Carriers;
  let listener: Listener;
  /** As a process that has just started. */
  const open = async () => {
    listener = await listen({ databaseUrl: database.databaseUrl, log });
    return await openCarriers(home, { pool: database.pool, listener }, log, createAlert(log));
  };

  const fileOf = (code: string): string => path.join(home, `carriers/${code}.yaml`);
  const reloaded = async (text: string): Promise<void> => {
    // In one go: the load that the last reload told us of as well may come at any time.
    await writeFile(path.join(home, 'plain.yaml'), text);
    await rename(path.join(home, 'plain.yaml'), fileOf('plain'));
    await carriers.reload();
  };
  const noted = async () =>
    (
      await database.pool.query(
        `select actor, action, subject, detail from audit_log where subject = 'carrier:plain' order by id`,
      )
    ).rows;
  const actions = async () => (await noted()).map(({ action }) => action);

  beforeEach(async () => {
    await database.pool.query('truncate audit_log');
    log = recordingLog();
    home = await makeHome({ plain: good() });
    carriers = await open();
  });
  afterEach(async () => {
    await listener.close();
    await rm(home, { recursive: true, force: true });
  });

  it('is noted for each version that is loaded, once, however many processes start with it', async () => {
    expect(await noted()).toEqual([about]);
    await carriers.reload();
    await listener.close();
    carriers = await open();
    expect(await noted()).toHaveLength(1);
    await reloaded(good('labels: { formats: [PDF] }\n'));
    const both = await noted();
    expect(both).toEqual([about, about]);
    expect(both[0]?.detail).not.toBe(both[1]?.detail);
  });

  it('is noted and logged when a carrier’s file is gone, and again when it is back', async () => {
    await rm(fileOf('plain'));
    await carriers.reload();
    await carriers.reload();
    expect(carriers.find('plain')).toBeUndefined();
    expect((await noted()).slice(1)).toEqual([{ ...about, action: 'remove_profile', detail: null }]);
    const message = 'a carrier is gone: it has no profile any more';
    expect(log.lines).toEqual([{ level: 'warn', fields: { carrier: 'plain' }, message }]);
    await reloaded(good());
    expect(await actions()).toEqual(['load_profile', 'remove_profile', 'load_profile']);
  });

  it('is noted when a version is refused, once for that version, while the one before stays', async () => {
    await writeFile(fileOf('never'), 'carrier: [');
    await reloaded(good('sttuses: {}\n'));
    await carriers.reload();
    expect(carriers.find('plain')).toBeDefined();
    expect((await noted()).slice(1)).toEqual([{ ...about, action: 'refuse_profile' }]);
    const fields = { alert: 'profile_refused', carrier: 'plain', keptLastGood: true };
    expect(log.lines).toContainEqual({ level: 'warn', message: expect.any(String), fields });
    await reloaded(good('stattuses: {}\n'));
    await reloaded(good('labels: { formats: [PDF] }\n'));
    expect(await actions()).toEqual(['load_profile', 'refuse_profile', 'refuse_profile', 'load_profile']);
  });

  it('has the test carrier in every home, where the home has none of its own', async () => {
    expect(carriers.find('test_carrier')?.environments).toEqual({ sandbox: expect.anything() });
    await writeFile(fileOf('test_carrier'), 'carrier: test_carrier\nname: None\nabstract: true\n');
    await carriers.reload();
    expect(carriers.find('test_carrier')).toBeUndefined();
  });
});
