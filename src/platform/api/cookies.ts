/** Cookies of the console: for this origin alone, and out of reach of scripts. */
import type { FastifyRequest } from 'fastify';
import type { ApiDeps } from './deps.ts';

type Server = Pick<ApiDeps, 'publicUrl'>;

/**
 * A browser takes `__Host-` only with `Secure`, for this host alone, and from nobody else. Cookies are of all ports of a
 * host: over plain HTTP the name tells servers of one machine apart. `purpose`: of another one than the session.
 */
export const cookieNameOf = ({ publicUrl }: Server, purpose = ''): string =>
  (publicUrl.startsWith('https:') ? '__Host-waybill' : `waybill-${new URL(publicUrl).port || '80'}`) + purpose;

/** Longer than any that we set. */
const COOKIE_MAX = 2_000;

export const readCookie = (name: string, { headers }: FastifyRequest): string | undefined =>
  headers.cookie
    ?.split(/; */)
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1, name.length + 1 + COOKIE_MAX);

/** `Set-Cookie`. Over plain HTTP only where the server is local; `Lax`: it also comes with a link from elsewhere. */
export const cookieHeader = (
  { publicUrl }: Server,
  name: string,
  text: string,
  { maxAgeS, sameSite = 'Strict' }: { readonly maxAgeS?: number; readonly sameSite?: 'Strict' | 'Lax' } = {},
): string =>
  [
    `${name}=${text}`,
    'Path=/',
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(isLocal(publicUrl) ? [] : ['Secure']),
    ...(maxAgeS === undefined ? [] : [`Max-Age=${maxAgeS}`]),
  ].join('; ');

/** Whether nobody else can listen to what goes there. */
export const isLocal = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && (/^127(\.\d+){3}$/.test(hostname) || hostname === 'localhost' || hostname === '[::1]');
};
