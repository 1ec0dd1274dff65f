import { Option } from 'commander';
import type { Pool } from 'pg';
import type { EnvironmentName } from '../profile/carrier.ts';
import { type AddCommand, GOOD, Misuse, type Terminal, writeJson } from './command.ts';
import { withRecords } from './records.ts';

interface Options {
  readonly environment?: EnvironmentName;
  readonly json?: boolean;
}

export const addToken: AddCommand = (program, terminal, ran) => {
  program
    .command('token')
    .summary('issue a token')
    .description(
      'Issues a token of a shipper or a carrier and prints it: this once, for only its hash is kept. ' +
        'The records are those of DATABASE_URL, else the built-in ones of WAYBILL_HOME.',
    )
    .addArgument(program.createArgument('<kind>', 'whose').choices(['shipper', 'carrier']))
    .argument('<code>', 'code of the shipper or carrier')
    .addOption(
      new Option(
        '--environment <name>',
        'of a shipper: production unless said; of a carrier: both unless said',
      ).choices(['production', 'sandbox']),
    )
    .option('--json', 'one JSON object instead of text')
    .action(async (kind: 'shipper' | 'carrier', code: string, options: Options) => {
      const token = await withRecords(terminal, async (pool) =>
        kind === 'shipper'
          ? await issueForShipper(pool, code, options)
          : await issueForCarrier(pool, code, options, terminal),
      );
      if (options.json === true) writeJson(terminal, { kind, code, environment: options.environment ?? null, token });
      else terminal.out(`${token}\n`);
      ran(GOOD);
    });
};

const issueForShipper = async (pool: Pool, code: string, { environment }: Options): Promise<string> => {
  const { findShipper } = await import('../store/shippers.ts');
  const { issueShipperToken } = await import('../store/tokens.ts');
  const shipper = await findShipper(pool, code);
  if (shipper === undefined) {
    throw new Misuse(`there is no shipper "${code}": create one with POST /admin/shippers`);
  }
  return await issueShipperToken(pool, shipper.id, environment ?? 'production');
};

const issueForCarrier = async (
  pool: Pool,
  code: string,
  { environment }: Options,
  terminal: Terminal,
): Promise<string> => {
  const { chooseCodes, codesOfHome, homeOf, homesOf } = await import('./home.ts');
  chooseCodes([code], codesOfHome(homesOf(terminal)), homeOf(terminal));
  const { issueCarrierToken } = await import('../store/tokens.ts');
  return await issueCarrierToken(pool, code, environment);
};
