import { Option } from 'commander';
import { Failure } from '../engine/failure.ts';
import type { Carrier } from '../engine/profile/carrier.ts';
import { carriersWithCases, directoryCaseFiles } from '../workbench/cases/read.ts';
import { parseBehaviour } from '../workbench/simulate/behaviour.ts';
import { JOURNEYS, type Journey } from '../workbench/simulate/progress.ts';
import type { Simulator, SimulatorOptions } from '../workbench/simulate/running.ts';
import { startSimulator } from '../workbench/simulate/simulator.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, Misuse, type Terminal, writeJson } from './command.ts';
import { carrierOf, chooseAmong, chooseCodes, homeOf } from './home.ts';

interface Options {
  readonly port: string;
  readonly host?: string;
  readonly carrier?: readonly string[];
  readonly pushTo?: string;
  readonly pushToken?: readonly string[];
  readonly autoplay?: string | true;
  readonly journey: Journey;
  readonly behave?: readonly string[];
  readonly latency?: string;
  readonly json?: true;
}

const more = (one: string, others: readonly string[] = []): readonly string[] => [...others, one];

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Serves carriers out of the cases in fixtures/<carrier>/, as an HTTP server, until SIGINT or SIGTERM ' +
        '(default: all that have cases).',
    )
    .argument('[carrier...]', 'carrier codes')
    .option('--port <n>', 'port to listen on; 0: a free one', '0')
    .option('--host <address>', 'address to listen on; default: 127.0.0.1')
    .option('--carrier <code>', 'the same as naming it; may be repeated', more)
    .option('--push-to <url>', 'URL of the Waybill server that statuses are pushed to')
    .option('--push-token <code=token>', 'token of a carrier’s pushes; may be repeated', more)
    .option('--autoplay [ms]', 'move each new shipment on by one status per interval (default: 2000)')
    .addOption(
      new Option('--journey <name>', 'the way of --autoplay').choices(Object.keys(JOURNEYS)).default('delivered'),
    )
    .option('--latency <ms>', 'wait before each answer')
    .option('--behave <what>', 'misbehave, e.g. status,status=429,times=2 or hang,path=/orders; may be repeated', more)
    .option(...JSON_OPTION);
  act(command, async (named: string[], options: Options) => {
    // Ctrl-C ends it as it should, from the first moment on.
    const ended = Promise.withResolvers<void>();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.resolve());
    const codes = [...named, ...(options.carrier ?? [])];
    const simulator = await startSimulator({ ...settingsOf(options), ...carriersOf(codes, terminal) });
    show(simulator, options, terminal);
    await ended.promise;
    await simulator.close();
    return EXIT.good;
  });
};

/** Those named, else all that have cases. Throws a `Misuse` for one that has none, or does not load. */
const carriersOf = (named: readonly string[], terminal: Terminal): Pick<SimulatorOptions, 'carriers' | 'files'> => {
  const files = directoryCaseFiles(homeOf(terminal));
  const withCases = carriersWithCases(files);
  const known = chooseCodes([], terminal).filter((code) => withCases.includes(code));
  for (const code of chooseCodes(named, terminal)) {
    if (!known.includes(code) && named.includes(code))
      throw new Misuse(`${code} has no cases in fixtures/${code}/, which are what a simulated carrier answers from`);
  }
  const carriers = chooseAmong(named, known, terminal).flatMap((code): Carrier[] => {
    const carrier = carrierOf(code, terminal);
    if (carrier === undefined && named.includes(code)) throw new Misuse(`${code} does not load`);
    return carrier === undefined || carrier.abstract ? [] : [carrier];
  });
  return { carriers, files };
};

const milliseconds = (text: string, option: string): number => {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Misuse(`${option} must be milliseconds`);
};

const settingsOf = ({ port, host, pushTo, pushToken = [], autoplay, journey, behave = [], latency }: Options) => {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Misuse('--port must be a port');
  if (pushTo !== undefined && !URL.canParse(pushTo)) throw new Misuse('--push-to must be a URL');
  const secrets = Object.fromEntries(
    pushToken.map((pair) => {
      const [, code = '', token = ''] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
      if (code === '') throw new Misuse('--push-token must be <carrier>=<token>');
      return [code, token];
    }),
  );
  const slow = latency === undefined ? [] : [{ do: 'slow', ms: milliseconds(latency, '--latency'), times: 0 } as const];
  try {
    return {
      port: Number(port),
      ...(host === undefined ? {} : { host }),
      pushTo: pushTo === undefined ? undefined : { url: pushTo, secrets },
      autoplay:
        autoplay === undefined
          ? undefined
          : { journey, intervalMs: autoplay === true ? 2_000 : milliseconds(autoplay, '--autoplay') },
      behaviours: [...behave.map(parseBehaviour), ...slow],
    };
  } catch (thrown) {
    throw thrown instanceof Failure ? new Misuse(`--behave: ${thrown.message}`) : thrown;
  }
};

const show = ({ url, carriers, accounts }: Simulator, { json }: Options, terminal: Terminal): void => {
  if (json === true) {
    const of = (section: 'credentials' | 'settings') =>
      Object.fromEntries(Object.entries(accounts).map(([code, account]) => [code, account[section]]));
    return writeJson(terminal, { url, carriers, credentials: of('credentials'), settings: of('settings') });
  }
  const lines = Object.entries(carriers).map(([code, at]) => {
    const { credentials = {}, settings = {} } = accounts[code] ?? {};
    const values = Object.entries({ ...credentials, ...settings }).map(([name, value]) => `${name}=${String(value)}`);
    return `  ${code.padEnd(16)} ${at}   ${values.join(' ')}\n`;
  });
  terminal.out(
    `Simulated carriers, each with the account that it accepts:\n${lines.join('')}Control: ${url}/_control/\n`,
  );
};

/** Runs it in this process, on a free port of this machine. */
export const startSimulated = async (codes: readonly string[], terminal: Terminal): Promise<Simulator> =>
  await startSimulator(carriersOf(codes, terminal));
