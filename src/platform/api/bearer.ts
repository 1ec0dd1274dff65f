import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findSession, type Session, type SessionOf } from '../records/sessions.ts';
import { type Bearer, findBearer, idOfToken, type Role, ROLES } from '../records/tokens.ts';
import { isSameSecret, sha256 } from '../../engine/digest.ts';
import type { CodeOf } from '../../engine/error-codes.ts';
import { cookieNameOf, readCookie } from './cookies.ts';
import type { ApiDeps } from './deps.ts';
import { forbidden, Refused, tooManyRequests, unauthorized } from './http-answer.ts';
import { sourceOf, type Taken } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    bearer: Bearer | undefined;
    /** Who answers for what it costs, where that is not its address: the token it brings, or a carrier that is known there. */
    party: string | undefined;
    /** Who asks, as the audit log names it. */
    actor: string | undefined;
  }
}

export type ShipperBearer = Extract<Bearer, { kind: 'shipper' }>;

const BEARER = /^Bearer +(\S{1,500}) *$/i;

const tokenOf = ({ headers }: FastifyRequest): string | undefined => BEARER.exec(headers.authorization ?? '')?.[1];

/** Goes on, or throws the 429. */
export const grant = (taken: Taken, message: string, code?: CodeOf<429>): void => {
  if (!taken.ok) throw new Refused(tooManyRequests(message, taken.retryAfterMs, code));
};

const refuseToken = ({ limits }: ApiDeps, request: FastifyRequest): never => {
  const isGiven = request.headers.authorization !== undefined;
  if (isGiven) grant(limits.wrongTokens.take(sourceOf(request.ip)), ...TOO_MANY_WRONG);
  throw new Refused(unauthorized(isGiven));
};
const TOO_MANY_WRONG = ['Too many tokens that are not valid came from your address', 'wrong_tokens'] as const;

/**
 * Whose token a request brings, or 401. An address from which many wrong ones came gets 429 for whatever is not known
 * here as right already, before the records are asked.
 */
const knownBearer = async (deps: ApiDeps, request: FastifyRequest) => {
  const { limits, nowMs } = deps;
  const token = tokenOf(request);
  if (token === undefined) return refuseToken(deps, request);
  const key = hash('sha256', token, 'base64');
  if (!limits.provenTokens.has(key)) grant(limits.wrongTokens.look(sourceOf(request.ip)), ...TOO_MANY_WRONG);
  const bearer = await findBearer(deps.pool, token, new Date(nowMs()));
  if (bearer === undefined) return refuseToken(deps, request);
  limits.provenTokens.add(key);
  request.party = key;
  return { bearer, key };
};

/** As `knownBearer`, within the limits of the token: else 429. */
export const bearerOf = async (deps: ApiDeps, request: FastifyRequest, reply: FastifyReply): Promise<Bearer> => {
  const { bearer, key } = await knownBearer(deps, request);
  // A carrier's as well: many never send again what was refused, but none pushes that much, and who has a leaked token would.
  const taken = deps.limits.requests.take(key);
  reply.headers(rateLimitHeaders(taken));
  grant(taken, 'Too many requests with this token');
  return bearer;
};

const rateLimitHeaders = ({ bucket }: Taken): Readonly<Record<string, string>> =>
  bucket === undefined
    ? {}
    : {
        'RateLimit-Limit': String(bucket.size),
        'RateLimit-Remaining': String(Math.floor(bucket.level)),
        'RateLimit-Reset': String(Math.ceil(bucket.fullInMs / 1_000)),
      };

type Guard = (deps: ApiDeps) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Hook: whose request it is, or 401; 403 for a token of another kind. */
export const requireShipper: Guard = (deps) => async (request, reply) => {
  const bearer = await bearerOf(deps, request, reply);
  if (bearer.kind !== 'shipper') throw new Refused(forbidden('This token is not a shipper’s'));
  request.bearer = bearer;
  request.actor = `shipper:${bearer.code}`;
};

/** Hook: the carrier that the path names, or 401; 403 for any other's token. */
export const requireCarrier: Guard = (deps) => async (request, reply) => {
  const bearer = await bearerOf(deps, request, reply);
  const { carrierCode } = request.params as { readonly carrierCode?: string };
  if (bearer.kind !== 'carrier' || bearer.code !== carrierCode)
    throw new Refused(forbidden(`This token is not one of carrier ${carrierCode?.slice(0, 100)}`));
  request.bearer = bearer;
};

