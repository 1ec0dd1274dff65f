/** README, done as a new user would: its files written, its commands typed, in their order. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../simulator/demo/server.ts';
import { until } from '../support/until.ts';
import { PROJECT, read } from '../support/project.ts';

const [, guide = ''] = /\n(## Ship a first parcel\n.*?)\n## Configuration/s.exec(read('README.md')) ?? [];

interface Block {
  /** The file that the line before names; undefined: these are commands. */
  readonly file: string | undefined;
  readonly text: string;
}

const home = mkdtempSync(path.join(tmpdir(), 'waybill-guide-'));
const running: { readonly pid: number; readonly isUp: () => boolean; readonly ended: Promise<unknown> }[] = [];
let blocks: Block[] = [];
let server = '';
let endpoint = '';

beforeAll(async () => {
  const [port, shop, stub] = [await freePort(), await freePort(), await freePort()];
  server = `http://127.0.0.1:${port}`;
  endpoint = `http://127.0.0.1:${shop}`;
  const own = guide
    .replaceAll('localhost:8080', `127.0.0.1:${port}`)
    .replaceAll('9090', String(shop))
    .replaceAll('4010', String(stub));
  blocks = [...own.matchAll(/(?:`([\w/.-]+)`:\n\n)?```\w+\n(.*?)```/gs)].map(([, file, text = '']) => ({ file, text }));
  env['PORT'] = String(port);
  // The checkout, as far as the guide asks for it.
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
  const there = Object.entries(scripts).map(([name, line]) => [name, line.replace('src/', `${PROJECT}/src/`)]);
  writeFileSync(path.join(home, 'package.json'), JSON.stringify({ scripts: Object.fromEntries(there) as object }));
  cpSync(path.join(PROJECT, 'fixtures/_consignments'), path.join(home, 'fixtures/_consignments'), { recursive: true });
  writeFileSync(path.join(home, 'shell'), '');
});
afterAll(async () => {
  for (const { pid, isUp } of running) if (isUp()) process.kill(-pid, 'SIGINT');
  await Promise.all(running.map(({ ended }) => ended));
  rmSync(home, { recursive: true, force: true });
});

const env: Record<string, string> = {
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  STOP_DELAY_MS: '0',
};

const type = (commands: string, detached = false) => {
  const child = spawn('sh', ['-ec', commands], { cwd: home, env, detached, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.error += text));
  return {
    said,
    pid: child.pid ?? 0,
    isUp: () => child.exitCode === null && child.signalCode === null,
    ended: once(child, 'close') as Promise<[number | null]>,
  };
};

/** The next commands, after the files before them. */
const commands = (): string => {
  for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) {
    if (block.file === undefined) return block.text;
    const at = path.join(home, block.file);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, block.text);
  }
  throw new Error('README has no further commands');
};

/** Types commands into the one terminal, which keeps what was exported. */
const enter = async (typed: string): Promise<string> => {
  const { said, ended } = type(`. ./shell\n${typed}\nexport -p > shell`);
  const [code] = await ended;
  expect(code, typed + said.out + said.error).toBe(0);
  return said.out;
};
const next = async (): Promise<string> => await enter(commands());

/** Types the next commands into a terminal of their own. */
const beside = (): { readonly out: string } => {
  const { said, ...process } = type(commands(), true);
  running.push(process);
  return said;
};

const answers = async (url: string): Promise<boolean> => {
  const response = await fetch(url).catch(() => undefined);
  return response?.ok === true;
};

let printed: { readonly out: string } = { out: '' };
/** What the shop's endpoint has printed, its signatures verified. */
const told = (secret: string): string[] =>
  [...printed.out.matchAll(/^(\{.*?"webhook-signature".*?\}) (\{.*\})$/gm)].flatMap(([, headers = '', body = '']) => {
    const event = new Webhook(secret).verify(body, JSON.parse(headers) as Record<string, string>);
    return (event as { readonly status: string }).status;
  });

const label = (): string => readFileSync(path.join(home, 'label.pdf'), 'latin1');

it('a first parcel is ordered of the test carrier, has a label, and is delivered within about a minute', async () => {
  beside();
  await until('the server is ready', () => answers(`${server}/readyz`));
  printed = beside();
  await until('the shop’s endpoint answers', () => answers(endpoint));
  expect(await next()).toContain('"code":"shop"');
  const ordered = await next();
  expect(ordered).toMatch(/"trackingNumber":"TEST\d+"/);
  const [, secret = ''] = /"secret":"([^"]+)"/.exec(ordered) ?? [];
  await next();
  expect(label()).toMatch(/^%PDF-[^]*%%EOF\s*$/);
  await until('the shop is told of the delivery', () => told(secret).includes('Order Delivered'));
  const statuses = ['Order Picked Up', 'In Transit', 'At Facility', 'Out for Delivery', 'Order Delivered'];
  expect(told(secret)).toEqual(expect.arrayContaining(statuses));
  expect(await next()).toContain('"status":"Order Delivered"');
}, 180_000);

it('a carrier is added: from two samples to one that the running server serves, ships with, and stops', async () => {
  expect(await next()).toContain('written: mappings/acme/create.jsonata');
  expect(await next()).toContain('no findings');
  expect(await next()).toMatch(/1 passed, 0 failed\npack: \d+ passed, 0 failed/);
  const explained = await next();
  expect(explained).toMatch(/product = "NEXT_DAY"\n.*mappings\/acme\/create.jsonata:4:/);
  const simulated = beside();
  await until('the stub listens', () => Promise.resolve(simulated.out.includes('Control: ')));
  expect(await next()).toContain('"environment":"sandbox"');
  rmSync(path.join(home, 'label.pdf'));
  const shipped = await next();
  expect(shipped).toMatch(/"trackingNumber":"ACME\d+"/);
  expect(shipped).toContain('"successCount":1');
  expect(label()).toMatch(/^%PDF-/);
  const served = await next();
  expect(served).toContain('"environment":"sandbox"');
  expect(served).toContain('acme');
  const { data } = JSON.parse(await enter(`curl -sS '${server}/admin/accounts?carrier=acme' -H "$ADMIN"`)) as {
    data: object[];
  };
  expect(data, 'the account has left the stub').toEqual([expect.not.objectContaining({ baseUrl: expect.anything() })]);
  expect(blocks).toEqual([]);
  for (const { pid } of running) process.kill(-pid, 'SIGINT');
  await Promise.all(running.map(({ ended }) => ended));
});
