import { plainText } from '../engine/text.ts';
import type { Terminal } from './command.ts';

/** The terminal as commands have it: whoever's words they write, nothing in them is a command to it. */
export const plainTerminal = (terminal: Terminal): Terminal => ({
  ...terminal,
  out: (text) => terminal.out(plainText(text)),
  error: (text) => terminal.error(plainText(text)),
  overwrite: (text) => terminal.overwrite(plainText(text)),
});
