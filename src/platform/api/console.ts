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

/** Draws a carrier's label in a frame of the console, which has no origin: it may ask for its own files, and reaches nothing else. */
const ZPL_HEADERS = {
  'Content-Security-Policy': [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'X-Frame-Options': 'SAMEORIGIN',
  'Access-Control-Allow-Origin': '*',
};

export const addConsoleRoutes: AddRoutes = (scope, deps) => {
  const add = (url: string, pages: ReturnType<typeof builtPages>): void => {
    scope.get<{ Params: { '*'?: string } }>(url, { schema: { hide: true } }, async ({ params, headers }, reply) =>
      send(reply, pages(params['*'] ?? '', headers['if-none-match']), deps.nowMs()),
    );
  };
  const pages = builtPages('console', { 'Content-Security-Policy': POLICY });
  add('/console', pages);
  add('/console/*', pages);
  add('/console/zpl/*', builtPages('zpl', ZPL_HEADERS));
};
