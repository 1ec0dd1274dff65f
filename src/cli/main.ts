/** The command line: `run` is the whole of it, `main` gives it the process. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { Failure } from '../engine/failure.ts';
import { addCheckCredentials } from './check-credentials.ts';
import { type AddCommand, type ExitCode, GOOD, INTERRUPTED, Misuse, MISUSE, type Terminal } from './command.ts';
import { addDiff } from './diff.ts';
import { addErase } from './erase.ts';
import { addExplain } from './explain.ts';
import { addLint } from './lint.ts';
import { addNew } from './new.ts';
import { plainTerminal } from './plain-terminal.ts';
import { addRecord } from './record.ts';
import { addReplay } from './replay.ts';
import { addReseal } from './reseal.ts';
import { addRetain } from './retain.ts';
import { addSchemas } from './schemas.ts';
import { addServe } from './serve.ts';
import { addSimulate } from './simulate.ts';
import { addTest } from './test.ts';
import { addToken } from './token.ts';
import { versionOf } from './version.ts';

const COMMANDS: readonly AddCommand[] = [
  addServe,
  addLint,
  addTest,
  addExplain,
  addCheckCredentials,
  addNew,
  addRecord,
  addReplay,
  addDiff,
  addSimulate,
  addToken,
  addRetain,
  addErase,
  addReseal,
  addSchemas,
];

/** Runs one command; resolves to its exit code: 0 good, 1 findings, 2 misuse. */
export const run = async (argv: readonly string[], given: Terminal): Promise<ExitCode> => {
  const terminal = plainTerminal(given);
  let code: ExitCode = GOOD;
  const program = new Command('waybill')
    .description('A carrier integration engine that runs on declarative configuration.')
    .version(versionOf(terminal.packageRoot), '--version')
    .helpOption('--help', 'what it does and takes')
    .helpCommand(false)
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.error });
  for (const add of COMMANDS) {
    add(program, terminal, (ended) => {
      code = ended;
    });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (thrown) {
    return failed(thrown, terminal);
  }
};

const failed = (thrown: unknown, terminal: Terminal): ExitCode => {
  // Commander has said already what it did not understand; help and version come this way, too.
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? GOOD : MISUSE;
  if (thrown instanceof Misuse) terminal.error(`waybill: ${thrown.message}\n`);
  else if (thrown instanceof Failure) terminal.error(`waybill: ${thrown.describe()}\n`);
  else throw thrown;
  return MISUSE;
};

/** Runs the command of this process, and leaves its exit code behind. */
export const main = async (): Promise<void> => {
  // Who reads may go away (`| head`): the rest is not written, and the exit code stays true.
  let isClosed = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isClosed = true;
  });
  process.exitCode = await run(process.argv.slice(2), {
    out: (text) => {
      if (!isClosed) process.stdout.write(text);
    },
    error: (text) => {
      process.stderr.write(text);
    },
    overwrite: (line) => {
      process.stderr.write(`\r\u001B[K${line}`);
    },
    env: process.env,
    cwd: process.cwd(),
    packageRoot: fileURLToPath(new URL('../..', import.meta.url)),
    isWatched: process.stderr.isTTY,
    drained: async () => {
      if (!isClosed && process.stdout.writableNeedDrain) {
        await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(() => {});
      }
      return !isClosed;
    },
    onInterrupt: (listener) => {
      process.once('SIGINT', () => {
        process.once('SIGINT', () => process.exit(INTERRUPTED));
        listener();
      });
    },
    ask: process.stdin.isTTY && process.stdout.isTTY ? askAtTerminal : undefined,
    endOnInterrupt: () => {
      process.once('SIGINT', () => process.exit(INTERRUPTED));
    },
  });
};

const askAtTerminal = async (question: string): Promise<string> => {
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  reader.once('SIGINT', () => process.exit(INTERRUPTED));
  try {
    return await reader.question(question);
  } finally {
    reader.close();
  }
};
