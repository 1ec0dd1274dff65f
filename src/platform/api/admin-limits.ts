/** For operators: what waits to be done, and carriers' circuit breakers, which all processes share. */
import { Type } from 'typebox';
import { listAccounts } from '../records/accounts.ts';
import { recordAudit } from '../records/audit.ts';
import { listBacklog, QUEUES } from '../records/backlog.ts';
import type { ApiDeps } from './deps.ts';
import { notFound, ok, wrong } from './http-answer.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const Backlog = Type.Object({
  queue: Type.Enum([...QUEUES]),
  carrier: Type.Optional(Type.String()),
  state: Type.String(),
  count: Type.Integer(),
  due: Type.Integer({ description: 'How many could be taken up now.' }),
  oldestDueAt: Type.Optional(f.instant()),
});
const Breaker = Type.Object({
  carrier: Type.String(),
  account: Type.Optional(Type.Integer({ description: 'Where the profile limits each account by itself.' })),
  state: Type.Enum(['closed', 'open', 'kept_open'], {
    description:
      'open: the carrier failed too often in a row, and is tried once in each pause. kept_open: by an operator.',
  }),
  failures: Type.Integer({ description: 'In a row, of all processes.' }),
  lastCallAt: Type.Optional(f.instant()),
  lastGoodCallAt: Type.Optional(f.instant()),
  keptOpenUntil: Type.Optional(f.instant()),
});
const Path = Type.Object({ carrierCode: f.carrierCode() });
const account = Type.Optional(Type.Integer({ minimum: 1 }));
const closed = { additionalProperties: false } as const;
const MINUTES = 60;
const Opening = Type.Object(
  {
    account,
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_440,
        description: `For so long, unless it is closed before (${MINUTES}).`,
      }),
    ),
  },
  closed,
);
const Closing = Type.Object({ account }, closed);

const MINUTE_MS = 60_000;
const ACCOUNTS_MAX = 500;

export const addAdminLimitRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'admin', tag: 'Admin' } as const);
  const { pool, carriers, breakers } = deps;
  route('GET /admin/queues', {
    id: 'listQueues',
    role: 'read',
    summary: 'What waits to be done, by queue, carrier and state',
    reply: [Type.Object({ data: Type.Array(Backlog) }), 'As it is now.'],
    handle: async () => ok({ data: (await listBacklog(pool)).map((one) => f.viewOf(Backlog, one)) }),
  });
  route('GET /admin/breakers', {
    id: 'listBreakers',
    role: 'read',
    summary: 'The carriers’ circuit breakers, as all processes see them',
    reply: [Type.Object({ data: Type.Array(Breaker) }), 'As they are now.'],
    handle: async () => ok({ data: await viewBreakers(deps) }),
  });
  const byHand = (
    word: 'open' | 'close',
    summary: string,
    body: typeof Opening | typeof Closing,
    description: string,
  ) =>
    route(`POST /admin/breakers/:carrierCode/${word}`, {
      id: `${word}Breaker`,
      role: 'operate',
      summary,
      description,
      path: Path,
      body,
      reply: [Type.Object({ data: Type.Array(Breaker) }), 'All of the carrier, as they are now.'],
      errors: [404],
      handle: async ({ path: { carrierCode }, body, actor }) => {
        const carrier = carriers.find(carrierCode);
        if (carrier === undefined) return notFound(`There is no carrier ${carrierCode}`, 'unknown_carrier');
        const given: { readonly account?: number; readonly minutes?: number } = body ?? {};
        const isByAccount = carrier.limits.per === 'account';
        if (isByAccount !== (given.account !== undefined))
          return wrong(
            isByAccount
              ? `account is required: ${carrierCode} is limited by account`
              : `account must be left out: ${carrierCode} is limited as a whole`,
          );
        const party = isByAccount ? `${carrierCode}/${given.account}` : carrierCode;
        const minutes = word === 'open' ? (given.minutes ?? MINUTES) : 0;
        await breakers.setBreaker(party, minutes * MINUTE_MS);
        const detail = word === 'open' ? `${minutes} minutes` : undefined;
        await recordAudit(pool, { actor, action: `${word}_breaker`, subject: `breaker:${party}`, detail });
        return ok({ data: await viewBreakers(deps, carrierCode) });
      },
    });
  byHand(
    'open',
    'Ask a carrier for nothing for a while',
    Opening,
    'Calls that are under way end as they end; what is to be asked waits, in all processes, from within a second on.',
  );
  byHand('close', 'Ask a carrier again, as if nothing had failed', Closing, 'Also one that opened by itself.');
};

const viewBreakers = async ({ pool, carriers, breakers }: ApiDeps, only?: string) => {
  const all = carriers.list().filter(({ code }) => only === undefined || code === only);
  const ofAll = all.map(async (carrier) => {
    const { code: carrierCode } = carrier;
    if (carrier.limits.per !== 'account') return [{ carrier, party: carrierCode, account: undefined }];
    const accounts = await listAccounts(pool, { carrierCode, limit: ACCOUNTS_MAX });
    return accounts.map(({ id }) => ({ carrier, party: `${carrierCode}/${id}`, account: id }));
  });
  const parties = (await Promise.all(ofAll)).flat();
  const { nowMs, states } = await breakers.breakers(parties.map(({ party }) => party));
  return parties.map(({ carrier, party, account }) => {
    const { failures = 0, newestMs, healthyMs, keptOpenUntilMs = 0 } = states.get(party) ?? {};
    const isKeptOpen = keptOpenUntilMs > nowMs;
    const state = isKeptOpen ? 'kept_open' : failures >= carrier.limits.breaker.failures ? 'open' : 'closed';
    return {
      ...f.viewOf(Breaker, {
        carrier: carrier.code,
        account,
        state,
        failures,
        lastCallAtMs: newestMs ?? undefined,
        lastGoodCallAtMs: healthyMs ?? undefined,
        keptOpenUntilMs: isKeptOpen ? keptOpenUntilMs : undefined,
      }),
    };
  });
};