/** Hook: an operator with this role or one above it, or 401; 403 with one below. */
export const requireOperator =
  (deps: ApiDeps, role: Role) =>
  async (request: FastifyRequest): Promise<void> => {
    const operator = await operatorOf(deps, request);
    if (ROLES.indexOf(operator.role) < ROLES.indexOf(role)) {
      const who = operator.actor.replace(':', ' ');
      throw new Refused(forbidden(`This takes the role ${role}, and ${who} has ${operator.role}`));
    }
    request.actor = operator.actor;
  };

/** The operator that a request proves to be, by a token or by the session of a browser, or 401. */
export const operatorOf = async (deps: ApiDeps, request: FastifyRequest): Promise<Pick<Session, 'actor' | 'role'>> => {
  const session = await sessionOf(deps, request);
  if (session !== undefined) return session;
  if (isAdmin(deps, request)) return { actor: 'admin', role: 'administer' };
  const { bearer } = await knownBearer(deps, request);
  return bearer.kind === 'operator'
    ? { actor: `operator:${bearer.code}`, role: bearer.role }
    : refuseToken(deps, request);
};

/**
 * A browser's session, where the request brings no token. What changes anything has to prove that a page of ours sends
 * it, as a browser adds the cookie to whatever asks us: else 403.
 */
export const sessionOf = async (deps: ApiDeps, request: FastifyRequest): Promise<Session | undefined> => {
  const text = sessionTextOf(deps, request);
  if (text === undefined) return undefined;
  const { limits } = deps;
  const key = hash('sha256', text, 'base64');
  const source = sourceOf(request.ip);
  if (!limits.provenTokens.has(key)) grant(limits.wrongTokens.look(source), ...TOO_MANY_WRONG);
  const admins = deps.adminTokens.map((one) => sha256(one));
  const session = await findSession(deps.pool, text, deps.nowMs(), {
    isAdmin: (hash) => admins.some((one) => one.equals(hash)),
    isPoll: request.headers['x-waybill-poll'] !== undefined,
  });
  if (session === undefined) {
    grant(limits.wrongTokens.take(source), ...TOO_MANY_WRONG);
    return undefined;
  }
  limits.provenTokens.add(key);
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (!isReading && !isSameSecret(String(request.headers['x-csrf-token'] ?? ''), csrfTokenOf(text)))
    throw new Refused(forbidden('X-CSRF-Token is not that of the session', 'csrf_token'));
  return session;
};

/** What pages of ours send with all that changes anything; who sees it learns nothing of the session's own secret. */
export const csrfTokenOf = (text: string): string => hash('sha256', `csrf ${text}`, 'base64url');

/** Of a request that brings no token. */
export const sessionTextOf = (deps: ApiDeps, request: FastifyRequest): string | undefined =>
  request.headers.authorization === undefined ? readCookie(cookieNameOf(deps), request) : undefined;

/** Goes on with a sign-in that brings no token, or throws the 429. */
export const grantSignIn = ({ limits }: ApiDeps, { ip }: FastifyRequest): void =>
  grant(limits.wrongTokens.look(sourceOf(ip)), ...TOO_MANY_WRONG);
/** Counts it as a wrong token. */
export const refuseSignIn = ({ limits }: ApiDeps, { ip }: FastifyRequest): void =>
  grant(limits.wrongTokens.take(sourceOf(ip)), ...TOO_MANY_WRONG);

/** What a session that is begun by the token of a request stands for. */
export const sessionSubject = (deps: ApiDeps, request: FastifyRequest): SessionOf | undefined => {
  const token = tokenOf(request);
  if (token === undefined) return undefined;
  return isAdmin(deps, request) ? { adminHash: sha256(token) } : { tokenId: idOfToken(token) ?? '' };
};

const isAdmin = (deps: ApiDeps, request: FastifyRequest): boolean => {
  const token = tokenOf(request);
  // All are compared, so that the time does not say which.
  return token !== undefined && deps.adminTokens.filter((one) => isSameSecret(token, one)).length > 0;
};

export const shipperOf = ({ bearer }: FastifyRequest): ShipperBearer => {
  if (bearer?.kind !== 'shipper') throw new Error('the route has no requireShipper hook');
  return bearer;
};
