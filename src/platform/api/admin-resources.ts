/** For operators: shippers and their accounts, listed, edited, taken out of use and back, and tried. */
import { Type } from 'typebox';
import {
  type AccountView,
  deleteAccountsOf,
  forgetAccount,
  listAccounts,
  setAccountState,
} from '../records/accounts.ts';
import { editShipper, listShippers, setShipperState, type ShipperEntry, type Use, USES } from '../records/shippers.ts';
import { AccountPath, CARRIER_LIMIT_MS, NewShipper, refusePolicy } from './admin-accounts.ts';
import { yieldTurn } from './admission.ts';
import type { ApiDeps } from './deps.ts';
import { notFound, ok } from './http-answer.ts';
import { ANY, listsOf, NUMBER } from './lists.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const AREA = { auth: 'admin', tag: 'Admin' } as const;
const state = Type.Enum([...USES], {
  description: '`disabled` comes back as it was; of what is `deleted` only what refers to it remains.',
});
const anyState = Type.Optional(Type.Enum([...USES], { description: 'Without it, all but those that were deleted.' }));
const anything = () => Type.Record(Type.String(), Type.Unknown());

const ShipperPath = Type.Object({ code: f.shipperCode() });
const ShipperView = Type.Object({
  ...f.texts('code', 'name'),
  details: Type.Optional(anything()),
  policy: Type.Optional(Type.String({ description: 'What `AUTO` stands for.' })),
  state,
  createdAt: f.instant(),
});
const { code: _, ...edited } = NewShipper.properties;
const ShipperEdit = Type.Object(edited, { additionalProperties: false });

const AccountEntry = Type.Object({
  id: Type.Integer(),
  ...f.texts('shipper', 'carrier'),
  environment: f.Environment,
  state,
  settings: Type.Optional({ ...anything(), description: 'Those that are no secret.' }),
  baseUrl: Type.Optional(Type.String({ description: 'In the place of the profile’s URL.' })),
  createdAt: f.instant(),
  updatedAt: f.instant(),
});
const Checked = Type.Object({
  id: Type.Integer(),
  result: Type.Enum(['good', 'refused', 'unclear', 'nothing_to_ask'], {
    description:
      'unclear: no answer tells. nothing_to_ask: the profile has no probe and its authentication no login, so that nothing can be asked ' +
      'without side effects.',
  }),
  code: Type.Optional(Type.String()),
  messages: Type.Optional(Type.Array(Type.String())),
  asked: Type.Array(
    Type.Object({
      ...f.texts('method', 'url', 'outcome'),
      status: Type.Optional(Type.Integer()),
      message: Type.Optional(Type.String()),
    }),
    { description: 'What the carrier was asked, masked.' },
  ),
});

/** How the three states are asked for. */
const WAYS = [
  ['POST', '/disable', 'disable', 'disabled'],
  ['POST', '/enable', 'enable', 'active'],
  ['DELETE', '', 'delete', 'deleted'],
] as const;

export const addAdminResourceRoutes: AddRoutes = (scope, deps) => {
  addShippers(scope, deps);
  addAccounts(scope, deps);
};

const addShippers: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const { pool, sealer } = deps;
  const shown = (shipper: ShipperEntry | undefined, code: string) =>
    shipper === undefined
      ? notFound(`There is no shipper ${code}`, 'unknown_shipper')
      : ok(f.viewOf(ShipperView, shipper));
  const list = listsOf(scope, deps, AREA);
  list('GET /admin/shippers', {
    id: 'listShippers',
    summary: 'The shippers there are, by their codes',
    filter: { state: anyState },
    entry: ShipperView,
    place: [({ code }: ShipperEntry) => [code], ANY],
    read: async ({ query, after, limit }) => await listShippers(pool, { ...query, afterCode: after?.[0], limit }),
    show: (shipper) => f.viewOf(ShipperView, shipper),
  });
  const one = { path: ShipperPath, reply: [ShipperView, 'As it is now.'], errors: [404] } as const;
  route('GET /admin/shippers/:code', {
    ...one,
    id: 'readShipper',
    role: 'read',
    summary: 'One shipper',
    handle: async ({ path: { code } }) => shown((await listShippers(pool, { code, limit: 1 }))[0], code),
  });
  route('PUT /admin/shippers/:code', {
    ...one,
    id: 'editShipper',
    role: 'administer',
    summary: 'Another name, other details and another default policy of a shipper',
    description: 'Orders that were made before keep the details of then.',
    body: ShipperEdit,
    errors: [404, 422],
    handle: async ({ path: { code }, body: { name, details, policy }, actor }) =>
      refusePolicy(deps.carriers, policy) ??
      shown(await editShipper(pool, { code, name, details, policy }, actor), code),
  });
  const SAID: Readonly<Record<Use, string>> = {
    disabled:
      'Its tokens are nobody’s until it is enabled. What it has asked for goes on: dispatches, statuses and webhooks.',
    active: 'Its tokens are valid again.',
    deleted:
      'Its tokens are revoked, its webhooks paused, its facilities forgotten and its accounts deleted: what its carriers have not been ' +
      'asked yet is held (`account_deleted`). Its consignments remain, and statuses of them are recorded.',
  };
  for (const [method, path, word, to] of WAYS) {
    route(`${method} /admin/shippers/:code${path}`, {
      ...one,
      id: `${word}Shipper`,
      role: 'administer',
      summary: `${word[0]?.toUpperCase()}${word.slice(1)} a shipper`,
      description: SAID[to],
      handle: async ({ path: { code }, actor }) => {
        let accounts: Awaited<ReturnType<typeof deleteAccountsOf>> = [];
        const changed = await setShipperState(pool, code, to, actor, async (client, id) => {
          accounts = await deleteAccountsOf(client, sealer, id, actor);
        });
        for (const account of accounts) forgetAccount(pool, account.id, account);
        return shown(changed, code);
      },
    });
  }
};

