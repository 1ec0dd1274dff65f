/** Signing in and out with a browser: a session stands for the token it was begun with. */
import { Type } from 'typebox';
import { beginSession, endSession, listSessions, type SessionEntry } from '../records/sessions.ts';
import { ROLES } from '../records/tokens.ts';
import { csrfTokenOf, operatorOf, sessionOf, sessionSubject, sessionTextOf } from './bearer.ts';
import { cookieHeader, cookieNameOf } from './cookies.ts';
import { notFound, ok, wrong } from './http-answer.ts';
import { ANY, listsOf, TIME } from './lists.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const AREA = { auth: 'admin', tag: 'Admin' } as const;
const SessionView = Type.Object({
  actor: Type.String({ description: '`admin` or `operator:<name>`, as in the audit log.' }),
  role: Type.Enum([...ROLES]),
  id: Type.Optional(Type.String({ description: 'Of a session, as it is listed.' })),
  csrfToken: Type.Optional(Type.String({ description: 'Of a session: `X-CSRF-Token` of all its requests but GET.' })),
});
const Entry = Type.Object({ ...f.texts('id', 'actor'), createdAt: f.instant(), expiresAt: f.instant() });
const Ended = Type.Object({ ended: Type.Literal(true) });

export const addSessionRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const { pool, nowMs } = deps;
  route('POST /admin/session', {
    id: 'signIn',
    role: 'read',
    summary: 'Begin a session in a browser, with an operator’s token',
    description:
      'Its cookie stands for the token until an hour without use, twelve in all, or the end of the token. What brings ' +
      '`X-Waybill-Poll` is no use of it.',
    reply: [SessionView, 'With the cookie of the session.'],
    handle: async ({ request, actor }) => {
      const subject = sessionSubject(deps, request);
      if (subject === undefined) return wrong('Authorization is required: a session does not begin another');
      const { role } = await operatorOf(deps, request);
      const text = await beginSession(pool, actor, subject, nowMs());
      return ok({ actor, role, ...shown(text) }, { 'Set-Cookie': cookieHeader(deps, cookieNameOf(deps), text) });
    },
  });
  route('GET /admin/session', {
    id: 'readSession',
    role: 'read',
    summary: 'Who asks, and what they may',
    reply: [SessionView, 'As the token or session says.'],
    handle: async ({ request }) => {
      const { actor, role } = await operatorOf(deps, request);
      const text = sessionTextOf(deps, request);
      return ok({ actor, role, ...(text === undefined ? {} : shown(text)) });
    },
  });
  route('DELETE /admin/session', {
    id: 'signOut',
    role: 'read',
    summary: 'End the session that asks',
    reply: [Ended, 'It is nobody’s now.'],
    handle: async ({ request, actor }) => {
      const session = await sessionOf(deps, request);
      if (session === undefined) return wrong('The request brings no session');
      await endSession(pool, session.id, actor);
      return ok({ ended: true }, { 'Set-Cookie': cookieHeader(deps, cookieNameOf(deps), '', { maxAgeS: 0 }) });
    },
  });
  listsOf(
    scope,
    deps,
    AREA,
  )('GET /admin/sessions', {
    id: 'listSessions',
    summary: 'Sessions in browsers that have not ended, the newest first',
    entry: Entry,
    place: [({ createdAt, id }: SessionEntry) => [createdAt.toISOString(), id], TIME, ANY],
    read: async ({ after, limit }) => await listSessions(pool, { now: new Date(nowMs()), after, limit }),
    show: (session) => f.viewOf(Entry, session),
  });
  route('DELETE /admin/sessions/:id', {
    id: 'endSession',
    role: 'administer',
    summary: 'End anybody’s session',
    path: Type.Object({ id: f.filled(20) }),
    reply: [Ended, 'It is nobody’s now.'],
    errors: [404],
    handle: async ({ path, actor }) =>
      (await endSession(pool, path.id, actor))
        ? ok({ ended: true })
        : notFound('There is no such session', 'unknown_session'),
  });
};

/** What pages may know of a session. */
const shown = (text: string) => ({ id: text.split('.')[0], csrfToken: csrfTokenOf(text) });
