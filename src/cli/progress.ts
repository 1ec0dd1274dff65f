import type { Terminal } from './command.ts';

/** One line on stderr that is written over while work goes on; nothing where nobody watches. */
export interface Progress {
  show(text: string): void;
  /** Before anything else is written. */
  clear(): void;
}

export const createProgress = (terminal: Terminal): Progress => {
  if (!terminal.isWatched) return { show: () => {}, clear: () => {} };
  let shown = false;
  return {
    show: (text) => {
      terminal.overwrite(text);
      shown = true;
    },
    clear: () => {
      if (shown) terminal.overwrite('');
      shown = false;
    },
  };
};
