import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { stateFolder } from '../platform/processes/records.ts';
import { keptSecrets } from '../platform/processes/secrets.ts';
import { backUp } from '../platform/records/backup.ts';
import { type DeclareCommand, EXIT, JSON_OPTION, type JsonOption, Misuse, packageVersion, print } from './command.ts';
import { COMPANION_MIGRATIONS, withDatabase } from './records.ts';

interface Options extends JsonOption {
  readonly secrets: boolean;
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Writes all records, as they are at one moment, to a file, while a server may be running. Beside the server’s own ' +
        'database, the key and admin token that it keeps in .waybill/ are part of it, so that the file is a secret.',
    )
    .argument('<file>', 'the backup; it must not exist')
    .option(
      '--no-secrets',
      'leave key and admin token out: keep .waybill/secret-key elsewhere, or nothing sealed can be read',
    )
    .option(...JSON_OPTION);
  act(command, async (named: string, { secrets, json }: Options) => {
    const file = resolve(terminal.cwd, named);
    if (existsSync(file)) throw new Misuse(`${named} is there already`);
    const part = `${file}.part`;
    const has = await withDatabase(terminal, { isMade: true }, async ({ isOwn, listenUrl }, config) => {
      const kept = isOwn && secrets ? await keptSecrets(stateFolder(config)) : {};
      const schemas = Object.keys(COMPANION_MIGRATIONS);
      const lines = Readable.from(backUp(listenUrl, { version: packageVersion(terminal), secrets: kept, schemas }));
      try {
        await rm(part, { force: true });
        await pipeline(lines, createGzip(), createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true }));
        await rename(part, file);
      } finally {
        await rm(part, { force: true });
      }
      return 'secret-key' in kept;
    });
    const { size } = await stat(file);
    print(terminal, { json }, { file, bytes: size, hasSecrets: has }, () => {
      const key = has
        ? 'with the key that opens its secrets: keep it as one'
        : 'without the key that opens its secrets';
      return `${file}: ${size} bytes, ${key}\n`;
    });
    return EXIT.good;
  });
};
