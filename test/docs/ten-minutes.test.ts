/** README's guide, done as a new user would: its files written, its commands typed, in their order. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../simulator/demo/server.ts';
import { until } from '../support/until.ts';
import { PROJECT, read } from '../support/project.ts';

const [, guide = ''] = /\n## Add a carrier in ten minutes\n(.*?)\n## /s.exec(read('README.md')) ?? [];

interface Block {
  /** The file that the line before names; undefined: these are commands. */
  readonly file: string | undefined;
  readonly text: string;
}

const home = mkdtempSync(path.join(tmpdir(), 'waybill-guide-'));
const running: { readonly pid: number; readonly isUp: () => boolean; readonly ended: Promise<unknown> }[] = [];
let blocks: Block[] = [];
let server = '';
let standIn = '';

beforeAll(async () => {
  const [port, acme] = [await freePort(), await freePort()];
  server = `http://127.0.0.1:${port}`;
  standIn = `http://127.0.0.1:${acme}`;
  const own = guide.replaceAll('localhost:8080', `127.0.0.1:${port}`).replaceAll('9090', String(acme));
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

/** Types them into the one terminal, which keeps what was exported. */
const next = async (): Promise<string> => {
  const typed = commands();
  const { said, ended } = type(`. ./shell\n${typed}\nexport -p > shell`);
  const [code] = await ended;
  expect(code, typed + said.out + said.error).toBe(0);
  return said.out;
};

/** Types them into a terminal of their own. */
const beside = (): { readonly out: string } => {
  const { said, ...process } = type(commands(), true);
  running.push(process);
  return said;
};

const answers = async (url: string): Promise<boolean> => {
  const response = await fetch(url).catch(() => undefined);
  return response?.ok === true;
};

it('the guide leads from two samples to a signed webhook about a pushed status', async () => {
  expect(await next()).toContain('written: mappings/acme/create.jsonata');
  expect(await next()).toContain('no findings');
  expect(await next()).toMatch(/1 passed, 0 failed\npack: \d+ passed, 0 failed/);
  const explained = await next();
  expect(explained).toMatch(/product = "NEXT_DAY"\n.*mappings\/acme\/create.jsonata:4:/);

  const printed = beside();
  await until('the stand-in answers', () => answers(standIn));
  beside();
  await until('the server is ready', () => answers(`${server}/readyz`), 60_000);
  expect(await next()).toContain('acme');
  expect(await next()).toContain('"environment":"sandbox"');
  const ordered = await next();
  expect(ordered).toContain('"trackingNumber":"ACME1"');
  const parcel = /^POST \/v1\/parcels (\{.*?\}) (\{.*\})$/m.exec(printed.out);
  expect(JSON.parse(parcel?.[1] ?? '')).toMatchObject({ 'x-api-key': 'acme-example-key' });
  expect(JSON.parse(parcel?.[2] ?? '')).toMatchObject({ account: '123456', reference: 'PKG-1', grams: 1500 });
  await next();

  const webhook = new Webhook(/"secret":"([^"]+)"/.exec(ordered)?.[1] ?? '');
  const told = () =>
    [...printed.out.matchAll(/^POST \/shop (\{.*?\}) (\{.*\})$/gm)].map(([, headers = '', body = '']) =>
      webhook.verify(body, JSON.parse(headers) as Record<string, string>),
    );
  await until('the shop is told', () => told().some((one) => JSON.stringify(one).includes('"Out for Delivery"')));
  expect(await next()).toContain('"status":"Out for Delivery"');
  expect(blocks).toEqual([]);
}, 120_000);
