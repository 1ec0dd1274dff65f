import { Option } from 'commander';
import { type AddCommand, MISUSE } from './command.ts';

interface Options {
  readonly role: 'api' | 'worker' | 'all';
  readonly json?: boolean;
}

export const addServe: AddCommand = (program, terminal, ran) => {
  program
    .command('serve')
    .summary('run the server')
    .description('Runs the API, the workers, or both in one process, until it is told to stop.')
    .addOption(new Option('--role <role>', 'what this process does').choices(['api', 'worker', 'all']).default('all'))
    .option('--json', 'one JSON object, { role, screen }, instead of the first screen')
    .action(async ({ role, json }: Options) => {
      const { serveUntilStopped } = await import('../platform/processes/serve.ts');
      const { messageOf } = await import('../engine/failure.ts');
      const print = (text: string): void =>
        terminal.out(
          json === true ? `${JSON.stringify({ role, screen: text })}\n` : text.endsWith('\n') ? text : `${text}\n`,
        );
      try {
        ran(await serveUntilStopped({ role, env: terminal.env, print }));
      } catch (thrown) {
        terminal.error(`waybill: ${messageOf(thrown)}\n`);
        ran(MISUSE);
      }
    });
};
