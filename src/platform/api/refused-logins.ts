/** For operators: accounts whose credentials a carrier does not accept. */
import { Type } from 'typebox';
import { listRefusedLogins, type RefusedLogin } from '../records/refused-logins.ts';
import { ANY, listsOf } from './lists.ts';
import { carrierCode, instant, texts, viewOf } from './query-fields.ts';
import type { AddRoutes } from './route.ts';

const Entry = Type.Object({
  account: Type.Integer({ description: 'Its id.' }),
  ...texts('shipper', 'carrierCode', 'environment'),
  auth: Type.String({ description: 'Which of the profile’s `auths` was refused.' }),
  code: Type.String(),
  refusedAt: instant(),
});

export const addRefusedLoginRoutes: AddRoutes = (scope, deps) => {
  listsOf(scope, deps, { auth: 'admin', tag: 'Admin' })('GET /admin/logins/refused', {
    id: 'listRefusedLogins',
    summary: 'Logins that carriers refused: none is tried again until its account or profile is changed',
    description: '`GET /admin/exchanges?carrier=…` has what the carrier said.',
    filter: { carrier: Type.Optional(carrierCode()) },
    entry: Entry,
    place: [({ key }: RefusedLogin) => [key], ANY],
    read: async ({ query: { carrier }, after, limit }) =>
      await listRefusedLogins(deps.pool, { after: after?.[0], carrierCode: carrier, limit }),
    show: (login) => viewOf(Entry, login),
  });
};
