import type { Command } from 'commander';

/** Exit codes: what was asked is good; there are findings; the command was misused. */
export const GOOD = 0;
export const FINDINGS = 1;
export const MISUSE = 2;
export const INTERRUPTED = 130;
export type ExitCode = number;

/** What a command asks of the process it runs in. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  /** Writes a line to stderr over the one that was written so before. */
  overwrite(line: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Where the package lies: what ships with the engine is found below it. */
  readonly packageRoot: string;
  /** Resolves when what was written by `out` has gone so far that more may come; false: nobody reads any more. */
  drained(): Promise<boolean>;
  /** Asks whoever types, and yields the answer; undefined: there is nobody. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** From now on, Ctrl-C calls back once, and a second one ends the process. */
  onInterrupt(listener: () => void): void;
  /** From now on, Ctrl-C ends the process between two turns of the event loop, so never in the middle of a file. */
  endOnInterrupt(): void;
  /** A person watches stderr: progress may be shown there. */
  readonly isWatched: boolean;
}

/** Adds a command to the program; `ran` takes its exit code. */
export type AddCommand = (program: Command, terminal: Terminal, ran: (code: ExitCode) => void) => void;

/** Told to the person at the terminal as it is: no fault of the engine. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

export const writeJson = (terminal: Terminal, value: unknown): void =>
  terminal.out(`${JSON.stringify(value, undefined, 2)}\n`);
