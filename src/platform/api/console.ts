/** The console: its files as they were built, and one page for every place in it. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type HttpAnswer, ok, send } from './http-answer.ts';
import type { AddRoutes } from './route.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../console/dist');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Its own files and this server's answers, and what it makes of these; nothing from elsewhere, and no script in a page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

interface File {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export const addConsoleRoutes: AddRoutes = (scope, deps) => {
  let files: ReadonlyMap<string, File> | undefined;
  const handle = (wanted: string, known: string | undefined): HttpAnswer => {
    files ??= readFiles();
    const file = files.get(wanted) ?? files.get('index.html');
    if (file === undefined) return NOT_BUILT;
    const { body, headers } = file;
    return known === headers['ETag'] ? { ...ok('', headers), status: 304 } : ok(body, headers);
  };
  for (const url of ['/console', '/console/*'])
    scope.get<{ Params: { '*'?: string } }>(url, { schema: { hide: true } }, async ({ params, headers }, reply) =>
      send(reply, handle(params['*'] ?? '', headers['if-none-match']), deps.nowMs()),
    );
};

/** All of it is kept: it is small, and no path of a request ever reaches the disk. */
const readFiles = (): ReadonlyMap<string, File> =>
  new Map(
    globSync('**/*.*', { cwd: FOLDER }).map((name) => {
      const body = readFileSync(path.join(FOLDER, name));
      const headers = {
        'Content-Type': TYPES[path.extname(name)] ?? 'application/octet-stream',
        'Content-Security-Policy': POLICY,
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
