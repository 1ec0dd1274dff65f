import { isIP } from 'node:net';
import type { NormalisedStatus } from '../../statuses/status.ts';
import type { Position } from '../../mapping/roots.ts';
import type { Poll, Reply, Statuses, Webhook } from '../carrier.ts';
import { DEFAULT_POLL_UNTIL_MS, DEFAULT_REPLY_STATUS } from '../defaults.ts';
import { entriesOf, itemsOf, type Node, valueOf } from '../tree.ts';
import type { Auths } from './auths.ts';
import { compileExpr, compileMapping, compileText, compileTexts, type Context } from './context.ts';
import { durationOf, numberOf, textOf, wordOf } from './layers.ts';
import { compileTable } from './table.ts';

export const compileStatuses = (context: Context, profile: Node, auths: Auths): Statuses => {
  const node = valueOf(profile, 'statuses');
  const webhook = valueOf(node, 'webhook');
  const poll = valueOf(node, 'poll');
  if (poll !== undefined && valueOf(valueOf(profile, 'operations'), 'track') === undefined) {
    context.findings.error('missing-key', poll.place, 'polling needs the operation track');
  }
  const table = valueOf(node, 'table');
  for (const { key } of entriesOf(table)) {
    if (key.text.split(/(?<!\\)\//).length <= 3) continue;
    const message = 'a row has up to three parts: code/subCode/description';
    context.findings.error('wrong-value', key.place, message, String.raw`write a literal slash as \/`);
  }
  return {
    webhook: webhook === undefined ? undefined : compileWebhook(context, webhook, auths),
    poll: poll === undefined ? undefined : compilePoll(poll),
    table: compileTable(table),
  };
};

const compilePoll = (node: Node): Poll => {
  const every = valueOf(node, 'every');
  const all = durationOf(every);
  const rows: readonly (readonly [string, number | undefined])[] =
    all === undefined ? entriesOf(every).map((entry) => [entry.key.text, durationOf(entry.value)]) : [['*', all]];
  return {
    everyMs: new Map(
      rows.flatMap(([status, ms]) => (ms === undefined ? [] : [[status as NormalisedStatus | '*', ms]])),
    ),
    untilMs: durationOf(valueOf(node, 'until')) ?? DEFAULT_POLL_UNTIL_MS,
  };
};

const compileWebhook = (context: Context, node: Node, auths: Auths): Webhook | undefined => {
  const events = valueOf(node, 'events');
  const handshake = valueOf(node, 'handshake');
  const [when, answer] = [valueOf(handshake, 'when'), valueOf(handshake, 'reply')];
  const auth = auths.compile(valueOf(node, 'auth'), 'webhook');
  for (const { kind, place } of auth) {
    if (kind !== 'oauth2' && kind !== 'session') continue;
    const message = `${kind} proves who we are, not who the carrier is`;
    context.findings.error(
      'wrong-value',
      valueOf(node, 'auth')?.place ?? place,
      message,
      'use another kind for the webhook',
    );
  }
  if (events === undefined) return undefined;
  return {
    place: node.place,
    auth,
    allow: itemsOf(valueOf(node, 'allow')).flatMap((range) => compileRange(context, range)),
    format: wordOf(valueOf(node, 'format'), ['json', 'xml', 'form', 'text']),
    handshake:
      when === undefined || answer === undefined
        ? undefined
        : {
            when: compileExpr(context, when, { position: 'handshake' }),
            reply: compileReply(context, answer, 'handshake'),
          },
    reply: compileReply(context, valueOf(node, 'reply'), 'reply'),
    events: compileMapping(context, events, { position: 'events' }),
  };
};

const compileRange = (context: Context, node: Node): readonly string[] => {
  const text = textOf(node)?.trim() ?? '';
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  if (family !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))) return [text];
  context.findings.error(
    'wrong-value',
    node.place,
    `"${text.slice(0, 60)}" is no range of addresses`,
    'like 192.0.2.0/24',
  );
  return [];
};

const compileReply = (context: Context, node: Node | undefined, position: Position): Reply => {
  const site = { position };
  const [json, xml, text] = [valueOf(node, 'json'), valueOf(node, 'xml'), valueOf(node, 'text')];
  return {
    status: numberOf(valueOf(node, 'status')) ?? DEFAULT_REPLY_STATUS,
    headers: compileTexts(context, entriesOf(valueOf(node, 'headers')), site, 'header'),
    body:
      json !== undefined
        ? { codec: 'json', content: compileMapping(context, json, site) }
        : xml !== undefined
          ? { codec: 'xml', content: compileMapping(context, xml, site) }
          : text !== undefined
            ? { codec: 'text', content: compileText(context, text, site, 'text') }
            : undefined,
  };
};
