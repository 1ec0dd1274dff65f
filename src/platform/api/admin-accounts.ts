/** Shippers, their accounts with carriers, and our webhook at a carrier. */
import { type Static, Type } from 'typebox';
import { Consignment } from '../../engine/consignment/consignment.ts';
import { Failure } from '../../engine/failure.ts';
import { baseUrlIssue, checkAccount } from '../../engine/profile/account.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { issueAt } from '../../engine/validate.ts';
import { lockKeptAccount, saveAccount } from '../records/accounts.ts';
import { recordAudit } from '../records/audit.ts';
import { forget } from '../records/cache.ts';
import { transaction } from '../records/pool.ts';
import { findShipper, saveShipper } from '../records/shippers.ts';
import { issueToken } from '../records/tokens.ts';
import { yieldTurn } from './admission.ts';
import type { CarrierDirectory } from './deps.ts';
import { refusalOf } from './dispatch-reply.ts';
import { type HttpAnswer, notFound, ok, unprocessable } from './http-answer.ts';
import { carrierCode, Environment, filled, shipperCode } from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const closed = { additionalProperties: false } as const;
export const NewShipper = Type.Object(
  {
    code: shipperCode(),
    name: filled(200),
    details: Type.Optional(
      Type.Object(
        {
          ...Consignment.properties.shipper.properties,
          billTo: Type.Optional(Type.Object(Consignment.properties.billTo.properties, closed)),
          merchantCode: Type.Optional(Type.String({ maxLength: 100 })),
          taxNumber: Type.Optional(Type.String({ maxLength: 100 })),
        },
        { ...closed, description: 'What carriers are told of the shipper.' },
      ),
    ),
    policy: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'What `AUTO` stands for as `carrier.code` of its orders.',
      }),
    ),
  },
  closed,
);
const Values = Type.Optional(Type.Record(Type.String(), Type.Unknown()));
const NewAccount = Type.Object(
  {
    shipper: shipperCode(),
    carrier: carrierCode(),
    environment: Type.Optional(Environment),
    credentials: Values,
    settings: Values,
    baseUrl: Type.Optional(
      Type.Union([Type.String({ examples: ['https://shop.acme.example/v1'] }), Type.Null()], {
        description:
          'In the place of the profile’s `environments.<name>.url`: a host of the account’s own, or a stub. Without it the one that is known stays; null takes it back.',
      }),
    ),
  },
  closed,
);
const SavedAccount = Type.Object({
  id: Type.Integer(),
  shipper: Type.String(),
  carrier: Type.String(),
  environment: Environment,
});
export const AccountPath = Type.Object({
  id: Type.String({ pattern: '^\\d{1,15}$', 'x-must': 'be the id of an account' }),
});
const Done = Type.Object({ id: Type.Integer(), webhook: Type.String({ description: 'What the carrier calls.' }) });

/** 422 of a policy that there is not. */
export const refusePolicy = (carriers: CarrierDirectory, name: string | undefined): HttpAnswer | undefined =>
  name === undefined || carriers.policy(name) !== undefined
    ? undefined
    : unprocessable('The shipper cannot have this policy', [
        issueAt('policy', 'policy_known', `"${name}" is not a policy of this platform`),
      ]);

/** A carrier is logged in at and asked, perhaps in several steps, while an operator waits. */
export const CARRIER_LIMIT_MS = 120_000;

