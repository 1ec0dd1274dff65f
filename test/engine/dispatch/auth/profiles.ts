import type { Run } from '../../../../src/engine/dispatch/ports.ts';
import { profileOf, type Reply, worldOf } from '../world.ts';

/** A profile of one call, with the YAML of `auth` or `auths`; `lines` are the call's own. */
export const profileWith = (auth: string, lines = '', body = "ref: '${consignment.referenceId}', amount: 12"): string =>
  profileOf(
    `create:
  post: /orders
  ${lines.replaceAll('\n', '\n  ')}
  body: { json: { ${body} } }
  result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }'`,
    `credentials:
  user: {}
  password: { secret: true }
  key: { secret: true, optional: true }
  refresh: { secret: true, optional: true }
${auth}`,
  );

export const account = (values: Readonly<Record<string, unknown>> = {}, version = 1): Run['account'] => ({
  id: 1,
  version,
  credentials: { user: 'erika', password: 'pa:ss wörd-1', key: 'key-0123456789', refresh: 'refresh-one-1', ...values },
  settings: {},
});

/** What the call's answer holds when all is well. */
export const done = { number: 'T1' };

/** One create by that account: how it ended, and what was sent and kept. */
export const create = async (profile: string, replies: readonly Reply[], values = {}) => {
  const world = worldOf(profile, ...replies);
  const outcome = await world.run('create', undefined, { account: account(values) });
  return { ...world, outcome, request: world.sent.at(-1), paths: world.sent.map(({ url }) => new URL(url).pathname) };
};
