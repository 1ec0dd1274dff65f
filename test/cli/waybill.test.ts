import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACME, folderWith, root, waybill } from './spawning.ts';

const shim = join(root, 'src/cli/waybill.js');
const onOldNode = [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.11.0'})`,
] as const;

test('help lists the commands that work, and is good', async () => {
  const { code, out } = await waybill(['--help']);
  expect(code).toBe(0);
  const listed = [...out.matchAll(/^ {2}(\w+) .*(?:\[|<)?/gm)].map(([, name]) => name);
  expect(listed).toEqual(['serve', 'lint', 'test', 'simulate', 'token', 'retain', 'erase', 'schemas']);
});

test.each(['serve', 'lint', 'test', 'simulate', 'token', 'retain', 'erase', 'schemas'])(
  '%s has help and takes --json',
  async (command) => {
    const { code, out } = await waybill([command, '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/--json/);
  },
);

test('the version is the package’s', async () => {
  expect((await waybill(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [[], /Usage: waybill/],
  [['lnt'], /unknown command 'lnt'\n\(Did you mean lint\?\)/],
  [['lint', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
  [['serve', '--role', 'boss'], /'boss' is invalid. Allowed choices are api, worker, all/],
  [['token', 'person', 'x'], /Allowed choices are shipper, carrier/],
  [['token', 'shipper'], /missing required argument 'code'/],
  [['simulate', '--port', 'abc'], /--port/],
] as const)('%j is misuse', async (args, says) => {
  const { code, error } = await waybill(args);
  expect(code).toBe(2);
  expect(error).toMatch(says);
});

test('a configuration that is wrong is misuse, and says what', async () => {
  const wrong = await waybill(['serve'], { env: { PORT: 'many' } });
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.error).toMatch(/^waybill: PORT must be a whole number/);
});

test('an older Node hands over to the one that was installed with the checkout', async () => {
  const home = folderWith({ 'carriers/acme.yaml': ACME });
  const { code, out } = await waybill(['lint'], { home, nodeOptions: onOldNode });
  expect({ code, out }).toEqual({ code: 0, out: '1 carrier, no findings\n' });
  const failing = folderWith({ 'carriers/acme.yaml': 'carrier: acme\n' });
  expect((await waybill(['lint'], { home: failing, nodeOptions: onOldNode })).code).toBe(1);
});

test('an older Node without one says what is needed', async () => {
  const folder = folderWith({ 'package.json': '{ "type": "module" }' });
  mkdirSync(join(folder, 'src/cli'), { recursive: true });
  copyFileSync(shim, join(folder, 'src/cli/waybill.js'));
  const { code, error } = await waybill(['lint'], { file: join(folder, 'src/cli/waybill.js'), nodeOptions: onOldNode });
  expect(code).toBe(2);
  expect(error).toMatch(/^waybill needs Node 22\.18 or newer; this is v/);
});

test('an installed package runs what was built', async () => {
  const folder = folderWith({
    'node_modules/waybill/package.json': '{ "type": "module" }',
    'node_modules/waybill/dist/cli/main.js': 'export const main = () => console.log("built");',
  });
  mkdirSync(join(folder, 'node_modules/waybill/src/cli'), { recursive: true });
  const file = join(folder, 'node_modules/waybill/src/cli/waybill.js');
  copyFileSync(shim, file);
  expect((await waybill([], { file })).out).toBe('built\n');
});

test('a reader that goes away is no error, and the exit code stays true', async () => {
  const broken = Array.from({ length: 400 }, (_, at) => `key${at}: 1`).join('\n');
  const home = folderWith({ 'carriers/acme.yaml': `carrier: acme\n${broken}\n` });
  const { code, error } = await waybill(['lint'], { home, onOutput: (child) => child.stdout?.destroy() });
  expect({ code, error }).toEqual({ code: 1, error: '' });
});

test('the simulator runs until it is interrupted', async () => {
  const { code, out } = await waybill(['simulate', '--json'], {
    onOutput: (child, said) => {
      if (said.endsWith('}\n')) child.kill('SIGINT');
    },
  });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
});
