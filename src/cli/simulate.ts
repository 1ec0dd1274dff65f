import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DeclareCommand, Misuse, type Terminal } from './command.ts';

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description('Runs the simulated carriers as an HTTP server until SIGINT or SIGTERM. Only in a checkout.')
    // The simulator knows its own options, and tells them itself.
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .allowExcessArguments()
    .argument('[options...]', 'see waybill simulate --help');
  act(command, async (options: string[]) => {
    const { run } = (await importSimulator(terminal.packageRoot, 'main.ts')) as {
      run(argv: readonly string[]): Promise<number>;
    };
    return await run(options);
  });
};

interface RunningSimulator {
  /** What a profile writes as the carrier's URL, by code. */
  readonly carriers: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, Readonly<Record<string, string>>>>;
  close(): Promise<void>;
}

/** Runs it in this process, on a free port of this machine. */
export const startSimulator = async ({ packageRoot }: Terminal): Promise<RunningSimulator> => {
  const { start } = (await importSimulator(packageRoot, 'server.ts')) as {
    start(options: object): Promise<RunningSimulator>;
  };
  return await start({});
};

/** It is no part of the package: the engine shares no code with it. */
const importSimulator = async (packageRoot: string, name: string): Promise<unknown> => {
  const file = join(packageRoot, 'simulator', name);
  if (existsSync(file)) return (await import(pathToFileURL(file).href)) as unknown;
  throw new Misuse('the simulator is part of the checkout, not of the installed package: clone the repository for it');
};
