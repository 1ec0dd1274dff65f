// The simulator's command line, which `waybill simulate` calls.
import { parseArgs } from 'node:util';
import { journeys, isJourney, type Journey } from './lifecycle.ts';
import { start } from './server.ts';
import type { SimulatorOptions } from './simulator.ts';

const help = `waybill simulate [options]

  --port <n>                 port to listen on; default: a free one
  --host <address>           address to listen on; default: 127.0.0.1
  --carrier <code>           only this carrier; may be repeated
  --push-to <url>            URL of the Waybill server to push statuses to
  --push-token <code=secret> token that Waybill issued to the carrier; may be repeated
  --autoplay [ms]            advance every new shipment one stage per interval (default: 2000)
  --journey <name>           ${Object.keys(journeys).join(', ')}
  --private-labels           label URLs require the carrier's credentials
  --json                     one JSON object instead of text
  --help

While it runs, POST to /_control/advance, play, behave, push-to, clear; GET /_control/requests, shipments, pushes.
`;

export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  /** Resolves when the simulator shall end. */
  readonly ended: Promise<void>;
}

/** Runs the simulator until SIGINT or SIGTERM. The exit code: 0, or 2 for arguments it does not understand. */
export async function run(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  const command = parse(argv);
  if ('error' in command) {
    terminal.error(`${command.error}\n\n${help}`);
    return 2;
  }
  if (command.help) {
    terminal.out(help);
    return 0;
  }
  let simulator;
  try {
    simulator = await start(command.options);
  } catch (error) {
    terminal.error(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
  const { url, carriers, credentials } = simulator;
  if (command.json) terminal.out(`${JSON.stringify({ url, carriers, credentials })}\n`);
  else {
    const lines = Object.entries(carriers).map(
      ([code, at]) => `  ${code.padEnd(14)} ${at}   ${describeCredentials(credentials[code] ?? {})}`,
    );
    terminal.out(`Simulated carriers:\n${lines.join('\n')}\nControl: ${url}/_control/\n`);
  }
  await terminal.ended;
  await simulator.close();
  return 0;
}

function describeCredentials(credentials: Readonly<Record<string, string>>): string {
  return Object.entries(credentials)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

interface Command {
  readonly help: boolean;
  readonly json: boolean;
  readonly options: SimulatorOptions;
}

function parse(argv: readonly string[]): Command | { readonly error: string } {
  let given;
  try {
    given = parseArgs({ args: withAutoplayTime(argv), options: flags }).values;
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
  const port = Number(given.port ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return { error: '--port must be a port' };
  const intervalMs = given.autoplay === undefined ? null : Number(given.autoplay);
  if (intervalMs !== null && !(intervalMs >= 0 && intervalMs <= 3_600_000))
    return { error: '--autoplay must be milliseconds' };
  const journey: string = given.journey ?? 'delivered';
  if (!isJourney(journey)) return { error: `--journey must be one of ${Object.keys(journeys).join(', ')}` };
  const target = given['push-to'];
  if (target !== undefined && !URL.canParse(target)) return { error: '--push-to must be a URL' };
  const secrets: Record<string, string> = {};
  for (const pair of given['push-token'] ?? []) {
    const split = pair.indexOf('=');
    if (split < 1) return { error: '--push-token must be <carrier>=<secret>' };
    secrets[pair.slice(0, split)] = pair.slice(split + 1);
  }
  return {
    help: given.help ?? false,
    json: given.json ?? false,
    options: {
      port,
      ...(given.host === undefined ? {} : { host: given.host }),
      ...(given.carrier === undefined ? {} : { carriers: given.carrier }),
      ...(target === undefined ? {} : { pushTo: { url: target, secrets } }),
      ...(intervalMs === null ? {} : { autoplay: { intervalMs, journey: journey satisfies Journey } }),
      privateLabels: given['private-labels'] ?? false,
    },
  };
}

const flags = {
  port: { type: 'string' },
  host: { type: 'string' },
  carrier: { type: 'string', multiple: true },
  'push-to': { type: 'string' },
  'push-token': { type: 'string', multiple: true },
  autoplay: { type: 'string' },
  journey: { type: 'string' },
  'private-labels': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** `--autoplay` alone stands for `--autoplay 2000`. */
function withAutoplayTime(argv: readonly string[]): string[] {
  return argv.flatMap((argument, index) =>
    argument === '--autoplay' && !/^\d/.test(argv[index + 1] ?? '') ? ['--autoplay', '2000'] : [argument],
  );
}

function processTerminal(): Terminal {
  return {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    ended: new Promise((resolve) => {
      process.once('SIGINT', () => resolve());
      process.once('SIGTERM', () => resolve());
    }),
  };
}
