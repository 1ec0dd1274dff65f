import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { plainText } from '../engine/text.ts';

/** Exit codes: what was asked is good; there are findings; the command was misused; Ctrl-C ended it. */
export const EXIT = { good: 0, findings: 1, misuse: 2, interrupted: 130 } as const;

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

/** The terminal as commands have it: nothing that somebody else wrote is a command to it. */
export const plainTerminal = (terminal: Terminal): Terminal => ({
  ...terminal,
  out: (text) => terminal.out(plainText(text)),
  error: (text) => terminal.error(plainText(text)),
  overwrite: (text) => terminal.overwrite(plainText(text)),
});

/** Gives a command its action, which resolves to the exit code. */
type Act = (command: Command, action: (...args: never[]) => Promise<number>) => void;

/** Declares what a command takes, and what it does. */
export type DeclareCommand = (command: Command, terminal: Terminal, act: Act) => void;

/** Told to the person at the terminal as it is: no fault of the engine. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

export const JSON_OPTION = ['--json', 'one JSON object instead of text'] as const;

export interface JsonOption {
  readonly json?: boolean | undefined;
}

export const writeJson = (terminal: Terminal, value: unknown): void =>
  terminal.out(`${JSON.stringify(value, undefined, 2)}\n`);

/** What a command has to say: for programs with `--json`, else for people. */
export const print = (terminal: Terminal, { json }: JsonOption, value: unknown, text: () => string): void => {
  if (json === true) writeJson(terminal, value);
  else terminal.out(text());
};

export const packageVersion = ({ packageRoot }: Terminal): string =>
  (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;

/** The number of an option that is a whole one from 1, of so many digits at most; `wrong` says what it must be. */
export const wholeNumber = (text: string, digits: number, wrong: string): number => {
  if (/^[1-9]\d*$/.test(text) && text.length <= digits) return Number(text);
  throw new Misuse(wrong);
};
