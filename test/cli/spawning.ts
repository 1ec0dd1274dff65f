import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const shim = join(root, 'src/cli/waybill.js');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

export interface Spawning {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly nodeOptions?: readonly string[];
  /** Told of what comes; `child` may be ended or closed by it. */
  readonly onOutput?: (child: ReturnType<typeof spawn>, out: string) => void;
}

/** Runs the command as a person would: the shim, by the Node that runs the tests. */
export const waybill = async (
  args: readonly string[],
  { home, env = {}, file = shim, nodeOptions = [], onOutput }: Spawning = {},
): Promise<Ended> => {
  const child = spawn(process.execPath, [...nodeOptions, file, ...args], {
    env: { PATH: process.env['PATH'], ...(home === undefined ? {} : { WAYBILL_HOME: home }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    onOutput?.(child, out);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on('close', resolve);
  return { code: await promise, out, error };
};

/** A folder with these files, gone after the test. */
export const folderWith = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
};

export const ACME = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create:
    post: /orders
    body: { json: consignment }
    result: '{ "itemsTrackDetails": [{ "trackingNumber": response.body.number }] }'
  probe: { get: /ping }
`;
export const PING = `case: it is there
flow:
  - do: probe
    exchanges: [ { request: { get: 'https://api.acme.example/ping' }, response: { status: 200 } } ]
`;
