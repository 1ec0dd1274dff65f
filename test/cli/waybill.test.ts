import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ACME, folderWith, homeWith, root, shim, typed, waybill } from './home.ts';

const onOldNode = [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.11.0'})`,
] as const;

const commandsIn = (help: string): string[] =>
  [...(help.split('Commands:')[1] ?? '').matchAll(/^ {2}(?!help )([\w-]+) /gm)].map(([, name = '']) => name);

test('help lists the commands, all of them documented, and is good', async () => {
  const { code, out } = await waybill(['--help']);
  expect(code).toBe(0);
  const names = commandsIn(out);
  expect(names).toEqual(expect.arrayContaining(['serve', 'lint', 'test', 'replay', 'explain', 'new', 'token']));
  const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
  for (const name of names) expect(page).toMatch(new RegExp(`^## ${name}\\b`, 'm'));
});

test('help is a command as well, of the program or of a command', async () => {
  for (const names of [[], ['lint'], ['token', 'shipper']]) {
    const asked = await waybill(['help', ...names]);
    expect(asked).toMatchObject({ code: 0, error: '' });
    expect(asked.out).toBe((await waybill([...names, '--help'])).out);
  }
  expect(await waybill(['help', 'lnt'])).toMatchObject({
    code: 2,
    error: expect.stringContaining("unknown command 'lnt'"),
  });
});

test('every command has help, and takes --json itself or by its own commands', async () => {
  const home = folderWith({});
  const helpOf = async (...names: string[]): Promise<string> => (await typed([...names, '--help'], { home })).out;
  for (const name of commandsIn(await helpOf())) {
    const help = await helpOf(name);
    const own = commandsIn(help);
    const pages = own.length === 0 ? [help] : await Promise.all(own.map(async (each) => await helpOf(name, each)));
    for (const page of pages) expect(page, name).toMatch(/--json/);
  }
});

test('the version is the package’s', async () => {
  expect((await waybill(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [[], /Usage: waybill/],
  [['lnt'], /unknown command 'lnt'\n\(Did you mean lint\?\)/],
  [['lint', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
  [['serve', '--role', 'boss'], /'boss' is invalid. Allowed choices are api, worker, all/],
  [['token', 'person', 'x'], /unknown command 'person'/],
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

test('a database that is not there is said in a line', async () => {
  const { misuse } = homeWith({}, { DATABASE_URL: 'postgres://waybill@127.0.0.1:1/waybill' });
  await misuse(['token', 'list'], /^waybill: the database of DATABASE_URL cannot be reached: .*ECONNREFUSED.*\n$/);
});

test('an older Node hands over to the one that was installed with the checkout', async () => {
  const home = folderWith({ 'carriers/acme.yaml': ACME });
  const { code, out } = await waybill(['lint'], { home, nodeOptions: onOldNode });
  expect({ code, out }).toEqual({ code: 0, out: '1 carrier, no findings\n' });
  const failing = folderWith({ 'carriers/acme.yaml': 'carrier: acme\n' });
  expect((await waybill(['lint'], { home: failing, nodeOptions: onOldNode })).code).toBe(1);
});

const shimText = readFileSync(shim, 'utf8');

test('an older Node without one says what is needed', async () => {
  const folder = folderWith({ 'package.json': '{ "type": "module" }', 'src/cli/waybill.js': shimText });
  const { code, error } = await waybill(['lint'], { file: join(folder, 'src/cli/waybill.js'), nodeOptions: onOldNode });
  expect(code).toBe(2);
  expect(error).toMatch(/^waybill needs Node 22\.18 or newer; this is v/);
});

test('an installed package runs what was built', async () => {
  const folder = folderWith({
    'node_modules/waybill/package.json': '{ "type": "module" }',
    'node_modules/waybill/dist/cli/main.js': 'export const main = () => console.log("built");',
    'node_modules/waybill/src/cli/waybill.js': shimText,
  });
  expect((await waybill([], { file: join(folder, 'node_modules/waybill/src/cli/waybill.js') })).out).toBe('built\n');
});

test('a reader that goes away is no error, and the exit code stays true', async () => {
  const broken = Array.from({ length: 400 }, (_, at) => `key${at}: 1`).join('\n');
  const home = folderWith({ 'carriers/acme.yaml': `carrier: acme\n${broken}\n` });
  const { code, error } = await waybill(['lint'], { home, onOutput: (child) => child.stdout?.destroy() });
  expect({ code, error }).toEqual({ code: 1, error: '' });
});

test('what npm runs ends with npm', async () => {
  const npm = spawn('npm', ['run', '--silent', 'waybill', '--', 'simulate', 'plain', '--json'], { cwd: root });
  npm.stdout.once('data', () => npm.kill('SIGTERM'));
  // The output is at its end when every process that could write to it is gone.
  const out = await text(npm.stdout);
  expect(JSON.parse(out)).toMatchObject({ url: expect.stringMatching(/^http:/) });
});

test('the simulator runs until it is interrupted', async () => {
  const { code, out } = await waybill(['simulate', 'plain', '--json'], {
    home: root,
    onOutput: (child, said) => {
      if (said.endsWith('}\n')) child.kill('SIGINT');
    },
  });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    carriers: { plain: expect.stringMatching(/\/plain$/) },
    credentials: { plain: { token: 'example-token' } },
  });
});

test.each([
  [['nobody'], 'there is no carrier "nobody"'],
  [['bare'], 'bare has no cases in fixtures/bare/'],
  [['--port', 'x'], '--port must be a port'],
  [['--push-token', 'secret'], '--push-token must be <carrier>=<token>'],
  [['--push-to', 'nowhere'], '--push-to must be a URL'],
  [['--journey', 'lost'], 'Allowed choices are delivered'],
  [['--behave', 'fly'], '--behave: do must be one of'],
  [['--autoplay', 'soon'], '--autoplay must be milliseconds'],
])('simulate %j is misuse: %s', (args, why) =>
  homeWith({ 'carriers/bare.yaml': ACME.replace('acme', 'bare') }).misuse(['simulate', ...args], why),
);
