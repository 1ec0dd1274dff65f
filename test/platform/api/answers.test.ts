import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';
import { takeProblems } from '../../support/answers.ts';
import { apiWorld, readyLabel } from './world.ts';

// Answers that the document does not describe, so that a check which finds none is found out.
const api = apiWorld({
  metrics: () => Promise.reject(Object.assign(new Error('example'), { statusCode: 409 })),
  readiness: () => Promise.resolve({ ready: 'yes', parts: {} } as never),
  serveLabel: () => Promise.resolve({ ...readyLabel(''), contentType: 'text/html' }),
});

it('an answer that is not as /openapi.json describes it is found', async () => {
  await api.call({ url: '/healthz' });
  expect(takeProblems()).toEqual([]);
  await api.call({ url: '/readyz' });
  expect(takeProblems()).toEqual([expect.stringContaining('GET /readyz 200: [{"instancePath":"/ready"')]);
  await api.call({ url: '/v2/labels/0123456789abcdef' });
  expect(takeProblems()).toEqual(['GET /v2/labels/:id 200: the document knows no text/html here']);
});

it('an answer with a number that its route does not describe is found', async () => {
  await api.call({ url: '/metrics' });
  expect(takeProblems()).toEqual([expect.stringContaining('GET /metrics 409: the document knows no such answer')]);
});

it('one of a child’s child is found, whatever their environment, and though it is killed thereafter', async () => {
  const script = `
    import { buildApi } from './src/platform/api/api.ts';
    const readiness = async () => ({ ready: 'yes', parts: {} });
    await buildApi({ trustProxy: [], publicUrl: 'http://127.0.0.1', nowMs: Date.now, readiness }).inject('/readyz');
    process.kill(process.pid, 'SIGKILL');`;
  const run = ['-c', '"$0" --input-type=module -e "$1"; true', process.execPath, script];
  const child = spawn('sh', run, { cwd: path.resolve(import.meta.dirname, '../../..'), env: {} });
  let says = '';
  child.stderr.on('data', (chunk: Buffer) => (says += chunk.toString()));
  await once(child, 'close');
  expect(takeProblems(), says).toEqual([expect.stringContaining('GET /readyz 200: [{"instancePath":"/ready"')]);
});
