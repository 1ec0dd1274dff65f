import type { StatusRow, Statuses, Webhook } from '../carrier.ts';
import { poll, rowStatus, webhook } from '../language/statuses.ts';
import { entriesOf, type Node, valueOf } from '../tree.ts';
import type { Auths } from './auths.ts';
import type { Context } from './context.ts';
import { read } from './read.ts';

export const compileStatuses = (context: Context, profile: Node, auths: Auths): Statuses => {
  const node = valueOf(profile, 'statuses');
  const polling = valueOf(node, 'poll');
  if (polling !== undefined && valueOf(valueOf(profile, 'operations'), 'track') === undefined) {
    context.findings.report('missing-key', polling.place, 'polling needs the operation track');
  }
  return {
    webhook: compileWebhook(context, valueOf(node, 'webhook'), auths),
    poll: read(context, poll, polling, { position: 'events' }),
    table: compileTable(context, valueOf(node, 'table')),
  };
};

const compileWebhook = (context: Context, node: Node | undefined, auths: Auths): Webhook | undefined => {
  const written = valueOf(node, 'auth');
  const auth = auths.compile(written, 'webhook');
  for (const { kind, place } of auth) {
    if (kind !== 'oauth2' && kind !== 'session') continue;
    const message = `${kind} authenticates us, not the carrier`;
    context.findings.report('wrong-value', written?.place ?? place, message, 'use another kind for the webhook');
  }
  const keys = read(context, webhook, node, { position: 'events' });
  if (node === undefined || keys === undefined) return undefined;
  return { ...keys, place: node.place, auth, allow: keys.allow.map((range) => range.trim()) };
};

/**
 * The rows of the status table. A key is `code`, `code/subCode` or `code/subCode/description`; a missing part is
 * `*`, a literal slash `\/`. Case and outer spaces do not count: patterns are kept trimmed and in lower case.
 */
const compileTable = (context: Context, node: Node | undefined): readonly StatusRow[] =>
  entriesOf(node).flatMap(({ key, value }) => {
    const row = read(context, rowStatus, value, { position: 'events' });
    const parts = key.text.split(/(?<!\\)\//).map((part) =>
      part
        .replaceAll(String.raw`\/`, '/')
        .trim()
        .toLowerCase(),
    );
    if (parts.length > 3) {
      const message = 'a row has up to three parts: code/subCode/description';
      context.findings.report('wrong-value', key.place, message, String.raw`write a literal slash as \/`);
    }
    const [code = '*', subCode = '*', description = '*'] = parts;
    return row === undefined
      ? []
      : [{ place: key.place, key: key.text, patterns: [code, subCode, description], ...row }];
  });
