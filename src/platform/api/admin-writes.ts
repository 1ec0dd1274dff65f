import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { Consignment } from '../../engine/consignment/consignment.ts';
import { Failure } from '../../engine/failure.ts';
import { checkAccount } from '../../engine/profile/account.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { lockKeptAccount, saveAccount } from '../records/accounts.ts';
import { recordAudit } from '../records/audit.ts';
import { transaction } from '../records/pool.ts';
import { findShipper, saveShipper } from '../records/shippers.ts';
import { issueTokenWithin } from '../records/token-life.ts';
import { carrierCode, Environment, shipperCode } from './admin-fields.ts';
import { requireAdmin } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { ADMIN, answers, json } from './documents.ts';
import { notFound, ok, send, unprocessable } from './http-answer.ts';

const NewShipper = Type.Object(
  {
    code: shipperCode(),
    name: Type.String({ pattern: '\\S', maxLength: 200, 'x-must': 'not be blank' }),
    details: Type.Optional(
      Type.Object(
        {
          ...Consignment.properties.shipper.properties,
          billTo: Consignment.properties.billTo,
          merchantCode: Type.Optional(Type.String({ maxLength: 100 })),
          taxNumber: Type.Optional(Type.String({ maxLength: 100 })),
        },
        { additionalProperties: false, description: 'What carriers are told of the shipper.' },
      ),
    ),
  },
  { additionalProperties: false },
);
const Values = Type.Record(Type.String(), Type.Unknown());
const NewAccount = Type.Object(
  {
    shipper: shipperCode(),
    carrier: carrierCode(),
    environment: Type.Optional(Environment),
    credentials: Type.Optional(Values),
    settings: Type.Optional(Values),
  },
  { additionalProperties: false },
);
/** Shippers and their accounts. */
export const adminWriteRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    const { pool, sealer, nowMs } = deps;
    app.addHook('onRequest', requireAdmin(deps));
    const common = { tags: ['Admin'], security: ADMIN };
    const noShipper = (shipper: string) => notFound(nowMs(), `There is no shipper ${shipper}`);

    app.route<{ Body: Static<typeof NewShipper> }>({
      method: 'POST',
      url: '/admin/shippers',
      schema: {
        ...common,
        operationId: 'saveShipper',
        summary: 'A shipper, new or brought up to date, with a further token for production',
        body: NewShipper,
        response: answers({
          200: json(Type.Object({ code: Type.String(), token: Type.String() }), 'The token is shown once.'),
        }),
      },
      handler: async (request, reply) => {
        const { code, name, details } = request.body;
        const { token } = await transaction(pool, async (client) => {
          const shipper = await saveShipper(client, { code, name, details });
          await recordAudit(client, { actor: 'admin', action: 'save_shipper', subject: `shipper:${code}` });
          const owner = { kind: 'shipper', shipperId: shipper.id, code, environment: 'production' } as const;
          return await issueTokenWithin(client, owner, { actor: 'admin', now: new Date(nowMs()) });
        });
        return send(reply, ok({ code, token }));
      },
    });

    app.route<{ Body: Static<typeof NewAccount> }>({
      method: 'PUT',
      url: '/admin/accounts',
      schema: {
        ...common,
        operationId: 'saveAccount',
        summary: 'A shipper’s credentials and settings with a carrier, in one environment (production)',
        body: NewAccount,
        response: answers(
          {
            200: json(
              Type.Object({
                id: Type.Integer(),
                shipper: Type.String(),
                carrier: Type.String(),
                environment: Environment,
              }),
              'Saved; credentials are never shown again.',
            ),
          },
          404,
          422,
        ),
      },
      handler: async (request, reply) => {
        const { shipper: code, carrier: carrierCode, environment = 'production', ...given } = request.body;
        const shipper = await findShipper(pool, code);
        if (shipper === undefined) return send(reply, noShipper(code));
        const carrier = deps.carriers.find(carrierCode);
        if (carrier === undefined) return send(reply, notFound(nowMs(), `There is no carrier ${carrierCode}`));
        const key = { shipperId: shipper.id, carrierCode, environment };
        const saved = await transaction(pool, async (client) => {
          const known = await lockKeptAccount(client, sealer, key).catch(lostWithItsKey);
          const checked = checkAccount(carrier, environment, withRegistered(carrier, given, known));
          if (!checked.ok) return checked;
          const id = await saveAccount(client, sealer, key, checked);
          const detail = JSON.stringify({ shipper: code, carrier: carrierCode, environment });
          await recordAudit(client, { actor: 'admin', action: 'save_account', subject: `account:${id}`, detail });
          return { ok: true, id } as const;
        });
        if (!saved.ok) {
          const says = saved.issues.map(({ message }) => message);
          return send(reply, unprocessable(nowMs(), 'The account is not what the carrier asks for', says));
        }
        return send(reply, ok({ id: saved.id, shipper: code, carrier: carrierCode, environment }));
      },
    });
  };

/** What nobody can open any more is saved anew. */
const lostWithItsKey = (thrown: unknown): undefined => {
  if (!(thrown instanceof Failure && thrown.code === 'secret_unreadable')) throw thrown;
};

type GivenValues = Readonly<Record<string, unknown>>;

/** What `register` has put into the account stays when a person saves it anew. */
const withRegistered = (
  carrier: Carrier,
  given: { readonly credentials?: GivenValues; readonly settings?: GivenValues },
  known: { readonly credentials: GivenValues; readonly settings: GivenValues } | undefined,
): { readonly credentials: GivenValues; readonly settings: GivenValues } => {
  const kept = (section: 'credentials' | 'settings'): GivenValues => ({
    ...Object.fromEntries(
      Object.entries(known?.[section] ?? {}).filter(([name]) => carrier[section][name]?.fromRegister === true),
    ),
    ...given[section],
  });
  return { credentials: kept('credentials'), settings: kept('settings') };
};