export const addAccountRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'admin', tag: 'Admin' });
  const { pool, sealer, nowMs, carriers } = deps;
  route('POST /admin/shippers', {
    id: 'saveShipper',
    role: 'administer',
    summary: 'A shipper, new or brought up to date, with a further token for production',
    body: NewShipper,
    reply: [Type.Object({ code: Type.String(), token: Type.String() }), 'The token is shown once.'],
    errors: [422],
    handle: async ({ body: { code, name, details, policy }, actor }) => {
      const refused = refusePolicy(carriers, policy);
      if (refused !== undefined) return refused;
      const { id, token } = await transaction(pool, async (client) => {
        const shipper = await saveShipper(client, { code, name, details, policy });
        await recordAudit(client, { actor, action: 'save_shipper', subject: `shipper:${code}` });
        const owner = { kind: 'shipper', shipperId: shipper.id, code, environment: 'production' } as const;
        const issued = await issueToken(client, owner, { actor, now: new Date(nowMs()) });
        return { ...issued, id: shipper.id };
      });
      forget(pool, 'shippers', id);
      return ok({ code, token });
    },
  });
  route('PUT /admin/accounts', {
    id: 'saveAccount',
    role: 'administer',
    summary: 'A shipper’s credentials and settings with a carrier, in one environment (production)',
    body: NewAccount,
    reply: [SavedAccount, 'Saved; credentials are never shown again.'],
    errors: [404, 422],
    handle: async ({ body, actor }) => {
      const { shipper: code, carrier: carrierCode, environment = 'production', baseUrl, ...given } = body;
      const shipper = await findShipper(pool, code);
      if (shipper === undefined) return notFound(`There is no shipper ${code}`, 'unknown_shipper');
      const carrier = carriers.find(carrierCode);
      if (carrier === undefined) return notFound(`There is no carrier ${carrierCode}`, 'unknown_carrier');
      const key = { shipperId: shipper.id, carrierCode, environment };
      const about = { shipper: code, carrier: carrierCode, environment };
      const wrongUrl = typeof baseUrl !== 'string' ? undefined : baseUrlIssue(baseUrl, deps.addressPolicy);
      const saved = await transaction(pool, async (client) => {
        const known = await lockKeptAccount(client, sealer, key).catch(lostWithItsKey);
        const checked = checkAccount(carrier, environment, withRegistered(carrier, given, known));
        const issues = [...(checked.ok ? [] : checked.issues), ...(wrongUrl === undefined ? [] : [wrongUrl])];
        if (!checked.ok || wrongUrl !== undefined) return { ok: false, issues } as const;
        const id = await saveAccount(client, sealer, key, { ...checked, baseUrl });
        const isMoved = baseUrl !== undefined && baseUrl !== (known?.baseUrl ?? null);
        const moved = isMoved ? { baseUrl, formerBaseUrl: known?.baseUrl } : {};
        const detail = JSON.stringify({ ...about, ...moved });
        await recordAudit(client, { actor, action: 'save_account', subject: `account:${id}`, detail });
        return { ok: true, id } as const;
      });
      if (!saved.ok)
        return unprocessable('The account is not what the carrier asks for', saved.issues, {}, 'account_invalid');
      forget(pool, 'accounts', saved.id);
      return ok({ id: saved.id, ...about });
    },
  });
  const registration = (operation: 'register' | 'unregister', summary: string) =>
    route(`POST /admin/accounts/:id/${operation}`, {
      id: `${operation}Webhook`,
      role: 'administer',
      summary,
      path: AccountPath,
      reply: [Done, 'The carrier has answered.'],
      errors: [404, 422],
      answerWithinMs: CARRIER_LIMIT_MS,
      handle: async ({ path, actor }) => {
        const id = Number(path.id);
        const registered = await yieldTurn(async () => await deps.registerAccount(id, operation, actor));
        switch (registered.kind) {
          case 'unknown':
            return notFound(`There is no account ${id}`, 'unknown_account');
          case 'not_offered':
            return notFound(`The carrier of account ${id} has no ${operation}`, 'unknown_carrier');
          case 'failed':
            return unprocessable(
              `The carrier did not ${operation}`,
              refusalOf(registered.problem),
              {},
              'carrier_rejected',
            );
          case 'done':
            return ok({ id, webhook: registered.webhookUrl });
        }
      },
    });
  registration('register', 'Announces our webhook at the carrier and keeps in the account what it gives for it');
  registration('unregister', 'Takes our webhook back at the carrier');
};

const SEALED_AWAY: ReadonlySet<string> = new Set(['secret_unreadable', 'secret_key_missing']);

/** What nobody can open any more is saved anew. */
const lostWithItsKey = (thrown: unknown): undefined => {
  if (!(thrown instanceof Failure && SEALED_AWAY.has(thrown.code))) throw thrown;
};

type Values = Readonly<Record<string, unknown>>;
type Sections = Pick<Static<typeof NewAccount>, 'credentials' | 'settings'>;

/** What `register` has put into the account stays when a person saves it anew. */
const withRegistered = (carrier: Carrier, given: Sections, known: Sections | undefined) => {
  const kept = (section: keyof Sections): Values => ({
    ...Object.fromEntries(
      Object.entries(known?.[section] ?? {}).filter(([name]) => carrier[section][name]?.fromRegister === true),
    ),
    ...given[section],
  });
  return { credentials: kept('credentials'), settings: kept('settings') };
};
