/** The routes of the playground, on a real server with a home of its own. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { isWritable } from '../../src/cli/playground-save.ts';
import { createTurns } from '../../src/cli/playground-turns.ts';
import { minimalProfile } from '../flow/server.ts';
import { flowWorld, plain } from '../flow/world.ts';
import { orderFor } from '../../simulator/demo/order.ts';
import { PROJECT, read } from '../support/project.ts';

const CASE = `case: an order is created
given: { consignment: one-box-de }
flow:
  - do: create
    exchanges:
      - request: { post: URL }
        response: { status: 200, json: { status: 200, referenceId: REF-1001, itemsTrackDetails: [] } }
`;

describe('the playground', () => {
  const world = flowWorld({
    profiles: (url) => ({ plain: minimalProfile(url).replace('production:', 'sandbox:') }),
  });
  const file = (name: string): string => path.join(world.home, name);
  const post = async (verb: string, body: object) => await world.asAdmin('POST', `/admin/playground/${verb}`, body);
  const operators: Record<string, ReturnType<typeof world.as>> = {};

  beforeAll(async () => {
    cpSync(path.join(PROJECT, 'fixtures/_consignments'), file('fixtures/_consignments'), { recursive: true });
    for (const role of ['read', 'operate']) {
      const { body } = await world.asAdmin('POST', `/admin/operators/${role}.one/tokens`, { role });
      operators[role] = world.as(() => String(body['token']));
    }
  });

  it('opens the carriers of the home, with what they are made of', async () => {
    expect((await world.asAdmin('GET', '/admin/playground')).body).toEqual({ mayBeSaved: true, carriers: ['plain'] });
    const opened = await world.asAdmin('GET', '/admin/playground/carriers/plain');
    const version = expect.stringMatching(/^[0-9a-f]{64}$/);
    const text = readFileSync(file('carriers/plain.yaml'), 'utf8');
    expect(opened.body).toEqual({ files: [{ path: 'carriers/plain.yaml', text, version }] });
    expect((await world.asAdmin('GET', '/admin/playground/carriers/nobody')).body).toMatchObject({
      code: 'unknown_carrier',
    });
  });

  it('tries a draft, completes and explains in it, and leaves the home as it is', async () => {
    const text = readFileSync(file('carriers/plain.yaml'), 'utf8');
    const files = { 'carriers/plain.yaml': `${text}headrs: {}\n` };
    const tried = await post('try', { carrier: 'plain', files });
    const found = { findings: [{ rule: 'unknown-key', fix: { old: 'headrs', text: 'headers' } }] };
    for (const { body } of [tried, await post('lint', { carrier: 'plain', files })]) expect(body).toMatchObject(found);
    const place = { carrier: 'plain', path: 'carriers/plain.yaml', files };
    const { options } = (await post('complete', { ...place, offset: text.length })).body as never as {
      options: object[];
    };
    expect(options).toContainEqual(expect.objectContaining({ label: 'headers', kind: 'key' }));
    expect((await post('explain', { ...place, offset: 2 })).body).toMatchObject({
      title: expect.stringContaining('carrier'),
    });
    expect(readFileSync(file('carriers/plain.yaml'), 'utf8')).toBe(text);
  });

  it('begins a carrier from a sample, or says what is missing', async () => {
    const samples = [{ name: 'create.request.json', text: '{ "reference": "REF-1", "weight": 1.5 }' }];
    const begun = await post('begin', { carrier: 'newco', url: 'https://api.newco.example', samples });
    expect(begun.body).toMatchObject({
      files: expect.arrayContaining([{ path: 'carriers/newco.yaml', text: expect.any(String) }]),
    });
    const failed = await post('begin', { carrier: 'newco', samples: [{ name: 'notes.txt', text: 'nothing' }] });
    expect(failed).toMatchObject({
      status: 422,
      body: { code: 'draft_failed', message: expect.stringContaining('create') },
    });
    expect(existsSync(file('carriers/newco.yaml'))).toBe(false);
  });

  it('takes no file that is not the carrier’s', async () => {
    for (const name of ['carriers/other.yaml', '.waybill/admin-token', 'fixtures/plain/../../x.yaml', '/etc/passwd']) {
      for (const [verb, more] of [
        ['try', {}],
        ['complete', { path: 'carriers/plain.yaml', offset: 0 }],
      ] as const)
        expect((await post(verb, { carrier: 'plain', files: { [name]: 'x' }, ...more })).status).toBe(400);
      expect((await post('save', { carrier: 'plain', files: [{ path: name, text: 'x' }] })).status).toBe(400);
    }
  });

  it('is for those who may, and saving for administrators', async () => {
    const draft = { carrier: 'plain', files: {} };
    const [reader, operator] = [operators['read']!, operators['operate']!];
    expect((await reader('GET', '/admin/playground')).status).toBe(403);
    expect((await reader('POST', '/admin/playground/try', draft)).status).toBe(403);
    expect((await operator('POST', '/admin/playground/try', draft)).status).toBe(200);
    const saved = { carrier: 'plain', files: [{ path: 'fixtures/plain/a.yaml', text: 'x' }] };
    expect((await operator('POST', '/admin/playground/save', saved)).status).toBe(403);
    expect(existsSync(file('fixtures/plain/a.yaml'))).toBe(false);
  });

  it('saves new and changed files together, notes who did, and never over what came meanwhile', async () => {
    const profile = 'carriers/plain.yaml';
    const opened = await world.asAdmin('GET', '/admin/playground/carriers/plain');
    const [{ text, version }] = opened.body['files'] as never as [{ text: string; version: string }];
    const created = { path: 'fixtures/plain/create.yaml', text: CASE.replace('URL', world.carrier.url) };
    const changed = { path: profile, text: text.replace('Plain Carrier', 'Plain'), version };
    const { status, body } = await post('save', { carrier: 'plain', files: [changed, created] });
    expect([status, body]).toMatchObject([200, { saved: [{ path: profile }, { path: created.path }] }]);
    expect(readFileSync(file(profile), 'utf8')).toContain('name: Plain\n');
    expect(readFileSync(file(created.path), 'utf8')).toBe(created.text);
    const audit = await world.asAdmin('GET', '/admin/audit?action=save_profile');
    expect(audit.body).toMatchObject({
      data: [{ actor: 'admin', subject: 'carrier:plain', detail: expect.stringContaining(profile) }],
    });

    writeFileSync(file(profile), text);
    const late = { ...changed, version: (body['saved'] as never as [{ version: string }])[0].version };
    const again = await post('save', { carrier: 'plain', files: [late, { path: 'fixtures/plain/b.yaml', text: 'x' }] });
    expect(again).toMatchObject({ status: 409, body: { code: 'file_changed' } });
    expect([readFileSync(file(profile), 'utf8'), existsSync(file('fixtures/plain/b.yaml'))]).toEqual([text, false]);
    expect((await post('save', { carrier: 'plain', files: [created] })).status).toBe(409);
  });

  it('never writes through a link that leads out of the home', async () => {
    const outside = path.join(tmpdir(), `waybill-outside-${process.pid}`);
    mkdirSync(outside);
    mkdirSync(file('mappings'), { recursive: true });
    symlinkSync(outside, file('mappings/plain'));
    const files = [{ path: 'mappings/plain/x.jsonata', text: '1' }];
    expect(await post('save', { carrier: 'plain', files })).toMatchObject({ status: 403 });
    expect(existsSync(path.join(outside, 'x.jsonata'))).toBe(false);
    rmSync(file('mappings/plain'));
    rmSync(outside, { recursive: true });
  });

  it('takes an order of the records, without its people', async () => {
    await world.openAccount('plain', { token: 'sandbox-token-1' }, { environment: 'sandbox' });
    const sandbox = await world.asAdmin('POST', '/admin/shippers/shop/tokens', { environment: 'sandbox' });
    const asSandbox = world.as(() => String(sandbox.body['token']));
    const order = orderFor(plain, 'TAKEN-1', 1) as { shipTo: { contact: { name: string } } };
    expect((await asSandbox('POST', '/v2/consignments', order)).status).toBe(200);
    const listed = await world.asAdmin('GET', '/admin/consignments?number=TAKEN-1');
    const [{ id }] = listed.body['data'] as never as [{ id: number }];
    const { text } = (await world.asAdmin('GET', `/admin/playground/consignments/${id}`)).body as never as {
      text: string;
    };
    expect(text).toContain('referenceId: TAKEN-1');
    expect(text).toMatch(/destinationName: Person \d+ Example/);
    expect(text).not.toContain(order.shipTo.contact.name);
  });

  it('sends to a sandbox account only what is loaded, and only when told to', async () => {
    await world.asAdmin('POST', '/admin/reload');
    const listed = await world.asAdmin('GET', '/admin/accounts?carrier=plain');
    const [{ id: account }] = listed.body['data'] as never as [{ id: number }];
    const sending = { carrier: 'plain', case: 'create.yaml', account, files: {} };
    const before = world.carrier.seen.length;
    const rehearsed = await post('send', { ...sending, dryRun: true });
    expect(rehearsed).toMatchObject({
      status: 200,
      body: { shipper: 'shop', environment: 'sandbox', would: [`POST ${world.carrier.url}`] },
    });
    const profile = readFileSync(file('carriers/plain.yaml'), 'utf8');
    const elsewhere = { 'carriers/plain.yaml': profile.replace(world.carrier.url, 'https://thief.example') };
    expect(await post('send', { ...sending, files: elsewhere })).toMatchObject({
      status: 409,
      body: { code: 'draft_not_loaded' },
    });
    expect(await post('send', { ...sending, account: 999 })).toMatchObject({
      status: 404,
      body: { code: 'unknown_account' },
    });
    expect(world.carrier.seen.length).toBe(before);
    const sent = await post('send', sending);
    expect(sent).toMatchObject({
      status: 200,
      body: { dryRun: false, outcome: 'succeed', asked: [{ method: 'POST', status: 200 }] },
    });
    expect(world.carrier.seen.at(-1)).toMatchObject({ authorization: 'Bearer sandbox-token-1' });
    expect(JSON.stringify(sent.body)).not.toContain('sandbox-token-1');
    const audit = await world.asAdmin('GET', '/admin/audit?action=try_account');
    expect(audit.body).toMatchObject({ data: [{ actor: 'admin', subject: `account:${account}`, detail: 'done' }] });
  });
});

describe('a home that cannot be written', () => {
  it('is told from one that can, folder by folder', () => {
    const home = mkdtempSync(path.join(tmpdir(), 'waybill-home-'));
    expect(isWritable(home)).toBe(true);
    expect(isWritable(path.join(home, 'nowhere'))).toBe(false);
    rmSync(home, { recursive: true });
  });
});

describe('the process that evaluates drafts', () => {
  const draft = { carrier: 'fedex', files: { 'carriers/fedex.yaml': read('carriers/fedex.yaml') } };
  const job = { kind: 'explain', given: { draft, path: 'carriers/fedex.yaml', offset: 1 } } as const;
  const patient = { limitMs: 60_000, waitMs: 60_000 };

  it.each([
    ['takes too long', { limitMs: 1 }],
    ['failed, or takes too much memory', { memoryMb: 8 }],
  ])('is ended when the evaluation %s', async (why, limits) => {
    const turns = createTurns(PROJECT, PROJECT, { ...patient, ...limits });
    expect(await turns.compute('one', job)).toEqual({ failure: { message: `the evaluation ${why}` } });
    turns.end();
  });

  it('is replaced when it has died, serves operators in turn, and keeps the line of one short', async () => {
    const turns = createTurns(PROJECT, PROJECT, patient);
    const dying = turns.compute('one', job);
    // By then its process has been started.
    await endOfTurn();
    turns.end();
    expect(await dying).toMatchObject({ failure: {} });
    const many = Array.from({ length: 12 }, async () => await turns.compute('one', job));
    const order: string[] = [];
    const noting = async <Result>(name: string, result: Promise<Result>): Promise<Result> => {
      const done = await result;
      order.push(name);
      return done;
    };
    const other = noting('other', turns.compute('other', job));
    const all = noting('one', Promise.all(many));
    expect(await other).toMatchObject({ text: expect.any(String) });
    expect((await all).filter((done) => done === 'busy').length).toBe(3);
    expect(order).toEqual(['other', 'one']);
    turns.end();
  });
});
