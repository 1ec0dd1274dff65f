import { run } from '../../src/cli/main.ts';
import type { Terminal } from '../../src/cli/command.ts';
import { type Ended, root } from './spawning.ts';

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
