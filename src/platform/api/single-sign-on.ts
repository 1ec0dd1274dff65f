/**
 * Signing in to the console at the organisation's identity provider: OpenID Connect, authorization code with PKCE. What
 * has to be the same when the browser comes back is kept in a cookie of that browser, not here.
 */
import type { FastifyReply } from 'fastify';
import type { Configuration } from 'openid-client';
import { Type } from 'typebox';
import { messageOf } from '../../engine/failure.ts';
import { isMap } from '../../engine/value.ts';
import { beginSession } from '../records/sessions.ts';
import { type Role, ROLES } from '../records/tokens.ts';
import { grantSignIn, refuseSignIn } from './bearer.ts';
import { cookieHeader, cookieNameOf, isLocal, readCookie } from './cookies.ts';
import type { IdentityProvider } from './deps.ts';
import { ok } from './http-answer.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const BEGIN = '/console/sign-in';
const END = `${BEGIN}/done`;
/** For signing in there, with a second factor that has to be looked for. */
const WITHIN_S = 600;
const TIMEOUT_S = 10;

/** Why nobody was signed in, as the console has it in its address. */
type Trouble = 'expired' | 'denied' | 'no-role' | 'unavailable';

export const addSingleSignOnRoutes: AddRoutes = (scope, deps) => {
  const { pool, nowMs, log, publicUrl, identityProvider: provider } = deps;
  routesOf(scope, deps, { auth: 'nobody', tag: 'Admin' })('GET /admin/session/ways', {
    id: 'listSignInWays',
    summary: 'How a browser may sign in, beside with an operator’s token',
    reply: [
      Type.Object({ singleSignOn: Type.Optional(f.filled(200, 'Where it is sent to the identity provider.')) }),
      'None is given that this server is not configured for.',
    ],
    handle: () => ok(provider === undefined ? {} : { singleSignOn: BEGIN }),
  });
  if (provider === undefined) return;

  const configuration = discoverOnce(provider);
  const doneUrl = new URL(END, publicUrl).href;
  const cookieName = cookieNameOf(deps, '-sign-in');
  const keep = (text: string, maxAgeS: number): string =>
    cookieHeader(deps, cookieName, text, { maxAgeS, sameSite: 'Lax' });
  const goBack = (reply: FastifyReply, trouble: Trouble, error?: unknown): FastifyReply => {
    // Its message alone: the cause may hold the provider's answer, with tokens.
    log.warn({ trouble, ...(error !== undefined && { error: messageOf(error) }) }, 'single sign-on let nobody in');
    return goTo(reply, `/console?trouble=${trouble}`, keep('', 0));
  };

  scope.get<{ Querystring: { to?: unknown } }>(BEGIN, { schema: { hide: true } }, async (request, reply) => {
    grantSignIn(deps, request);
    try {
      const { randomState, randomNonce, randomPKCECodeVerifier, ...client } = await import('openid-client');
      const kept = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const url = client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: doneUrl,
        scope: 'openid profile email',
        state: kept.state,
        nonce: kept.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(kept.verifier),
        code_challenge_method: 'S256',
      });
      const to = placeOf(request.query.to);
      return goTo(reply, url.href, keep(Buffer.from(JSON.stringify({ ...kept, to })).toString('base64url'), WITHIN_S));
    } catch (error) {
      return goBack(reply, 'unavailable', error);
    }
  });

  scope.get(END, { schema: { hide: true } }, async (request, reply) => {
    grantSignIn(deps, request);
    const kept = keptIn(readCookie(cookieName, request));
    const { search, searchParams } = new URL(request.url, publicUrl);
    if (kept === undefined || searchParams.get('state') !== kept.state) {
      // Without the cookie it may be anybody's page that leads here: that is no try of whoever looks at it.
      if (kept !== undefined) refuseSignIn(deps, request);
      return goBack(reply, 'expired');
    }
    let claims;
    try {
      const { authorizationCodeGrant } = await import('openid-client');
      const tokens = await authorizationCodeGrant(await configuration(), new URL(`${doneUrl}${search}`), {
        expectedState: kept.state,
        expectedNonce: kept.nonce,
        pkceCodeVerifier: kept.verifier,
        idTokenExpected: true,
      });
      claims = tokens.claims();
    } catch (error) {
      refuseSignIn(deps, request);
      return goBack(reply, searchParams.has('error') ? 'denied' : 'unavailable', error);
    }
    const role = roleOf(claims?.[provider.claim], provider);
    if (claims === undefined || role === undefined) {
      refuseSignIn(deps, request);
      return goBack(reply, 'no-role');
    }
    const text = await beginSession(pool, `sso:${nameOf(claims)}`, { role }, nowMs());
    return goTo(reply, `/console${kept.to}`, keep('', 0), cookieHeader(deps, cookieNameOf(deps), text));
  });
};

const goTo = (reply: FastifyReply, place: string, ...cookies: string[]): FastifyReply =>
  reply.code(302).headers({ Location: place, 'Set-Cookie': cookies, 'Cache-Control': 'no-store' }).send();

/** Asks the provider for its endpoints when they are first needed, and again only if that failed. */
const discoverOnce = ({ issuer, clientId, clientSecret }: IdentityProvider): (() => Promise<Configuration>) => {
  let found: Promise<Configuration> | undefined;
  const discover = async (): Promise<Configuration> => {
    const client = await import('openid-client');
    return await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: TIMEOUT_S,
      execute: [client.enableNonRepudiationChecks, ...(isLocal(issuer) ? [client.allowInsecureRequests] : [])],
    });
  };
  return async () => {
    found ??= discover();
    return await found.catch((thrown: unknown) => {
      found = undefined;
      throw thrown;
    });
  };
};

/** The highest of the groups' roles. */
export const roleOf = (groups: unknown, { roles }: Pick<IdentityProvider, 'roles'>): Role | undefined => {
  const own = [groups].flat().map((group) => (typeof group === 'string' ? roles.get(group) : undefined));
  return ROLES.findLast((role) => own.includes(role));
};

const NAME_MAX = 200;
/** As the audit log names them. A mail address counts only if the provider has seen that it is theirs. */
const nameOf = (claims: Readonly<Record<string, unknown>>): string => {
  const { email, email_verified: isVerified, sub } = claims;
  const name = typeof email === 'string' && isVerified === true ? email : String(sub);
  return name.replaceAll(/[^\p{L}\p{N}.@_+-]/gu, '_').slice(0, NAME_MAX);
};

const PLACE_MAX = 500;
/** Each part begins with its slash, so that no text takes long to be refused. */
const PLACE = /^(?:\/[\w.~%-]+)*\/?(?:\?[\w.~%=&-]*)?$/;
/** A place of the console, or its first page. */
const placeOf = (to: unknown): string => (typeof to === 'string' && to.length <= PLACE_MAX && PLACE.test(to) ? to : '');

interface Kept {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly to: string;
}

const keptIn = (cookie: string | undefined): Kept | undefined => {
  try {
    const kept: unknown = JSON.parse(Buffer.from(cookie ?? '', 'base64url').toString());
    if (!isMap(kept)) return undefined;
    const { state, nonce, verifier, to } = kept;
    const isWhole = [state, nonce, verifier].every((one) => typeof one === 'string' && one !== '');
    return isWhole ? ({ state, nonce, verifier, to: placeOf(to) } as Kept) : undefined;
  } catch {
    return undefined;
  }
};
