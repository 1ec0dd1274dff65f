import { Option } from 'commander';
import { checkCredentials, type CheckedCredentials } from '../engine/dispatch/check-credentials.ts';
import type { Exchange } from '../engine/dispatch/ports.ts';
import { describeProblem } from '../engine/failure.ts';
import type { EnvironmentName } from '../engine/profile/carrier.ts';
import { USER_AGENT } from '../engine/transport/transport.ts';
import { plainLine } from '../engine/text.ts';
import { portsOnce } from '../workbench/engine-run.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print } from './command.ts';
import { carrierOf } from './home.ts';
import { findAccountOf, auditAccountUse, requireShipper, sealerOf, transportOf, withRecords } from './records.ts';

interface Options extends JsonOption {
  readonly shipper: string;
  readonly environment: EnvironmentName;
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      "Verifies an account's credentials with the profile's probe, or with its login if it has no probe. Nothing is " +
        'changed at the carrier. The database is that of DATABASE_URL, else the embedded one of WAYBILL_HOME.',
    )
    .argument('<carrier>', 'carrier code')
    .requiredOption('--shipper <code>', 'shipper whose account is checked')
    .addOption(new Option('--environment <name>').choices(['production', 'sandbox']).default('production'))
    .option(...JSON_OPTION);
  act(command, async (code: string, options: Options) => {
    const { shipper, environment } = options;
    terminal.endOnInterrupt();
    const carrier = carrierOf(code, terminal);
    if (carrier === undefined) return EXIT.findings;
    const account = await withRecords(terminal, async (pool) => {
      const whose = { shipper: await requireShipper(pool, shipper), carrier: code, environment };
      const found = await findAccountOf(pool, await sealerOf(terminal), whose);
      if (found === undefined) {
        throw new Misuse(`${shipper} has no ${environment} account with ${code}: PUT /admin/accounts`);
      }
      await auditAccountUse(pool, 'check_credentials', found, whose);
      return found;
    });
    const transport = transportOf(terminal, USER_AGENT);
    const exchanges: Exchange[] = [];
    const noteExchange = (exchange: Exchange): Promise<void> => Promise.resolve(void exchanges.push(exchange));
    try {
      const checked = await checkCredentials(
        { seed: crypto.randomUUID(), carrier, environment, account, nowMs: Date.now() },
        portsOnce(transport.send, noteExchange),
      );
      print(terminal, options, jsonOf(code, options, exchanges, checked), () => textOf(exchanges, checked));
      return checked.kind === 'good' ? EXIT.good : EXIT.findings;
    } finally {
      transport.close();
    }
  });
};

const WORDS: Readonly<Record<CheckedCredentials['kind'], string>> = {
  good: 'the carrier takes these credentials',
  refused: 'these credentials are not taken',
  unclear: 'no answer tells whether these credentials are good',
  nothing_to_ask: 'the profile has no probe, and its auth no login: there is nothing to ask without side effects',
};

const FORBIDDEN: ReadonlySet<string> = new Set(['plain_http_forbidden', 'address_forbidden']);

const textOf = (exchanges: readonly Exchange[], checked: CheckedCredentials): string => {
  const lines = exchanges.map(
    ({ method, url, status, outcome }) => `${method} ${url}: ${status ?? 'no answer'}, ${outcome}\n`,
  );
  const problem = 'problem' in checked ? checked.problem : undefined;
  const why = problem === undefined ? '' : `: ${plainLine(describeProblem(problem))}`;
  const hint = FORBIDDEN.has(problem?.code ?? '')
    ? '; ALLOW_PRIVATE_NETWORKS=true allows it, also to this command'
    : '';
  return `${lines.join('')}${WORDS[checked.kind]}${why}${hint}\n`;
};

const jsonOf = (
  carrier: string,
  { shipper, environment }: Options,
  exchanges: readonly Exchange[],
  checked: CheckedCredentials,
): Record<string, unknown> => ({
  ok: checked.kind === 'good',
  carrier,
  shipper,
  environment,
  result: checked.kind,
  asked: exchanges.map(({ method, url, status, outcome, message }) => ({ method, url, status, outcome, message })),
  ...('problem' in checked ? { code: checked.problem.code, messages: checked.problem.messages } : {}),
});
