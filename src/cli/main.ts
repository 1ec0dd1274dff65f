/** The command line: `run` is testable, `main` binds it to the process. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { Failure } from '../engine/failure.ts';
import { type DeclareCommand, EXIT, Misuse, packageVersion, plainTerminal, type Terminal } from './command.ts';

interface CommandModule {
  readonly declareCommand: DeclareCommand;
}

/** Only the requested command is loaded: loading dominates the run time of short ones. */
const COMMANDS: readonly (readonly [name: string, summary: string, load: () => Promise<CommandModule>])[] = [
  ['serve', 'run the server', async () => await import('./serve.ts')],
  ['lint', 'check profiles, mappings, policies and tariffs', async () => await import('./lint.ts')],
  ['test', 'run cases and the built-in scenario pack', async () => await import('./test.ts')],
  ['explain', 'show where each value comes from', async () => await import('./explain.ts')],
  ['choose', 'show which carrier a policy chooses, and why', async () => await import('./choose.ts')],
  [
    'check-credentials',
    'verify an account’s credentials with the carrier',
    async () => await import('./check-credentials.ts'),
  ],
  ['certify', 'try an endpoint that a carrier built by the contract', async () => await import('./certify.ts')],
  ['new', 'create a carrier', async () => await import('./new.ts')],
  ['statuses', 'import status rows from CSV', async () => await import('./statuses.ts')],
  ['record', 'write cases from recorded dispatches', async () => await import('./record.ts')],
  ['replay', 'run recorded payloads through a profile', async () => await import('./replay.ts')],
  ['diff', 'compare two versions of profiles on recorded traffic', async () => await import('./diff.ts')],
  ['simulate', 'serve carriers from their cases', async () => await import('./simulate.ts')],
  ['token', 'issue, list, rotate and revoke tokens', async () => await import('./token.ts')],
  ['retain', 'delete old exchanges, labels, pushes and idempotency keys', async () => await import('./retain.ts')],
  ['erase', 'erase a person’s data by reference', async () => await import('./erase.ts')],
  ['reseal', 're-encrypt with a new WAYBILL_SECRET_KEY', async () => await import('./reseal.ts')],
  ['backup', 'write all records to a file', async () => await import('./backup.ts')],
  ['restore', 'read a backup into an empty database', async () => await import('./restore.ts')],
  ['schemas', 'write the JSON Schemas for editors', async () => await import('./schemas.ts')],
];

/** Runs one command; resolves to its exit code: 0 success, 1 findings, 2 misuse. */
export const run = async (typed: readonly string[], given: Terminal): Promise<number> => {
  const terminal = plainTerminal(given);
  const argv = helpAsked(typed);
  let code: number = EXIT.good;
  const program = new Command('waybill')
    .description('A carrier integration engine driven by declarative configuration.')
    .version(packageVersion(terminal), '--version')
    .helpOption('--help', 'display help for the command')
    .helpCommand('help [command]', 'display help for a command')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.error });
  const wanted = argv.find((argument) => !argument.startsWith('-'));
  for (const [name, summary, load] of COMMANDS) {
    const command = program.command(name).summary(summary);
    if (name !== wanted) continue;
    const { declareCommand } = await load();
    declareCommand(command, terminal, (one, action) => {
      one.action(async (...args: unknown[]) => {
        code = await action(...(args as never[]));
      });
    });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (thrown) {
    return failed(thrown, terminal);
  }
};

/** `help lint` is `lint --help`, as commands are declared only when they are wanted. */
const helpAsked = (argv: readonly string[]): readonly string[] => {
  const [first, name, ...rest] = argv;
  if (first !== 'help') return argv;
  const isKnown = name === undefined || COMMANDS.some(([each]) => each === name);
  return isKnown ? [...argv.slice(1), '--help'] : [name, ...rest];
};

const failed = (thrown: unknown, terminal: Terminal): number => {
  // Commander has already printed its message; help and version end here, too.
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.good : EXIT.misuse;
  if (thrown instanceof Misuse) terminal.error(`waybill: ${thrown.message}\n`);
  else if (thrown instanceof Failure) terminal.error(`waybill: ${thrown.describe()}\n`);
  else throw thrown;
  return EXIT.misuse;
};

export const main = async (): Promise<void> => {
  // The reader may close the pipe (`| head`): the rest is dropped, and the exit code is unaffected.
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
        process.once('SIGINT', () => process.exit(EXIT.interrupted));
        listener();
      });
    },
    ask: process.stdin.isTTY && process.stdout.isTTY ? askAtTerminal : undefined,
    endOnInterrupt: () => {
      process.once('SIGINT', () => process.exit(EXIT.interrupted));
    },
  });
};

const askAtTerminal = async (question: string): Promise<string> => {
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  reader.once('SIGINT', () => process.exit(EXIT.interrupted));
  try {
    return await reader.question(question);
  } finally {
    reader.close();
  }
};
