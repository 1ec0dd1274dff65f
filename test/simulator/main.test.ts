import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { run } from '../../simulator/main.ts';
import { until } from '../support/until.ts';

/** Runs the command until `end`. */
const running = (...argv: string[]) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const seen = { out: '', error: '', end, exit: Promise.resolve(-1) };
  const [out, error] = [(text: string) => void (seen.out += text), (text: string) => void (seen.error += text)];
  seen.exit = run(argv, { out, error, ended });
  return seen;
};

it('prints where each carrier listens and ends when told', async () => {
  const seen = running('--carrier', 'plain', '--carrier', 'seko', '--autoplay', '--private-labels');
  await until('it listens', () => seen.out.includes('_control'));
  expect(seen.out).toMatch(/plain +http:\/\/127\.0\.0\.1:\d+\/plain\/consignments +token=/);
  expect(seen.out).not.toContain('dhl_express');
  seen.end();
  expect(await seen.exit).toBe(0);
});

it('prints JSON on request', async () => {
  const seen = running('--json', '--push-to', 'http://127.0.0.1:8080', '--push-token', 'plain=a=b');
  await until('it listens', () => seen.out !== '');
  const printed = JSON.parse(seen.out);
  const answer = await fetch(`${printed.url}/_control/carriers`);
  expect(await answer.json()).toEqual(printed.carriers);
  seen.end();
  expect(await seen.exit).toBe(0);
  await expect(fetch(printed.url)).rejects.toThrow();
});

it.each([
  [['--prot', '1'], /--prot/],
  [['--port', 'x'], /--port must be a port/],
  [['--journey', 'lost'], /--journey must be one of/],
  [['--push-token', 'secret'], /--push-token must be/],
  [['--push-to', 'nowhere'], /--push-to must be a URL/],
  [['--carrier', 'nobody'], /No simulated carrier "nobody"/],
])('exits 2 and says why: %j', async (argv, reason) => {
  const seen = running(...argv);
  expect(await seen.exit).toBe(2);
  expect(seen.error).toMatch(reason);
});

it('explains itself', async () => {
  const seen = running('--help');
  expect(await seen.exit).toBe(0);
  expect(seen.out).toContain('--push-token');
});

it.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly on %s, also while a request hangs', async (signal) => {
  const script = `import { run } from './simulator/main.ts'; process.exitCode = await run(['--json', '--carrier', 'plain']);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: `${import.meta.dirname}/../..` });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const exited = once(child, 'exit');
  await until('it listens', () => out.includes('\n'));
  const { url, carriers } = JSON.parse(out);
  await fetch(`${url}/_control/behave`, { method: 'POST', body: '{"carrier":"plain","do":"hang"}' });
  const hanging = fetch(carriers.plain, { method: 'POST' }).catch((error: unknown) => error);
  const requests = async () => (await (await fetch(`${url}/_control/requests`)).json()) as unknown[];
  await until('the request hangs', async () => (await requests()).length === 1);
  child.kill(signal);
  expect((await exited)[0]).toBe(0);
  expect(await hanging).toBeInstanceOf(Error);
});
