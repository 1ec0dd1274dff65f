import { type Command, Option } from 'commander';
import type { EnvironmentName } from '../engine/profile/carrier.ts';
import { transaction } from '../platform/records/pool.ts';
import {
  type Bearer,
  issueToken,
  listTokens,
  replaceToken,
  revokeToken,
  type Role,
  ROLES,
  type TokenEntry,
  OPERATOR_NAME,
} from '../platform/records/tokens.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print, type Terminal } from './command.ts';
import { chooseCodes } from './home.ts';
import { requireShipper, withRecords } from './records.ts';

interface IssueOptions extends JsonOption {
  readonly environment?: EnvironmentName;
  readonly expires?: string;
  readonly role?: Role;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const LIST_MAX = 10_000;

const environments = (unset: string): Option =>
  new Option('--environment <name>', `default: ${unset}`).choices(['production', 'sandbox']);

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command.description(
    'Manages tokens of shippers, carriers and operators. A new token is printed only once: only its hash is stored. ' +
      'The database is that of DATABASE_URL, else the embedded one of WAYBILL_HOME.',
  );
  const subcommand = (usage: string, summary: string): Command =>
    command
      .command(usage)
      .summary(summary)
      .option(...JSON_OPTION);
  const roles = new Option('--role <role>', 'what the operator may do').choices(ROLES).makeOptionMandatory();
  for (const [kind, usage, option] of [
    ['shipper', 'shipper <code>', environments('production')],
    ['carrier', 'carrier <code>', environments('both')],
    ['operator', 'operator <name>', roles],
  ] as const) {
    const issuing = subcommand(usage, `issue a token for a${kind === 'operator' ? 'n' : ''} ${kind}`)
      .addOption(option)
      .option('--expires <days>', 'lifetime, such as 90d; default: unlimited');
    act(issuing, async (code: string, options: IssueOptions) => await issue(terminal, kind, code, options));
  }
  const listing = subcommand('list', 'list tokens, newest first, without their secrets')
    .option('--shipper <code>', 'only tokens of this shipper')
    .option('--carrier <code>', 'only tokens of this carrier')
    .option('--operator <name>', 'only tokens of this operator');
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
  kind: Bearer['kind'],
  code: string,
  { environment, expires, role = 'read', json }: IssueOptions,
): Promise<number> => {
  const now = new Date();
  const days = expires === undefined ? undefined : spanOf('--expires', expires, 'd', 3_650);
  const expiresAt = days === undefined ? undefined : new Date(now.getTime() + days * DAY_MS);
  const issued = await withRecords(terminal, async (pool) => {
    const ownerOf = async (): Promise<Bearer> => {
      if (kind === 'operator') return { kind, code: checked(code), role };
      if (kind === 'carrier') {
        chooseCodes([code], terminal);
        return { kind, code, environment };
      }
      const { id } = await requireShipper(pool, code, ': create one with POST /admin/shippers');
      return { kind, shipperId: id, code, environment: environment ?? 'production' };
    };
    const owner = await ownerOf();
    const by = { actor: 'command', now, expiresAt };
    return await transaction(pool, async (client) => await issueToken(client, owner, by));
  });
  const value = { kind, code, ...(kind === 'operator' ? { role } : { environment: environment ?? null }), ...issued };
  print(terminal, { json }, value, () => `${issued.token}\n`);
  return EXIT.good;
};

interface ListOptions extends JsonOption {
  readonly shipper?: string;
  readonly carrier?: string;
  readonly operator?: string;
}

const list = async (terminal: Terminal, { json, ...whose }: ListOptions): Promise<number> => {
  const [kind, ...others] = (['shipper', 'carrier', 'operator'] as const).filter((one) => whose[one] !== undefined);
  if (others.length > 0) throw new Misuse(`--${kind} or --${others.join(' or --')}: only one of them`);
  const wanted = { kind, code: kind && whose[kind], limit: LIST_MAX };
  const tokens = await withRecords(terminal, async (pool) => await listTokens(pool, wanted, new Date()));
  print(terminal, { json }, { tokens }, () => tokens.map((entry) => `${lineOf(entry)}\n`).join(''));
  return EXIT.good;
};

const lineOf = ({ id, kind, code, environment, role, state, expiresAt, replacedBy }: TokenEntry): string =>
  [
    id.padEnd(12),
    kind,
    code,
    role ?? environment ?? 'both',
    state,
    ...(expiresAt === undefined ? [] : [`${state === 'expired' ? 'since' : 'until'} ${expiresAt.toISOString()}`]),
    ...(replacedBy === undefined ? [] : [`replaced by ${replacedBy}`]),
  ].join('  ');

const checked = (name: string): string => {
  if (OPERATOR_NAME.test(name)) return name;
  throw new Misuse(`"${name}" is no name of an operator: letters, digits and ._@+-, 100 at most`);
};

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
