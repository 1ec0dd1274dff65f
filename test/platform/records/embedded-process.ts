import { startEmbeddedPostgres } from '../../../src/platform/records/embedded.ts';
import { quietLog } from '../../support/log.ts';

/** Starts the server of the folder in its argument, writes its URL, and stays until it is killed or told to end. */
const postgres = await startEmbeddedPostgres({ folder: process.argv[2] ?? '', log: quietLog, fsync: false });
process.stdout.write(`${postgres.databaseUrl}\n`);
process.stdin.once('data', () => {
  void postgres.stop().then(() => process.exit(0));
});
