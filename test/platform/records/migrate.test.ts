import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/platform/records/migrate.ts';
import { createDatabase, queryAt } from '../../support/database.ts';
import { PROJECT } from '../../support/project.ts';

const MIGRATIONS = join(PROJECT, 'src/platform/records/migrations');

/** What databases were made with: add a line for a new one, never change one that has landed. */
const LANDED = {
  '0001-ground.sql': '8cfbd4f5b58b6ce49cd964b6c8f6b59b0402b7d6e84d0a87cd870a1e533668da',
  '0002-problem.sql': '1fdaddbf5e71e6237ebaa4c9c30bcac8fa07014a423a38197bd9a132d5329fea',
  '0003-batches.sql': '068ba12b80f57a462b3e535d2ba7fb79ca1bd1494e41824907e761af8a5408ea',
  '0004-cut-short.sql': '60e139d8d7ebd5626664b99f8f0d2c73fabff5ef4f498bc32b08aa165a92b151',
  '0005-months.sql': 'bf391e725cfb69e7969260d836fc8e45d64a402f11a606f761e9474b0941cd33',
  '0006-months-of-pushes.sql': 'f49618fd59cd18c2e644ed436202cd288acdddfed5bbd482f8d0ccf6486b5753',
  '0007-label-failures.sql': '0304cc1e05e8eb4dbf4e78d5c13ac92bbbe3f53119fe4554f19a4f53418964f7',
  '0008-operators.sql': 'c4574f46050213481a496fc694392c3681fe690c20f599ad30f8242eb8873c19',
  '0009-event-names.sql': 'ae59d8a53ed1d43b2495819e8b65e11fa949e110746650abb8d54bf9c8834a7f',
  '0010-patience.sql': 'a4c2bc2999a590d684af56f016f13eafd397af47934060f18035ad82bcba4321',
  '0011-unique-numbers.sql': '7f4cafbaa13a26fb2bf5a9a4f4c0000e516011165615aae79361e69848e0d5a1',
  '0012-traces.sql': '724bf202f9a8ee2b67b1c149fb00a7de131553b690cb5797a4b6f1d5304f26ac',
  '0013-search.sql': '5e45706da1096764e4d0bf61fbfbeef4aa48383384d2bda5073249195de8dc11',
  '0014-out-of-use.sql': '703005e5acbb6921b837cbaf1799f36d1fea96b3ad156c3c90df6a162769540d',
  '0015-filters.sql': '5c83f6c55874355975751d4694d3deab19b38752bbd77e76b846506c53942070',
  '0016-own-headers.sql': '847091e9d9504024ec2a51eabc6f3978310f4be6ee4e6ab0ced4c8cb0f303cda',
  '0017-identifiers-of-consignment.sql': '41bde4cbbf0595def432eba9f9395e1db867a4b4a7e8a259e18ff480332278f4',
  '0018-gone-events.sql': '29cc079920103c09d890c26ffec11a55f8852ce8183e7740fe1445aefabc0dd7',
  '0019-base-urls.sql': '3af51636637e28b26031f5f25c11b8685b08bbdea4bf3c39e39ca44ac8115977',
  '0020-slots.sql': 'b077f473f0b53164ffc1123ba188535d697d4a9a28c92ca7592cdccc6359ec6a',
  '0021-carrier-slots.sql': '5e8e1e5a3126e281b26132f5ecbf6664c2164d9e12a39fd3472dae5d29ca9a41',
  '0022-choices.sql': 'e65b2e493666c025d1cc47ea9530ca3b6e081a78d9e20ba555a9c104ef99b8f5',
  '0023-errands.sql': '914a6b3dee207df89334c59a3752c9ec9a6d4bf596323802ea99e0c15a563876',
  '0024-manifests.sql': '4e44fd4f792c29074fb74d8d6936164407395db5303be18e300aae015cfd8974',
  '0025-sessions.sql': '0b84cf11e30050ad9e92eabc574da4654d103e4dcade1509cfb18d182c1663e1',
  '0026-single-sign-on.sql': '4b0aea4a1c2b966647c0919f4fa47dd3dcf8cb7c4055cfd1a4fdcc5d0cf24410',
  '0027-new-facilities.sql': '19c3c5dfb39eecac2604bf484224ae1293310f66266dc024894e027c22335b22',
  '0028-narrow-rows.sql': '5da0de5776e658c56ae6a0c07b7af15b3523ab139f80086f8e7c8669b41c59a6',
  '0029-input-by-reference.sql': '9a48514e733104ca7e4d268f7e013a87aaf59810ca187988159d177e5e7dd818',
  '0030-packages-in-place.sql': '5221901c3667292dd63f36450677119da248d1c5f5b922cdb10ba17b021a9398',
};

