/** Pages as they were built, kept in memory: they are small, and no path of a request ever reaches the disk. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type HttpAnswer, ok } from './http-answer.ts';

const BUILT = path.resolve(import.meta.dirname, '../../../console/dist');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

interface File {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Of a folder of what was built; the first page stands for every place in it. */
export const builtPages = (folder: string, headers: Readonly<Record<string, string>>) => {
  let files: ReadonlyMap<string, File> | undefined;
  return (wanted: string, known: string | undefined): HttpAnswer => {
    files ??= readFiles(path.join(BUILT, folder), headers);
    const file = files.get(wanted) ?? files.get('index.html');
    if (file === undefined) return NOT_BUILT;
    return known === file.headers['ETag'] ? { ...ok('', file.headers), status: 304 } : ok(file.body, file.headers);
  };
};

const readFiles = (folder: string, common: Readonly<Record<string, string>>): ReadonlyMap<string, File> =>
  new Map(
    globSync('**/*.*', { cwd: folder }).map((name) => {
      const body = readFileSync(path.join(folder, name));
      const headers = {
        ...common,
        'Content-Type': TYPES[path.extname(name)] ?? 'application/octet-stream',
        ETag: `"${createHash('sha256').update(body).digest('base64url')}"`,
        // What is named after its content never changes.
        'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      };
      return [name.replaceAll('\\', '/'), { body, headers }];
    }),
  );

const NOT_BUILT: HttpAnswer = {
  ...ok('The console is not built: run `npm run console`, then start the server again.\n', {
    'Content-Type': 'text/plain; charset=utf-8',
  }),
  status: 404,
};
