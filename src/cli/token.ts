import { Option, type Command } from 'commander';
import type { EnvironmentName } from '../engine/profile/carrier.ts';
import type { TokenEntry, TokenOwner } from '../platform/records/tokens.ts';
import { type AddCommand, GOOD, Misuse, type Terminal, writeJson } from './command.ts';
import { withRecords } from './records.ts';

interface Json {
  readonly json?: boolean;
}

interface Issuing extends Json {
  readonly environment?: EnvironmentName;
  readonly expires?: string;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const JSON_OPTION = ['--json', 'one JSON object instead of text'] as const;

export const addToken: AddCommand = (program, terminal, ran) => {
  const token = program
    .command('token')
    .summary('issue, list, rotate and revoke tokens')
    .description(
      'Tokens of shippers and carriers. A new one is printed this once, for only its hash is kept. ' +
        'The records are those of DATABASE_URL, else the built-in ones of WAYBILL_HOME.',
    );
  for (const kind of ['shipper', 'carrier'] as const) {
    token
      .command(`${kind} <code>`)
      .summary(`issue a token of a ${kind}`)
      .addOption(
        new Option('--environment <name>', kind === 'shipper' ? 'production unless said' : 'both unless said').choices([
          'production',
          'sandbox',
        ]),
      )
      .option('--expires <days>', 'such as 90d; never unless said')
      .option(...JSON_OPTION)
      .action(async (code: string, options: Issuing) => {
        await issue(terminal, kind, code, options);
        ran(GOOD);
      });
  }
  addList(token, terminal, ran);
  addRotate(token, terminal, ran);
  addRevoke(token, terminal, ran);
};

const issue = async (terminal: Terminal, kind: 'shipper' | 'carrier', code: string, options: Issuing) => {
  const { environment, expires, json } = options;
  const now = new Date();
  const days = expires === undefined ? undefined : spanOf('--expires', expires, 'd', 3_650);
  const expiresAt = days === undefined ? undefined : new Date(now.getTime() + days * DAY_MS);
  const { issueToken } = await import('../platform/records/tokens.ts');
  const { findShipper } = await import('../platform/records/shippers.ts');
  const issued = await withRecords(terminal, async (pool) => {
    if (kind === 'carrier') await requireCarrier(terminal, code);
    const shipperOf = async (): Promise<TokenOwner> => {
      const shipper = await findShipper(pool, code);
      if (shipper === undefined) {
        throw new Misuse(`there is no shipper "${code}": create one with POST /admin/shippers`);
      }
      return { kind: 'shipper', shipperId: shipper.id, code, environment: environment ?? 'production' };
    };
    const owner = kind === 'shipper' ? await shipperOf() : ({ kind: 'carrier', code, environment } as const);
    return await issueToken(pool, owner, { actor: 'command', now, expiresAt });
  });
  if (json === true) writeJson(terminal, { kind, code, environment: environment ?? null, ...issued });
  else terminal.out(`${issued.token}\n`);
};

const requireCarrier = async (terminal: Terminal, code: string): Promise<void> => {
  const { chooseCodes, codesOfHome, homeOf, homesOf } = await import('./home.ts');
  chooseCodes([code], codesOfHome(homesOf(terminal)), homeOf(terminal));
};

type Ran = Parameters<AddCommand>[2];

const addList = (token: Command, terminal: Terminal, ran: Ran): void => {
  token
    .command('list')
    .summary('tokens, the newest first; never their secrets')
    .option('--shipper <code>', 'of this shipper only')
    .option('--carrier <code>', 'of this carrier only')
    .option(...JSON_OPTION)
    .action(async ({ shipper, carrier, json }: Json & { readonly shipper?: string; readonly carrier?: string }) => {
      if (shipper !== undefined && carrier !== undefined) throw new Misuse('--shipper or --carrier, not both');
      const kind = shipper !== undefined ? 'shipper' : carrier !== undefined ? 'carrier' : undefined;
      const { listTokens } = await import('../platform/records/tokens.ts');
      const tokens = await withRecords(
        terminal,
        async (pool) => await listTokens(pool, { kind, code: shipper ?? carrier, limit: LIST_MAX }, new Date()),
      );
      if (json === true) writeJson(terminal, { tokens });
      else terminal.out(tokens.map((entry) => `${lineOf(entry)}\n`).join(''));
      ran(GOOD);
    });
};

const LIST_MAX = 10_000;

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

const addRotate = (token: Command, terminal: Terminal, ran: Ran): void => {
  token
    .command('rotate <id>')
    .summary('issue a token in the place of another, which stays valid for a while')
    .option('--overlap <hours>', 'how long both are valid', '24h')
    .option(...JSON_OPTION)
    .action(async (id: string, { overlap, json }: Json & { readonly overlap: string }) => {
      const overlapMs = spanOf('--overlap', overlap, 'h', 720) * HOUR_MS;
      const { replaceToken } = await import('../platform/records/tokens.ts');
      const replaced = await withRecords(
        terminal,
        async (pool) => await replaceToken(pool, id, { actor: 'command', now: new Date(), overlapMs }),
      );
      if (replaced.kind === 'unknown') throw new Misuse(`there is no token "${id}"`);
      if (replaced.kind === 'ended') {
        const { state, replacedBy } = replaced.old;
        throw new Misuse(
          `the token ${id} ${replacedBy === undefined ? `is ${state}` : `was replaced by ${replacedBy}`}`,
        );
      }
      if (json === true) writeJson(terminal, { ...replaced.issued, replaces: replaced.old });
      else terminal.out(`${replaced.issued.token}\n`);
      ran(GOOD);
    });
};

const addRevoke = (token: Command, terminal: Terminal, ran: Ran): void => {
  token
    .command('revoke <id>')
    .summary('end a token now')
    .option(...JSON_OPTION)
    .action(async (id: string, { json }: Json) => {
      const { revokeToken } = await import('../platform/records/tokens.ts');
      const revoked = await withRecords(
        terminal,
        async (pool) => await revokeToken(pool, id, { actor: 'command', now: new Date() }),
      );
      if (revoked === undefined) throw new Misuse(`there is no token "${id}": waybill token list has their ids`);
      if (json === true) writeJson(terminal, revoked);
      else terminal.out(`${lineOf(revoked)}\n`);
      ran(GOOD);
    });
};

/** `90d` → 90. */
const spanOf = (option: string, text: string, unit: 'd' | 'h', most: number): number => {
  const count = Number(/^(\d{1,4})([dh])$/.exec(text)?.[2] === unit ? text.slice(0, -1) : Number.NaN);
  if (!(count >= (unit === 'd' ? 1 : 0) && count <= most)) {
    throw new Misuse(`${option} must be ${unit === 'd' ? 'days from 1d' : 'hours from 0h'} to ${most}${unit}`);
  }
  return count;
};
