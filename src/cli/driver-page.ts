/** The driver's page of the own fleet, at /driver: its files, as they were built with the console's. */
import { builtPages } from '../platform/api/built-pages.ts';
import { send } from '../platform/api/http-answer.ts';
import type { Extension } from '../platform/processes/api.ts';

const HEADERS = {
  // Its own files and this server's answers, and pictures that it takes; no script in the page.
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Permissions-Policy': 'camera=(self), geolocation=(self), microphone=()',
  'Referrer-Policy': 'no-referrer',
  // The worker lies in /driver/, its page at /driver.
  'Service-Worker-Allowed': '/driver',
};

export const driverPage: Extension =
  ({ nowMs }) =>
  (scope) => {
    const pages = builtPages('driver', HEADERS);
    for (const url of ['/driver', '/driver/*'])
      scope.get<{ Params: { '*'?: string } }>(url, { schema: { hide: true } }, async ({ params, headers }, reply) =>
        send(reply, pages(params['*'] ?? '', headers['if-none-match']), nowMs()),
      );
  };
