import { existsSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { Option } from 'commander';
import { messageOf } from '../engine/failure.ts';
import { serveUntilStopped } from '../platform/processes/serve.ts';
import { type DeclareCommand, EXIT, type JsonOption, type Terminal } from './command.ts';
import { COMPANIONS, EXTENSIONS } from './extensions.ts';

interface Options extends JsonOption {
  readonly role: 'api' | 'worker' | 'all';
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description('Runs the API, the workers, or both, until SIGINT or SIGTERM.')
    .addOption(new Option('--role <role>', 'role of this process').choices(['api', 'worker', 'all']).default('all'))
    .option('--json', 'one JSON object, { role, screen }, instead of the start screen');
  act(command, async ({ role, json }: Options) => {
    const print = (screen: string): void => {
      const text = screen.endsWith('\n') ? screen : `${screen}\n`;
      terminal.out(json === true ? `${JSON.stringify({ role, screen })}\n` : text);
    };
    try {
      if (role === 'worker') giveWay(terminal);
      else
        await buildPages().catch((thrown: unknown) => {
          const [why] = messageOf(thrown).split('\n');
          terminal.error(`waybill: the console's pages cannot be built, and stay as they are: ${why}\n`);
        });
      return await serveUntilStopped({
        role,
        env: terminal.env,
        print,
        extensions: EXTENSIONS,
        companions: COMPANIONS,
      });
    } catch (thrown) {
      terminal.error(`waybill: ${messageOf(thrown)}\n`);
      return EXIT.misuse;
    }
  });
};

/**
 * Where both share a machine, what somebody waits for goes first: in a burst, workers that take half of the processor
 * make clients of the API wait, and ask again, for what can be done a minute later.
 */
const giveWay = (terminal: Terminal): void => {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  try {
    // Whoever started it may have given it less, and to take that back is not allowed.
    if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
  } catch (thrown) {
    terminal.error(`waybill: the worker cannot give way to the API on its machine: ${messageOf(thrown)}\n`);
  }
};

/** A clone has the console's sources, a package only what was built of them. */
const buildPages = async (): Promise<void> => {
  const builder = new URL('../../console/build.ts', import.meta.url);
  if (existsSync(builder)) await ((await import(builder.href)) as { buildConsole(): Promise<void> }).buildConsole();
};
