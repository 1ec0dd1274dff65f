import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type { Terminal } from '../../src/cli/command.ts';
import { run as runCommand } from '../../src/cli/main.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const shim = join(root, 'src/cli/waybill.js');

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

interface Spawning {
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
  let [out, error] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    onOutput?.(child, out);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, error };
};

/** Runs the command in this process: quicker than `waybill`, for what asks nothing of signals and pipes. */
export const typed = async (
  args: readonly string[],
  { home, env, ask }: Pick<Terminal, 'ask'> & Pick<Spawning, 'env'> & { readonly home: string },
): Promise<Ended> => {
  let [out, error] = ['', ''];
  const terminal: Terminal = {
    out: (text) => void (out += text),
    error: (text) => void (error += text),
    overwrite: () => {},
    env: { WAYBILL_HOME: home, ...env },
    cwd: home,
    packageRoot: root,
    isWatched: false,
    ask,
    drained: () => Promise.resolve(true),
    onInterrupt: () => {},
    endOnInterrupt: () => {},
  };
  return { code: await runCommand(args, terminal), out, error };
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

/** A home with these files, gone after the test, and the command in it. */
export const homeWith = (files: Readonly<Record<string, string>>, env: Spawning['env'] = {}) => {
  const home = folderWith(files);
  const read = (path: string): string => readFileSync(join(home, path), 'utf8');
  const run = async (...args: readonly string[]): Promise<Ended> => await typed(args, { home, env });
  /** The exit code, and each line of output as JSON. */
  const jsonLines = async (...args: readonly string[]) => {
    const { code, out } = await run(...args, '--json');
    const lines = out.trimEnd().split('\n');
    return { code, lines: lines.map((line) => JSON.parse(line)) };
  };
  return {
    home,
    read,
    change: (path: string, from: string, to: string): void =>
      writeFileSync(
        join(home, path),
        read(path).replace(from, () => to),
      ),
    run,
    jsonLines,
    /** The exit code, and what it prints as JSON. */
    json: async (...args: readonly string[]) => {
      const { code, out } = await run(...args, '--json');
      return { code, value: JSON.parse(out) };
    },
    /** Expects that it ends as misuse, says so and why, and prints nothing else. */
    misuse: async (args: readonly string[], why: string | RegExp): Promise<void> => {
      const error = typeof why === 'string' ? expect.stringContaining(why) : expect.stringMatching(why);
      expect(await run(...args)).toEqual({ code: 2, out: '', error });
    },
  };
};

/** The keys of a value, all the way down: of a list those of its first entry. */
export const keysOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? [] : [keysOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, keysOf(held)]));
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