/** Settings that are no secret, as far as the carrier's profile is there to say so. */
const viewAccount = ({ carriers }: ApiDeps, { carrierCode, settings, ...account }: AccountView) => {
  const fields = carriers.find(carrierCode)?.settings ?? {};
  const known = Object.entries(settings).filter(([name]) => fields[name]?.secret === false);
  return f.viewOf(AccountEntry, { ...account, carrier: carrierCode, settings: Object.fromEntries(known) });
};

const addAccounts: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const { pool, sealer } = deps;
  const shown = (account: AccountView | undefined, id: string) =>
    account === undefined ? notFound(`There is no account ${id}`, 'unknown_account') : ok(viewAccount(deps, account));
  const list = listsOf(scope, deps, AREA);
  list('GET /admin/accounts', {
    id: 'listAccounts',
    summary: 'Shippers’ accounts with carriers, without their credentials, the oldest first',
    filter: {
      shipper: Type.Optional(f.shipperCode()),
      carrier: Type.Optional(f.carrierCode()),
      environment: Type.Optional(f.Environment),
      state: anyState,
    },
    entry: AccountEntry,
    place: [({ id }: AccountView) => [id], NUMBER],
    read: async ({ query: { carrier: carrierCode, ...query }, after, limit }) =>
      await listAccounts(pool, { ...query, carrierCode, afterId: f.numberOf(after?.[0]), limit }),
    show: (account) => viewAccount(deps, account),
  });
  const SAID: Readonly<Record<Use, string>> = {
    disabled:
      'Orders for it break a rule, and nothing is sent to the carrier with it: dispatches that would be are held (`account_disabled`), to ' +
      'be retried when it is enabled; labels and tracking wait. A call that is under way ends as it ends; statuses that the carrier sends are recorded.',
    active: 'It is used again. What was held meanwhile is to be retried.',
    deleted:
      'As disabled (`account_deleted`), and its credentials and settings are gone. Saving it anew brings it back; what was held is to be ' +
      'retried then.',
  };
  for (const [method, path, word, to] of WAYS) {
    route(`${method} /admin/accounts/:id${path}`, {
      id: `${word}Account`,
      role: 'administer',
      summary: `${word[0]?.toUpperCase()}${word.slice(1)} an account`,
      description: SAID[to],
      path: AccountPath,
      reply: [AccountEntry, 'As it is now.'],
      errors: [404],
      handle: async ({ path: { id }, actor }) => shown(await setAccountState(pool, sealer, Number(id), to, actor), id),
    });
  }
  route('POST /admin/accounts/:id/check', {
    id: 'checkAccount',
    role: 'operate',
    summary: 'Ask the carrier whether it takes the credentials',
    description: 'By the profile’s probe, or its login if it has no probe. Changes nothing at the carrier.',
    path: AccountPath,
    reply: [Checked, 'What the carrier says.'],
    errors: [404],
    answerWithinMs: CARRIER_LIMIT_MS,
    handle: async ({ path: { id }, actor }) => {
      const checked = await yieldTurn(async () => await deps.checkAccount(Number(id), actor));
      if (checked === undefined) return notFound(`There is no account ${id}, or no carrier of it`, 'unknown_account');
      const { kind, asked } = checked;
      const { code, messages } = 'problem' in checked ? checked.problem : {};
      return ok({
        id: Number(id),
        result: kind,
        code,
        messages,
        asked: asked.map(({ method, url, status, outcome, message }) => ({ method, url, status, outcome, message })),
      });
    },
  });
};
