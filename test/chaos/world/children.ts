/** Processes of a run: none of them outlives it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';

const children = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Ends with this process, and carries what a run does to the sources or the process of its children. */
const PRELOAD = path.resolve(import.meta.dirname, '../seam/preload.ts');

export interface NodeOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Where what it writes to standard error goes, appended. */
  readonly errorLog: string;
  readonly cwd?: string;
}

/** Starts Node on these arguments. It has a channel to us: where that breaks, it ends. */
export const startNode = (args: readonly string[], { env = {}, errorLog, cwd }: NodeOptions): ChildProcess => {
  const log = openSync(errorLog, 'a');
  try {
    const child = spawn(process.execPath, ['--import', PRELOAD, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', log, 'ipc'],
      ...(cwd === undefined ? {} : { cwd }),
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    child.on('error', () => children.delete(child));
    return child;
  } finally {
    closeSync(log);
  }
};

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

/** Ends it; resolves when it is gone. */
export const endChild = async (child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
  if (!isRunning(child)) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
};
