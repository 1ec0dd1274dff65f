import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Failure } from '../../engine/failure.ts';

const run = promisify(execFile);
const NAME = 'postgres';

/** The user a process is started as; its fields are those of `child_process.spawn`. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The account PostgreSQL has to run as: none (our own) for an ordinary user. PostgreSQL refuses to run as root,
 * so root gets the owner of an existing data folder, else the `postgres` user, which is created when missing.
 */
export async function accountFor(dataFolder: string): Promise<Account | undefined> {
  const own = process.getuid?.();
  const owner = await stat(dataFolder).catch(() => undefined);
  if (own !== 0) {
    if (owner !== undefined && owner.uid !== own) {
      throw new Failure(`The data folder ${dataFolder} belongs to another user (uid ${owner.uid})`, {
        code: 'embedded_postgres_not_ours',
        help: 'Run Waybill as the user that created it, or as root, or set DATABASE_URL.',
      });
    }
    return undefined;
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await find()) ?? (await create());
}

/** Whether `account` can enter `folder`. Asked of the system itself, as modes alone do not tell (ACLs, mounts). */
export async function canEnter(account: Account | undefined, folder: string): Promise<boolean> {
  if (account === undefined) return true;
  return run('/bin/sh', ['-c', 'cd "$0"', folder], { ...account, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

async function find(): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', NAME]), run('id', ['-g', NAME])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function create(): Promise<Account> {
  const ways: readonly (readonly [string, readonly string[]])[] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', NAME]],
    ['useradd', ['--system', '--gid', NAME, '--no-create-home', '--shell', '/bin/false', NAME]],
    ['adduser', ['-S', '-D', '-H', '-s', '/bin/false', NAME]],
  ];
  let cause: unknown;
  for (const [command, args] of ways) {
    try {
      await run(command, args);
    } catch (error) {
      cause ??= error;
      continue;
    }
    const account = await find();
    if (account !== undefined) return account;
  }
  throw new Failure('PostgreSQL cannot run as root, and the user "postgres" could not be created', {
    code: 'embedded_postgres_account',
    help: 'Create a user "postgres", run Waybill as an ordinary user, or set DATABASE_URL.',
    cause,
  });
}
