import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Consignment } from '../../src/engine/consignment/consignment.ts';
import type { EnvironmentName } from '../../src/engine/profile/carrier.ts';
import { saveAccount } from '../../src/platform/records/accounts.ts';
import { answer, carrierOf } from '../engine/dispatch/world.ts';
import { listenLocally } from '../flow/carrier.ts';
import { dispatchWorld } from '../platform/records/dispatch-world.ts';
import { accept, newOwner, sealer } from '../platform/records/world.ts';
import { consignmentNamed } from '../workbench/cases/running.ts';
import { freshDatabase } from '../support/database.ts';
import { homeWith, keysOf, root } from './home.ts';

const PROFILE = `carrier: acme
name: Acme
environments:
  production: { url: 'https://api.acme.example' }
  sandbox: { url: 'https://sandbox.acme.example' }
services: { Express: { typeOfService: EXPRESS } }
credentials: { key: { secret: true }, customer: { example: 'C-1' } }
settings: { depot: { example: 'D-1' }, mode: { oneOf: [fast, slow], default: fast } }
auth: login
auths:
  login:
    session:
      login: { post: /login, body: { json: { key: '\${credentials.key}' } } }
      token: response.body.token
operations:
  create:
    post: '/\${settings.mode}/orders'
    body: { json: '{ "to": consignment.destinationName, "phone": consignment.destinationContactNumber, "customer": credentials.customer, "depot": settings.depot }' }
    result: '{ "itemsTrackDetails": [{ "trackingNumber": $string(response.body.number), "label": { "content": response.body.label } }] }'
statuses: { table: { MOVING: In Transit } }
`;
const PERSON = {
  destinationName: 'Josephine Muster-Beispiel',
  destinationCompanyName: 'Muster & Beispiel',
  destinationContactNumber: '+49 30 901820',
  destinationEmail: 'josephine@muster.example.net',
  destinationAddressLine1: 'Hinterhofweg 17',
  deliveryInstructions: 'ring at Josephine',
  info: { note: 'Josephine Muster-Beispiel is in' },
};
const LABEL = Buffer.from(`^XA^FO50,50^FDJosephine Muster-Beispiel^FS^FO50,90^FDHinterhofweg 17^FS^XZ`).toString(
  'base64',
);
const ANSWER = {
  number: 12345678901234,
  label: LABEL,
  recipient: { name: 'JOSEPHINE MUSTER-BEISPIEL', phone: '4930901820', firstName: 'Josephine' },
  note: 'for Muster & Beispiel, Hinterhofweg 17, josephine@muster.example.net; customer CUST-778899 at DEPOT-42',
  sessionToken: 'opaque-session-value',
};
const SECRETS = ['key-0123456789', 'CUST-778899', 'DEPOT-42', 'opaque-session-value', 'live-token-1234'];
const PEOPLE = ['josephine', 'muster', 'hinterhofweg', '901820'];

/** All that was written. */
const all = (folder: string): string =>
  readdirSync(join(folder, 'fixtures/acme'))
    .map((file) => readFileSync(join(folder, 'fixtures/acme', file), 'utf8'))
    .join('\n');

const expectHidden = (text: string, values: readonly string[]): void => {
  for (const hidden of values) expect(text.toLowerCase()).not.toContain(hidden.toLowerCase());
};

const partHead = (name: string, kind: string): string =>
  `--x-7\r\nContent-Type: ${kind}\r\nContent-Disposition: attachment; name="${name}"\r\n\r\n`;

