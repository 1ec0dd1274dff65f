import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AddCommand, type ExitCode, Misuse, type Terminal } from './command.ts';

interface Simulator {
  run(argv: readonly string[]): Promise<ExitCode>;
}

export const addSimulate: AddCommand = (program, terminal, ran) => {
  program
    .command('simulate')
    .summary('run the simulated carriers')
    .description('Runs the bundled carriers’ side as an HTTP server, until it is told to stop. Only in a checkout.')
    // The simulator knows its own options, and tells them itself.
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .allowExcessArguments()
    .argument('[options...]', 'see waybill simulate --help')
    .action(async (options: string[]) => {
      const simulator = await openSimulator(terminal);
      ran(await simulator.run(options));
    });
};

/** It is no part of the package: the engine shares no code with it. */
const openSimulator = async ({ packageRoot }: Terminal): Promise<Simulator> => {
  const file = join(packageRoot, 'simulator', 'main.ts');
  if (existsSync(file)) return (await import(pathToFileURL(file).href)) as Simulator;
  throw new Misuse('the simulator is part of the checkout, not of the installed package: clone the repository for it');
};
