import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { plainText } from '../engine/text.ts';

/** Exit codes: success; findings; misuse; interrupted by Ctrl-C. */
export const EXIT = { good: 0, findings: 1, misuse: 2, interrupted: 130 } as const;

export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  /** Writes a line to stderr in place of the one it wrote last. */
  overwrite(line: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Root of the installed package, which contains the files shipped with the engine. */
  readonly packageRoot: string;
  /** Resolves once stdout can take more output; false: the reader is gone. */
  drained(): Promise<boolean>;
  /** Prompts the user; undefined without an interactive terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** From now on, Ctrl-C calls back once, and a second one ends the process. */
  onInterrupt(listener: () => void): void;
  /** From now on, Ctrl-C ends the process between two turns of the event loop, so never in the middle of a file. */
  endOnInterrupt(): void;
  /** stderr is a terminal, so progress may be shown there. */
  readonly isWatched: boolean;
}

/** The terminal that commands get: escape sequences in untrusted text are neutralised. */
export const plainTerminal = (terminal: Terminal): Terminal => ({
  ...terminal,
  out: (text) => terminal.out(plainText(text)),
  error: (text) => terminal.error(plainText(text)),
  overwrite: (text) => terminal.overwrite(plainText(text)),
});

/** Sets the action of a command, which resolves to the exit code. */
type Act = (command: Command, action: (...args: never[]) => Promise<number>) => void;

export type DeclareCommand = (command: Command, terminal: Terminal, act: Act) => void;

/** A usage error: its message is printed as it is. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

export const JSON_OPTION = ['--json', 'one JSON object instead of text'] as const;

export interface JsonOption {
  readonly json?: boolean | undefined;
}

export const writeJson = (terminal: Terminal, value: unknown): void =>
  terminal.out(`${JSON.stringify(value, undefined, 2)}\n`);

export const print = (terminal: Terminal, { json }: JsonOption, value: unknown, text: () => string): void => {
  if (json === true) writeJson(terminal, value);
  else terminal.out(text());
};

export const packageVersion = ({ packageRoot }: Terminal): string =>
  (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;

/** Parses an option as a positive integer of at most `digits` digits; `wrong` is the error message. */
export const wholeNumber = (text: string, digits: number, wrong: string): number => {
  if (/^[1-9]\d*$/.test(text) && text.length <= digits) return Number(text);
  throw new Misuse(wrong);
};
