/** Processes of a run: none of them outlives it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const children = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Ends the child with this process, and patches its sources or kills it at a point where the run asks for it. */
const PRELOAD = path.resolve(import.meta.dirname, '../seam/preload.ts');
const SERVER = path.resolve(import.meta.dirname, '../../../src/cli/waybill.js');

interface NodeOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard error is appended to it; undefined: it is ours. */
  readonly errorLog?: string;
  readonly cwd?: string;
}

/** Starts Node on these arguments, with an IPC channel: when that breaks, the child exits. */
const startNode = (args: readonly string[], { env = {}, errorLog, cwd }: NodeOptions): ChildProcess => {
  const log = errorLog === undefined ? 'inherit' : openSync(errorLog, 'a');
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
    if (typeof log === 'number') closeSync(log);
  }
};

export const startServer = (role: string, options: NodeOptions): ChildProcess =>
  startNode([SERVER, 'serve', '--role', role], options);

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

/** Ends it; resolves when it is gone. */
export const endChild = async (child: ChildProcess): Promise<void> => {
  if (!isRunning(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};

/** Memory of a process. */
export const residentBytesOf = async (pid: number | undefined): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
};

export const isReady = async (url: string): Promise<boolean> => {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(20_000) }).catch(() => undefined);
  await response?.arrayBuffer().catch(() => undefined);
  return response?.ok === true;
};

/** The other side, carriers or receivers, in a process whose memory and work are not counted as ours. */
export interface Peer<Hello> extends AsyncDisposable {
  /** Its first message: where it listens. */
  readonly hello: Hello;
  tell(message: object | string): void;
  /** One question at a time. */
  ask<Answer>(question: string): Promise<Answer>;
}

/** Starts a file of `test/chaos`, which sends a first message as soon as it listens. */
export const startPeer = async <Hello>(file: string, options: object = {}, errorLog?: string): Promise<Peer<Hello>> => {
  const args = [path.resolve(import.meta.dirname, '..', file), JSON.stringify(options)];
  const child = startNode(args, errorLog === undefined ? {} : { errorLog });
  const next = async <Message>(): Promise<Message> => ((await once(child, 'message')) as [Message])[0];
  return {
    hello: await next<Hello>(),
    tell: (message) => void child.send(message),
    ask: async (question) => {
      const answer = next<never>();
      child.send(question);
      return await answer;
    },
    [Symbol.asyncDispose]: async () => await endChild(child),
  };
};
