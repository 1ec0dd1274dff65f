import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Terminal } from '../../src/cli/command.ts';
import { run } from '../../src/cli/main.ts';
import { type Ended, folderWith, root } from './spawning.ts';

interface Typing {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Who sits there and answers; without it, nobody does. */
  readonly ask?: (question: string) => Promise<string>;
}

/** Runs the command in this process: quicker than `waybill`, for what asks nothing of signals and pipes. */
export const typed = async (args: readonly string[], { home, env = {}, ask }: Typing): Promise<Ended> => {
  let out = '';
  let error = '';
  const terminal: Terminal = {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
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
  return { code: await run(args, terminal), out, error };
};

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into output of every shape
type Json = any;

/** A home with these files, gone after the test, and the command in it. */
export const homeWith = (files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) => {
  const home = folderWith(files);
  const read = (path: string): string => readFileSync(join(home, path), 'utf8');
  return {
    home,
    read,
    change: (path: string, from: string, to: string): void =>
      writeFileSync(
        join(home, path),
        read(path).replace(from, () => to),
      ),
    run: async (...args: readonly string[]): Promise<Ended> => await typed(args, { home, env }),
    /** The exit code, and what it prints as JSON. */
    json: async (...args: readonly string[]): Promise<{ readonly code: number | null; readonly value: Json }> => {
      const { code, out } = await typed([...args, '--json'], { home, env });
      return { code, value: JSON.parse(out) };
    },
    /** The same of a command that prints an object a line. */
    jsonLines: async (
      ...args: readonly string[]
    ): Promise<{ readonly code: number | null; readonly lines: Json[] }> => {
      const { code, out } = await typed([...args, '--json'], { home, env });
      return {
        code,
        lines: out
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      };
    },
  };
};

/** The keys of a value, all the way down: of a list those of its first entry. */
export const keysOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? [] : [keysOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, keysOf(held)]));
};
