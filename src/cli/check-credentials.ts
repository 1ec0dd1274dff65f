import { Option } from 'commander';
import type { CheckedCredentials } from '../engine/dispatch/check-credentials.ts';
import type { Exchange } from '../engine/dispatch/ports.ts';
import { formatPlace } from '../engine/failure.ts';
import { plainLine } from '../engine/text.ts';
import type { EnvironmentName } from '../engine/profile/carrier.ts';
import { type AddCommand, type ExitCode, FINDINGS, GOOD, Misuse, type Terminal, writeJson } from './command.ts';
import { carrierOf } from './load-carrier.ts';

interface Options {
  readonly shipper: string;
  readonly environment: EnvironmentName;
  readonly json?: true;
}

export const addCheckCredentials: AddCommand = (program, terminal, ran) => {
  program
    .command('check-credentials')
    .summary('ask a carrier whether an account is good')
    .description(
      "Runs the profile's probe with the credentials of an account, or its login where it has no probe. Nothing is " +
        'changed at the carrier. The records are those of DATABASE_URL, else the built-in ones of WAYBILL_HOME.',
    )
    .argument('<carrier>', 'code of a carrier')
    .requiredOption('--shipper <code>', 'whose account')
    .addOption(new Option('--environment <name>').choices(['production', 'sandbox']).default('production'))
    .option('--json', 'one JSON object instead of text')
    .action(async (carrier: string, options: Options) => {
      terminal.endOnInterrupt();
      ran(await check(carrier, options, terminal));
    });
};

const check = async (code: string, options: Options, terminal: Terminal): Promise<ExitCode> => {
  const { shipper, environment } = options;
  const carrier = await carrierOf(code, terminal);
  if (carrier === undefined) return FINDINGS;
  const { sealerOf, withRecords } = await import('./records.ts');
  const { findAccountById, findAccountId } = await import('../platform/records/accounts.ts');
  const { findShipper } = await import('../platform/records/shippers.ts');
  const { recordAudit } = await import('../platform/records/audit.ts');
  const account = await withRecords(terminal, async (pool) => {
    const found = await findShipper(pool, shipper);
    if (found === undefined) throw new Misuse(`there is no shipper "${shipper}"`);
    const id = await findAccountId(pool, { shipperId: found.id, carrierCode: code, environment });
    const kept = id === undefined ? undefined : await findAccountById(pool, await sealerOf(terminal), id);
    if (kept === undefined)
      throw new Misuse(`${shipper} has no ${environment} account with ${code}: PUT /admin/accounts`);
    const detail = JSON.stringify({ shipper, carrier: code, environment });
    const subject = `account:${kept.id}`;
    await recordAudit(pool, { actor: 'command', action: 'check_credentials', subject, detail });
    return kept;
  });
  const { SETTINGS } = await import('../platform/processes/config.ts');
  const { createTransport } = await import('../engine/transport/transport.ts');
  const { checkCredentials } = await import('../engine/dispatch/check-credentials.ts');
  const { createCarrierLimits } = await import('../engine/dispatch/limits.ts');
  const { createMemoryLog } = await import('../engine/dispatch/attempt-log.ts');
  const { createMemoryTokens } = await import('../engine/dispatch/token-store.ts');
  const transport = createTransport({
    allowPrivateNetworks: SETTINGS.allowPrivateNetworks.read(terminal.env['ALLOW_PRIVATE_NETWORKS']),
    userAgent: 'Waybill/0.1',
  });
  const asked: Exchange[] = [];
  const noteExchange = (exchange: Exchange): Promise<void> => {
    asked.push(exchange);
    return Promise.resolve();
  };
  try {
    const checked = await checkCredentials(
      { seed: crypto.randomUUID(), carrier, environment, account, nowMs: Date.now() },
      {
        attemptLog: createMemoryLog(noteExchange),
        tokens: createMemoryTokens(Date.now),
        carrierLimits: createCarrierLimits(Date.now, Math.random),
        noteExchange,
        send: transport.send,
        nowMs: Date.now,
        random: Math.random,
      },
    );
    if (options.json === true) writeJson(terminal, jsonOf(code, options, asked, checked));
    else terminal.out(textOf(asked, checked));
    return checked.kind === 'good' ? GOOD : FINDINGS;
  } finally {
    transport.close();
  }
};

const WORDS: Readonly<Record<CheckedCredentials['kind'], string>> = {
  good: 'the carrier takes these credentials',
  refused: 'these credentials are not taken',
  unclear: 'no answer tells whether these credentials are good',
  nothing_to_ask: 'the profile has no probe, and its auth no login: there is nothing to ask without side effects',
};

const textOf = (asked: readonly Exchange[], checked: CheckedCredentials): string => {
  const lines = asked.map(
    ({ method, url, status, outcome }) => `${method} ${url}: ${status ?? 'no answer'}, ${outcome}\n`,
  );
  const why =
    'problem' in checked ? `: ${plainLine(`${checked.problem.code}: ${checked.problem.messages.join('; ')}`)}` : '';
  const place = 'problem' in checked ? checked.problem.place : undefined;
  return `${lines.join('')}${WORDS[checked.kind]}${why}${place === undefined ? '' : ` (${formatPlace(place)})`}\n`;
};

const jsonOf = (
  carrier: string,
  { shipper, environment }: Options,
  asked: readonly Exchange[],
  checked: CheckedCredentials,
): Record<string, unknown> => ({
  ok: checked.kind === 'good',
  carrier,
  shipper,
  environment,
  result: checked.kind,
  asked: asked.map(({ method, url, status, outcome, message }) => ({ method, url, status, outcome, message })),
  ...('problem' in checked ? { code: checked.problem.code, messages: checked.problem.messages } : {}),
});
