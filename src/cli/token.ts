import { type Command, Option } from 'commander';
import type { EnvironmentName } from '../engine/profile/carrier.ts';
import { transaction } from '../platform/records/pool.ts';
import {
  type Bearer,
  issueToken,
  listTokens,
  replaceToken,
  revokeToken,
  type TokenEntry,
} from '../platform/records/tokens.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print, type Terminal } from './command.ts';
import { chooseCodes } from './home.ts';
import { requireShipper, withRecords } from './records.ts';

interface IssueOptions extends JsonOption {
  readonly environment?: EnvironmentName;
  readonly expires?: string;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const LIST_MAX = 10_000;

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command.description(
    'Manages tokens of shippers and carriers. A new token is printed only once: only its hash is stored. ' +
      'The database is that of DATABASE_URL, else the embedded one of WAYBILL_HOME.',
  );
  const subcommand = (usage: string, summary: string): Command =>
    command
      .command(usage)
      .summary(summary)
      .option(...JSON_OPTION);
  for (const kind of ['shipper', 'carrier'] as const) {
    const environments = new Option('--environment <name>', `default: ${kind === 'shipper' ? 'production' : 'both'}`);
    const issuing = subcommand(`${kind} <code>`, `issue a token for a ${kind}`)
      .addOption(environments.choices(['production', 'sandbox']))
      .option('--expires <days>', 'lifetime, such as 90d; default: unlimited');
    act(issuing, async (code: string, options: IssueOptions) => await issue(terminal, kind, code, options));
  }
  const listing = subcommand('list', 'list tokens, newest first, without their secrets')
    .option('--shipper <code>', 'only tokens of this shipper')
    .option('--carrier <code>', 'only tokens of this carrier');
  act(listing, async (options: ListOptions) => await list(terminal, options));
  const rotating = subcommand('rotate <id>', 'replace a token; the old one stays valid for the overlap');
  rotating.option('--overlap <hours>', 'how long both are valid', '24h');
  act(rotating, async (id: string, options: RotateOptions) => await rotate(terminal, id, options));
  act(subcommand('revoke <id>', 'revoke a token immediately'), async (id: string, options: JsonOption) => {
    const now = new Date();
    const revoked = await withRecords(terminal, async (pool) => await revokeToken(pool, id, { actor: 'command', now }));
    if (revoked === undefined) throw new Misuse(`there is no token "${id}": waybill token list has their ids`);
    print(terminal, options, revoked, () => `${lineOf(revoked)}\n`);
    return EXIT.good;
  });
};

const issue = async (
  terminal: Terminal,
  kind: 'shipper' | 'carrier',
  code: string,
  { environment, expires, json }: IssueOptions,
): Promise<number> => {
  const now = new Date();
  const days = expires === undefined ? undefined : spanOf('--expires', expires, 'd', 3_650);
  const expiresAt = days === undefined ? undefined : new Date(now.getTime() + days * DAY_MS);
  const issued = await withRecords(terminal, async (pool) => {
    const shipperOf = async (): Promise<Bearer> => {
      const { id } = await requireShipper(pool, code, ': create one with POST /admin/shippers');
      return { kind: 'shipper', shipperId: id, code, environment: environment ?? 'production' };
    };
    if (kind === 'carrier') chooseCodes([code], terminal);
    const owner = kind === 'shipper' ? await shipperOf() : ({ kind, code, environment } as const);
    const by = { actor: 'command', now, expiresAt };
    return await transaction(pool, async (client) => await issueToken(client, owner, by));
  });
  const value = { kind, code, environment: environment ?? null, ...issued };
  print(terminal, { json }, value, () => `${issued.token}\n`);
  return EXIT.good;
};

interface ListOptions extends JsonOption {
  readonly shipper?: string;
  readonly carrier?: string;
}

const list = async (terminal: Terminal, { shipper, carrier, json }: ListOptions): Promise<number> => {
  if (shipper !== undefined && carrier !== undefined) throw new Misuse('--shipper or --carrier, not both');
  const kind = shipper !== undefined ? 'shipper' : carrier !== undefined ? 'carrier' : undefined;
  const wanted = { kind, code: shipper ?? carrier, limit: LIST_MAX } as const;
  const tokens = await withRecords(terminal, async (pool) => await listTokens(pool, wanted, new Date()));
  print(terminal, { json }, { tokens }, () => tokens.map((entry) => `${lineOf(entry)}\n`).join(''));
  return EXIT.good;
};

const lineOf = ({ id, kind, code, environment, state, expiresAt, replacedBy }: TokenEntry): string =>
  [
    id.padEnd(12),
    kind,
    code,
    environment ?? 'both',
    state,
    ...(expiresAt === undefined ? [] : [`${state === 'expired' ? 'since' : 'until'} ${expiresAt.toISOString()}`]),
    ...(replacedBy === undefined ? [] : [`replaced by ${replacedBy}`]),
  ].join('  ');

interface RotateOptions extends JsonOption {
  readonly overlap: string;
}

const rotate = async (terminal: Terminal, id: string, { overlap, json }: RotateOptions): Promise<number> => {
  const overlapMs = spanOf('--overlap', overlap, 'h', 720) * HOUR_MS;
  const by = { actor: 'command', now: new Date(), overlapMs } as const;
  const replaced = await withRecords(terminal, async (pool) => await replaceToken(pool, id, by));
  if (replaced.kind === 'unknown') throw new Misuse(`there is no token "${id}"`);
  if (replaced.kind === 'ended') {
    const { state, replacedBy } = replaced.old;
    throw new Misuse(`the token ${id} ${replacedBy === undefined ? `is ${state}` : `was replaced by ${replacedBy}`}`);
  }
  const { issued, old } = replaced;
  print(terminal, { json }, { ...issued, replaces: old }, () => `${issued.token}\n`);
  return EXIT.good;
};

/** `90d` → 90. */
const spanOf = (option: string, text: string, unit: 'd' | 'h', most: number): number => {
  const count = Number(/^(\d{1,4})([dh])$/.exec(text)?.[2] === unit ? text.slice(0, -1) : Number.NaN);
  if (!(count >= (unit === 'd' ? 1 : 0) && count <= most)) {
    throw new Misuse(`${option} must be ${unit === 'd' ? 'days from 1d' : 'hours from 0h'} to ${most}${unit}`);
  }
  return count;
};
