import { Option } from 'commander';
import type { CheckedCredentials } from '../dispatch/check-credentials.ts';
import type { Exchange } from '../dispatch/ports.ts';
import { formatPlace } from '../domain/place.ts';
import { plainLine } from '../domain/plain-text.ts';
import type { EnvironmentName } from '../profile/carrier.ts';
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
  const { findAccountById, findAccountId } = await import('../store/accounts.ts');
  const { findShipper } = await import('../store/shippers.ts');
  const { recordAudit } = await import('../store/audit.ts');
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
  const { SETTINGS } = await import('../app/config.ts');
  const { createTransport } = await import('../transport/transport.ts');
  const { checkCredentials } = await import('../dispatch/check-credentials.ts');
  const { createGate } = await import('../dispatch/gate.ts');
  const { createMemoryLedger } = await import('../dispatch/memory-ledger.ts');
  const { createMemoryTokens } = await import('../dispatch/memory-tokens.ts');
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
        ledger: createMemoryLedger(noteExchange),
        tokens: createMemoryTokens(Date.now),
        gate: createGate(Date.now, Math.random),
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
    'trouble' in checked ? `: ${plainLine(`${checked.trouble.code}: ${checked.trouble.messages.join('; ')}`)}` : '';
  const place = 'trouble' in checked ? checked.trouble.place : undefined;
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
  ...('trouble' in checked ? { code: checked.trouble.code, messages: checked.trouble.messages } : {}),
});