it('no migration that has landed is another one now', async () => {
  const found = (await readdir(MIGRATIONS)).toSorted().map(async (name) => {
    const text = (await readFile(join(MIGRATIONS, name), 'utf8')).replaceAll('\r\n', '\n');
    return [name, createHash('sha256').update(text).digest('hex')] as const;
  });
  expect(Object.fromEntries(await Promise.all(found))).toEqual(LANDED);
});

let folder: string;
let database: Awaited<ReturnType<typeof createDatabase>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-migrations-'));
  database = await createDatabase({ empty: true });
});

afterEach(async () => {
  await rm(folder, { recursive: true });
  await database.drop();
});

const write = (name: string, sql: string) => writeFile(join(folder, name), sql);
const add = (name: string) => write(name, 'select 1;');
const remove = (name: string) => rm(join(folder, name));
const run = () => migrate(database.databaseUrl, folder);
const query = (sql: string) => queryAt(database.databaseUrl, sql);
const FIRST = 'create table parcel (id int);';
describe('migrate', () => {
  it('applies what is new, in the order of the numbers, and nothing twice', async () => {
    await write('0002-second.sql', 'insert into parcel values (2);');
    await write('0001-first.sql', 'create table parcel (id int); insert into parcel values (1);');
    expect(await run()).toEqual(['0001-first.sql', '0002-second.sql']);
    expect(await run()).toEqual([]);
    await write('0003-third.sql', 'insert into parcel values (3);');
    expect(await run()).toEqual(['0003-third.sql']);
    expect(await query('select id from parcel order by id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  it('applies each one once when several processes start together', async () => {
    await write('0001-first.sql', FIRST);
    await write('0002-second.sql', 'insert into parcel values (1); select pg_sleep(0.2);');
    const applied = await Promise.all([run(), run(), run(), run()]);
    expect(applied.flat()).toEqual(['0001-first.sql', '0002-second.sql']);
    expect(await query('select count(*)::int as n from parcel')).toEqual([{ n: 1 }]);
  });

  it('undoes the whole of a failed one, keeps those before it, and says where it failed', async () => {
    await write('0001-first.sql', FIRST);
    await write('0002-second.sql', "insert into parcel values (1);\n-- é\n  insert into nowhere values ('x');\n");
    const place = { file: join(folder, '0002-second.sql'), line: 3, column: 15 };
    const message = expect.stringContaining('0002-second.sql') as unknown;
    await expect(run()).rejects.toMatchObject({ code: 'migration_failed', message, place });
    expect(await query('select * from parcel')).toEqual([]);
    await write('0002-second.sql', 'insert into parcel values (1);');
    expect(await run()).toEqual(['0002-second.sql']);
  });

  it('takes other line ends for no change', async () => {
    await write('0001-first.sql', 'create table parcel (\n id int);\n');
    await run();
    await write('0001-first.sql', 'create table parcel (\r\n id int);\r\n');
    expect(await run()).toEqual([]);
  });

  it.each<[string, string, string, (name: string) => Promise<void>]>([
    ['an applied migration that was changed', 'migration_changed', '0001-first.sql', add],
    ['an applied migration that is missing', 'migration_missing', '0001-first.sql', remove],
    ['a database that is newer than the code', 'database_newer', '0004-fourth.sql', remove],
    ['a migration that comes late', 'migration_out_of_order', '0003-third.sql', add],
    ['two migrations of one number', 'migration_name', '0004-twice.sql', add],
    ['a name that it cannot order', 'migration_name', 'five.sql', add],
  ])('refuses %s, and names it', async (_, code, name, change) => {
    await write('0001-first.sql', FIRST);
    await add('0004-fourth.sql');
    await run();
    await change(name);
    await expect(run()).rejects.toMatchObject({ code, message: expect.stringContaining(name) as unknown });
  });
});
