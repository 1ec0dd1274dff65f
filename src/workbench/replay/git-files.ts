/** The files of a home as a commit has them, without touching the work tree. */
import { spawnSync } from 'node:child_process';
import { Failure } from '../../engine/failure.ts';

const OUTPUT_MAX_BYTES = 200_000_000;

const git = (folder: string, args: readonly string[], input?: string): Buffer | undefined => {
  const ran = spawnSync('git', ['-C', folder, ...args], {
    input: input ?? '',
    maxBuffer: OUTPUT_MAX_BYTES,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (ran.error !== undefined) throw new Failure(`git cannot be run: ${ran.error.message}`, { code: 'git_failed' });
  return ran.status === 0 ? ran.stdout : undefined;
};

/** The commit that a ref names; undefined: there is none of that name, or no repository. */
export const findCommit = (home: string, ref: string): string | undefined =>
  git(home, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])
    ?.toString()
    .trim();

/** Path below the home → text, of the folders named. */
export const filesAt = (home: string, commit: string, folders: readonly string[]): Record<string, string> => {
  const prefix = git(home, ['rev-parse', '--show-prefix'])?.toString().trim() ?? '';
  const paths = folders.map((folder) => `${prefix}${folder}`);
  const listed = git(home, ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...paths])?.toString() ?? '';
  const blobs = [...listed.matchAll(/(?<=^|\0)100\d{3} blob ([0-9a-f]+)\t([^\0]*)/g)];
  const batch = git(home, ['cat-file', '--batch'], blobs.map(([, object]) => `${object}\n`).join(''));
  if (batch === undefined) throw new Failure(`the files of ${commit} cannot be read`, { code: 'git_failed' });
  const files: Record<string, string> = {};
  let at = 0;
  // Each is written `<object> blob <size>\n<content>\n`.
  for (const [, , path = ''] of blobs) {
    const begin = batch.indexOf('\n', at) + 1;
    const end = begin + Number(batch.toString('utf8', at, begin).split(' ')[2]);
    files[path.slice(prefix.length)] = batch.toString('utf8', begin, end);
    at = end + 1;
  }
  return files;
};
