import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Pool } from 'pg';
import { Failure, messageOf } from '../engine/failure.ts';
import { MIGRATIONS, stateFolder } from '../platform/processes/records.ts';
import { keepSecrets } from '../platform/processes/secrets.ts';
import { findUnknownKeys, STANDING } from '../platform/records/reseal.ts';
import { type Restored, restore } from '../platform/records/restore.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, print } from './command.ts';
import { COMPANION_MIGRATIONS, sealerOf, withDatabase, withFleet, withRecords } from './records.ts';

interface Options extends JsonOption {
  readonly resume?: boolean;
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Reads a backup into an empty home, or the empty database of DATABASE_URL. Dispatches that were under way are ' +
        'held, as they may have been carried out since.',
    )
    .argument('<file>', 'what waybill backup wrote')
    .option('--resume', 'go on with what was under way: no server has worked on it since the backup')
    .option(...JSON_OPTION);
  act(command, async (named: string, { resume = false, json }: Options) => {
    const file = resolve(terminal.cwd, named);
    if (!existsSync(file)) throw new Misuse(`there is no ${named}`);
    const { heading, rows, held } = await withDatabase(
      terminal,
      { isMade: false },
      async ({ isOwn, listenUrl }, config): Promise<Restored> => {
        const into = { databaseUrl: listenUrl, folder: MIGRATIONS, beside: COMPANION_MIGRATIONS, resumes: resume };
        const check = async ({ secrets }: Restored['heading']): Promise<void> =>
          isOwn ? await keepSecrets(stateFolder(config), secrets) : undefined;
        return await unpack(file, async (lines) => await restore({ ...into, lines, check }));
      },
    );
    const sealer = await sealerOf(terminal);
    const find = async (pool: Pool) => await findUnknownKeys(pool, sealer, await withFleet(pool, STANDING));
    const unknown = [...(await withRecords(terminal, find)).keys()];
    const { version, madeAt } = heading;
    print(terminal, { json }, { version, madeAt, rows, held, unknownKeys: unknown }, () =>
      [
        `${rows} rows of ${madeAt}, by Waybill ${version}\n`,
        ...(held === 0 ? [] : [`${held} dispatches are held: GET /admin/dispatches/held\n`]),
        ...unknown.map((name) => `secrets of the records are sealed with key ${name}: set WAYBILL_SECRET_KEY to it\n`),
      ].join(''),
    );
    return unknown.length > 0 ? EXIT.findings : EXIT.good;
  });
};

const unpack = async (file: string, use: (lines: AsyncIterable<string>) => Promise<Restored>): Promise<Restored> => {
  try {
    return await pipeline(createReadStream(file), createGunzip(), async (bytes) => await use(linesOf(bytes)));
  } catch (thrown) {
    const isOfFile = String((thrown as NodeJS.ErrnoException).code).startsWith('Z_');
    if (!isOfFile) throw thrown;
    throw new Failure(`${file} cannot be unpacked: ${messageOf(thrown)}`, { code: 'backup_broken', cause: thrown });
  }
};

/** By line feeds alone: rows may hold what else ends a line for some. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let begun: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
    begun.push(first);
    for (const next of more) {
      yield begun.join('');
      begun = [next];
    }
  }
}
