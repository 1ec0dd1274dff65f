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
  const blobs = listed.split('\0').flatMap((entry) => {
    const [, object, path] = /^100\d{3} blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    return object === undefined || path === undefined ? [] : [{ object, path: path.slice(prefix.length) }];
  });
  const contents = git(home, ['cat-file', '--batch'], blobs.map(({ object }) => `${object}\n`).join(''));
  if (contents === undefined) throw new Failure(`the files of ${commit} cannot be read`, { code: 'git_failed' });
  return Object.fromEntries(textsOf(contents).map((text, at) => [blobs[at]?.path ?? '', text]));
};

/** `<object> blob <size>\n<content>\n`, one after the other. */
const textsOf = (batch: Buffer): string[] => {
  const texts: string[] = [];
  for (let at = 0; at < batch.byteLength;) {
    const end = batch.indexOf('\n', at);
    const size = Number(batch.toString('utf8', at, end).split(' ')[2]);
    texts.push(batch.toString('utf8', end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
  return texts;
};