describe('waybill record', () => {
  const database = freshDatabase();
  const world = dispatchWorld(() => database.pool);
  const carrier = carrierOf(PROFILE);
  let dispatchId = 0;
  let refusedId = 0;

  const openAccount = async (environment: EnvironmentName, settings: object): Promise<number> => {
    const key = { ...(await newOwner(database.pool, 'example')), carrierCode: 'acme', environment };
    const credentials = { key: SECRETS[0], customer: SECRETS[1] };
    return await saveAccount(database.pool, sealer, key, { credentials, settings: { depot: SECRETS[2], ...settings } });
  };

  const place = async (reference: string, reply: ReturnType<typeof answer>, of = carrier): Promise<number> => {
    const accountId = await openAccount('production', { mode: 'slow' });
    const named = { referenceId: reference, consignmentNumber: `C-${reference}`, carrierCode: 'acme' };
    const order = { ...consignmentNamed('one-box-de'), ...PERSON, ...named };
    const consignment = { ...order, typeOfAction: 'CREATE' } as unknown as Consignment;
    const { hash: profileHash, services } = of;
    const wish = { referenceNumber: reference, profileHash, accountId, consignment, service: services?.get('Express') };
    const accepted = await accept(database.pool, wish);
    world.script.push(answer(200, { token: SECRETS[4] }), reply);
    await world.worker(of).perform(accepted.dispatchId);
    return accepted.dispatchId;
  };

  beforeAll(async () => {
    dispatchId = await place('REF-1', answer(200, ANSWER));
    refusedId = await place('REF-2', answer(422, { message: 'no such street: Hinterhofweg 17' }));
  });

  const env = () => ({
    DATABASE_URL: database.databaseUrl,
    WAYBILL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  const home = () => homeWith({ 'carriers/acme.yaml': PROFILE }, env());

  it('writes what a server recorded as a case that passes', async () => {
    const { json, run } = home();
    const { code, value } = await json('record', '--dispatch', String(dispatchId));
    const recorded = [{ carrier: 'acme', case: `fixtures/acme/create-${dispatchId}.yaml` }];
    expect({ code, value }).toMatchObject({ code: 0, value: { ok: true, recorded } });
    const out = expect.stringContaining('1 passed') as string;
    expect(await run('test', 'acme', '--no-pack')).toMatchObject({ code: 0, out });
  });

  it('has neither secrets nor people in it, but the story', async () => {
    const { run, home: folder } = home();
    expect(await run('record', '--dispatch', String(dispatchId))).toMatchObject({ code: 0, error: '' });
    const text = all(folder);
    expectHidden(text, [...SECRETS, ...PEOPLE]);
    for (const told of ['/slow/orders', '12345678901234', 'customer C-1 at D-1']) expect(text).toContain(told);
    const [person] = /Person \d+ Example/.exec(text) ?? [];
    expect(text.split(person ?? '?').length).toBeGreaterThan(3);
  });

  it('leaves people where it is told to, secrets never', async () => {
    const { run, home: folder } = home();
    expect((await run('record', '--dispatch', String(dispatchId), '--keep-people')).code).toBe(0);
    expect(all(folder)).toContain(PERSON.destinationName);
    expectHidden(all(folder), SECRETS);
  });

  it('writes a carrier’s dispatches, refused ones too, and over nothing that is there', async () => {
    const { run, read } = home();
    const first = await run('record', '--carrier', 'acme', '--since', '3650d');
    expect([first.code, first.error]).toEqual([0, '']);
    expect(first.out).toContain(`create-${refusedId}.yaml`);
    expect(read(`fixtures/acme/create-${refusedId}.yaml`)).toContain("outcome: 'reject'");
    expect(await run('test', 'acme', '--no-pack')).toMatchObject({ code: 0 });
    const again = await run('record', '--carrier', 'acme', '--limit', '1');
    expect([again.code, again.out]).toEqual([1, '']);
    expect(again.error).toContain('--force writes over it');
    expect((await run('record', '--carrier', 'acme', '--force')).code).toBe(0);
  });

  it('prints JSON as documented', async () => {
    const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
    const [, sample = ''] = /^## record [^]*?```json\n([^]*?)```/m.exec(page) ?? [];
    const { run, json } = home();
    await run('record', '--dispatch', String(dispatchId));
    expect(keysOf((await json('record', '--carrier', 'acme')).value)).toEqual(keysOf(JSON.parse(sample)));
  });

  /** A sandbox that answers, with an account of the shipper; what it was asked, and what had been noted by then. */
  const openSandbox = async () => {
    const asked: string[] = [];
    const notedBy: unknown[][] = [];
    const noted = async () => {
      const { rows } = await database.pool.query<Record<string, unknown>>(
        `select actor, action, subject, detail from audit_log where action in ('record', 'replay') order by id`,
      );
      return rows;
    };
    await database.pool.query('truncate audit_log');
    const { url, close } = await listenLocally(async (request, response) => {
      notedBy.push(await noted());
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(request.url === '/login' ? { token: SECRETS[4] } : ANSWER));
    });
    onTestFinished(close);
    const accountId = await openAccount('sandbox', {});
    const sandbox = homeWith(
      {
        'carriers/acme.yaml': PROFILE.replace('https://sandbox.acme.example', url),
        'fixtures/_consignments/box.yaml': JSON.stringify({ ...consignmentNamed('one-box-de'), ...PERSON }),
        'fixtures/acme/made.yaml': 'case: made\ngiven: { consignment: box }\nflow: [ { do: create } ]\n',
      },
      { ...env(), ALLOW_PRIVATE_NETWORKS: 'true' },
    );
    const run = async (...args: readonly string[]) =>
      await sandbox.run(...args, '--against', 'sandbox', '--carrier', 'acme', '--shipper', 'example');
    const entry = (action: string) => ({
      actor: 'command',
      action,
      subject: `account:${accountId}`,
      detail: JSON.stringify({ shipper: 'example', carrier: 'acme', environment: 'sandbox' }),
    });
    return { asked, notedBy, noted, folder: sandbox.home, run, entry };
  };

  it('asks a sandbox what a case asks, and writes what came', async () => {
    const { asked, notedBy, noted, folder, run, entry } = await openSandbox();
    const error = expect.stringContaining('did you mean "made"?') as string;
    expect(await run('record', '--case', 'mad')).toMatchObject({ code: 2, error });
    expect([asked, await noted()]).toEqual([[], []]);
    expect(await run('record', '--case', 'made')).toMatchObject({ code: 0, error: '' });
    expect(asked).toEqual(['POST /login', 'POST /fast/orders']);
    expect(notedBy).toEqual([[entry('record')], [entry('record')]]);
    expectHidden(all(folder), [...SECRETS, ...PEOPLE]);
    expect(all(folder)).toContain("outcome: 'succeed'");
  });

  it('notes once that a replay uses an account at a sandbox, before anything is sent', async () => {
    const { asked, notedBy, noted, run, entry } = await openSandbox();
    const box = 'fixtures/_consignments/box.yaml';
    const { code, error } = await run('replay', box, box, '--service', 'Express');
    expect([code, error]).toEqual([0, '']);
    expect(asked.filter((one) => one === 'POST /fast/orders')).toHaveLength(2);
    expect(notedBy[0]).toEqual([entry('replay')]);
    expect(await noted()).toEqual([entry('replay')]);
  });

  it.each([
    [['--dispatch', '999'], 2, 'waybill: there is no dispatch 999\n'],
    [['--carrier', 'acne'], 2, 'did you mean "acme"?'],
    [[], 2, 'say --dispatch'],
    [['--carrier', 'acme', '--since', '2999-01-01'], 1, 'nothing is recorded that could be written\n'],
  ])('with %j writes nothing, exit code %i: %s', async (args, exitCode, why) => {
    const { run, home: folder } = home();
    const { code, error } = await run('record', ...args);
    expect([code, error]).toEqual([exitCode, expect.stringContaining(why)]);
    expect(existsSync(join(folder, 'fixtures'))).toBe(false);
  });

  it('replays dispatches, exchanges and pushes that are in the records', async () => {
    await database.pool.query(
      `insert into pushes (carrier_code, source, request, body, state) values ('acme', 'contract', '{}', convert_to($1, 'UTF8'), 'done')`,
      [JSON.stringify({ value: 'A1', carrierStatusCode: 'MOVING', statusReceivedAt: '2026-05-01 09:00:00' })],
    );
    const { jsonLines } = home();
    const replay = async (query: string) => (await jsonLines('replay', query)).lines;
    expect((await replay(`dispatches:dispatch=${dispatchId}`))[0]).toMatchObject({
      at: `dispatch ${dispatchId}`,
      observations: [{ deed: 'create', outcome: 'succeed' }],
    });
    const answers = (await replay('exchanges:carrier=acme operation=create limit=5')).slice(0, -1);
    expect(answers.map(({ observations: [seen] }) => seen.outcome)).toEqual(['succeed', 'reject']);
    expect((await replay('orders:carrier=acme limit=1')).at(-1)).toMatchObject({ summary: { payloads: 1 } });
    const pushes = { summary: { ok: true, statuses: { 'In Transit': 1 } } };
    expect((await replay('pushes:carrier=acme')).at(-1)).toMatchObject(pushes);
    expect(await replay('dispatches:carrier=other')).toMatchObject([{ summary: { payloads: 0 } }]);
  });

  it('keeps a multipart request and a multipart answer with a label whole in shape', async () => {
    const parts = `{ "order": { "contentType": "application/json", "content": { "to": consignment.destinationName } }, "copies": "1" }`;
    const profile = PROFILE.replace(/    body: \{ json: .*\n    result: .*\n/, () =>
      [
        `    body: { multipart: '${parts}' }`,
        '    response: multipart',
        `    result: '{ "itemsTrackDetails": [{ "trackingNumber": response.body.order.number, "label": { "content": response.body.label } }] }'\n`,
      ].join('\n'),
    );
    const type = 'multipart/mixed; boundary="x-7"';
    const body = Buffer.concat([
      Buffer.from(`${partHead('order', 'application/json')}{"number":"M-7","to":"Josephine Muster-Beispiel"}\r\n`),
      Buffer.from(
        `${partHead('label', 'application/pdf')}%PDF-1.4 \xE2\xE3 Josephine\n%%EOF\n\r\n--x-7--\r\n`,
        'latin1',
      ),
    ]);
    const reply = { ...answer(200, undefined, { 'content-type': type }), body } as ReturnType<typeof answer>;
    const id = await place('REF-7', reply, carrierOf(profile));
    const { run, read, home: folder } = homeWith({ 'carriers/acme.yaml': profile }, env());
    expect(await run('record', '--dispatch', String(id))).toMatchObject({ code: 0, error: '' });
    const written = read(`fixtures/acme/create-${id}.yaml`);
    for (const told of ["trackingNumber: 'M-7'", "PKG-1: 'PDF'", 'multipart:', "copies: '1'"])
      expect(written).toContain(told);
    expectHidden(all(folder), PEOPLE);
    const [, base64 = ''] = /base64:[^]*?([A-Za-z0-9+/=\s]{100,})/.exec(written) ?? [];
    expectHidden(Buffer.from(base64, 'base64').toString('latin1'), PEOPLE);
    expect(await run('test', 'acme', '--no-pack')).toMatchObject({ code: 0 });
  });
});
