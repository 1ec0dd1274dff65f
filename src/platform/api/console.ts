/** The console: one page for every place in it. */
import { builtPages } from './built-pages.ts';
import { send } from './http-answer.ts';
import type { AddRoutes } from './route.ts';

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

export const addConsoleRoutes: AddRoutes = (scope, deps) => {
  const pages = builtPages('.', { 'Content-Security-Policy': POLICY });
  for (const url of ['/console', '/console/*'])
    scope.get<{ Params: { '*'?: string } }>(url, { schema: { hide: true } }, async ({ params, headers }, reply) =>
      send(reply, pages(params['*'] ?? '', headers['if-none-match']), deps.nowMs()),
    );
};
