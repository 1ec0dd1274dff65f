import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { Consignment } from '../domain/consignment.ts';
import { checkAccount } from '../profile/account.ts';
import type { Carrier } from '../profile/carrier.ts';
import { findAccount, saveAccount } from '../store/accounts.ts';
import { recordAudit } from '../store/audit.ts';
import { findShipper, saveShipper } from '../store/shippers.ts';
import { issueCarrierToken, issueShipperToken } from '../store/tokens.ts';
import { requireAdmin } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { ADMIN, answers, json } from './documents.ts';
import { notFound, ok, send, unprocessable } from './http-answer.ts';

const code = (says: string) => Type.String({ pattern: '^[A-Za-z0-9][\\w.-]{0,99}$', 'x-must': says });
const shipperCode = () => code('be the code of a shipper: letters, digits, dots, dashes and underscores');
const carrierCode = () => code('be the code of a carrier');
const Environment = Type.Enum(['sandbox', 'production']);

const NewShipper = Type.Object(
  {
    code: shipperCode(),
    name: Type.String({ pattern: '\\S', maxLength: 200, 'x-must': 'not be blank' }),
    details: Type.Optional(
      Type.Object(
        {
          ...Consignment.properties.shipper.properties,
          merchantCode: Type.Optional(Type.String({ maxLength: 100 })),
          taxNumber: Type.Optional(Type.String({ maxLength: 100 })),
        },
        { additionalProperties: false, description: 'What carriers are told of the shipper.' },
      ),
    ),
  },
  { additionalProperties: false },
);
const NewToken = Type.Object({ environment: Type.Optional(Environment) }, { additionalProperties: false });
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
const ShipperPath = Type.Object({ code: shipperCode() });
const CarrierPath = Type.Object({ carrierCode: carrierCode() });
const Token = Type.Object({ token: Type.String({ description: 'Shown once.' }) });

/** Shippers, tokens, accounts. */
export const adminWriteRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    const { pool, sealer, nowMs } = deps;
    app.addHook('onRequest', requireAdmin(deps));
    const common = { tags: ['Admin'], security: ADMIN };
    const noShipper = (shipper: string) => notFound(nowMs(), `There is no shipper ${shipper}`);
    const note = async (action: string, subject: string) => {
      await recordAudit(pool, { actor: 'admin', action, subject });
    };

    app.route<{ Body: Static<typeof NewShipper> }>({
      method: 'POST',
      url: '/admin/shippers',
      schema: {
        ...common,
        operationId: 'saveShipper',
        summary: 'A shipper, new or brought up to date, with a further token for production',
        body: NewShipper,
        response: answers(
          { 200: json(Type.Object({ code: Type.String(), token: Type.String() }), 'The token is shown once.') },
          400,
          401,
          413,
          415,
        ),
      },
      handler: async (request, reply) => {
        const { code, name, details } = request.body;
        const shipper = await saveShipper(pool, { code, name, details });
        const token = await issueShipperToken(pool, shipper.id, 'production');
        await note('save_shipper', `shipper:${code}`);
        return send(reply, ok({ code, token }));
      },
    });

    app.route<{ Body: Static<typeof NewToken>; Params: Static<typeof ShipperPath> }>({
      method: 'POST',
      url: '/admin/shippers/:code/tokens',
      schema: {
        ...common,
        operationId: 'issueShipperToken',
        summary: 'A further token of a shipper, for one environment (production)',
        params: ShipperPath,
        body: NewToken,
        response: answers({ 200: json(Token, 'The token is shown once.') }, 400, 401, 404, 413, 415),
      },
      handler: async (request, reply) => {
        const { code } = request.params;
        const shipper = await findShipper(pool, code);
        if (shipper === undefined) return send(reply, noShipper(code));
        const token = await issueShipperToken(pool, shipper.id, request.body.environment ?? 'production');
        await note('issue_token', `shipper:${code}`);
        return send(reply, ok({ token }));
      },
    });

    app.route<{ Body: Static<typeof NewToken>; Params: Static<typeof CarrierPath> }>({
      method: 'POST',
      url: '/admin/carriers/:carrierCode/tokens',
      schema: {
        ...common,
        operationId: 'issueCarrierToken',
        summary: 'A token for a carrier’s status pushes; without an environment, for both',
        params: CarrierPath,
        body: NewToken,
        response: answers({ 200: json(Token, 'The token is shown once.') }, 400, 401, 404, 413, 415),
      },
      handler: async (request, reply) => {
        const { carrierCode } = request.params;
        if (deps.carriers.find(carrierCode) === undefined)
          return send(reply, notFound(nowMs(), `There is no carrier ${carrierCode}`));
        const token = await issueCarrierToken(pool, carrierCode, request.body.environment);
        await note('issue_token', `carrier:${carrierCode}`);
        return send(reply, ok({ token }));
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
          400,
          401,
          404,
          413,
          415,
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
        const known = await findAccount(pool, sealer, key);
        const checked = checkAccount(carrier, environment, withRegistered(carrier, given, known));
        if (!checked.ok) {
          const says = checked.issues.map(({ message }) => message);
          return send(reply, unprocessable(nowMs(), 'The account is not what the carrier asks for', says));
        }
        const id = await saveAccount(pool, sealer, key, checked);
        await note('save_account', `account:${id}`);
        return send(reply, ok({ id, shipper: code, carrier: carrierCode, environment }));
      },
    });
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
