import type {
  Carrier,
  EnvironmentDefinition,
  EnvironmentName,
  ServiceRow,
  StatusRow,
  Statuses,
  Webhook,
} from '../carrier.ts';
import { poll, rowStatus, webhook } from '../language/statuses.ts';
import { environment, environmentValue, profile as PROFILE, service } from '../language/profile.ts';
import { entriesOf, type Node, textOf, valueOf } from '../tree.ts';
import { compileFields } from './account-fields.ts';
import { type Auths, compileAuths } from './auths.ts';
import type { Context } from './context.ts';
import { compileOperations } from './operations.ts';
import { read } from './read.ts';
import { compileLimits } from './steps.ts';

export interface Compiled {
  /** All but its version, which comes of the texts. */
  readonly carrier: Omit<Carrier, 'hash'>;
  readonly auths: Auths;
}

/**
 * A merged and checked profile → the carrier it means. What does not compile is a finding of the context; the carrier
 * is to be used only when there is no error among them.
 */
export const compileProfile = (context: Context, profile: Node, code: string): Compiled => {
  const plain = <K extends Plain>(key: K) =>
    read(context, PROFILE.properties[key], valueOf(profile, key), { position: 'environments' });
  const auths = compileAuths(context, profile);
  const carrier: Compiled['carrier'] = {
    code,
    name: textOf(valueOf(profile, 'name')) ?? code,
    place: profile.place,
    abstract: plain('abstract'),
    capabilities: plain('capabilities'),
    services: compileServices(context, valueOf(profile, 'services')),
    environments: compileEnvironments(context, profile),
    credentials: compileFields(context, profile, 'credentials'),
    settings: compileFields(context, profile, 'settings'),
    tables: plain('tables'),
    time: plain('time'),
    auths: auths.named,
    limits: compileLimits(context, [profile]).limits,
    ...compileOperations(context, profile, auths),
    memo: plain('memo'),
    labels: plain('labels'),
    statuses: compileStatuses(context, profile, auths),
    // Last, when every URL has been seen.
    hosts: [...new Set([...plain('hosts'), ...context.hosts])],
  };
  return { carrier, auths };
};

type Plain = 'abstract' | 'capabilities' | 'tables' | 'time' | 'memo' | 'labels' | 'hosts';

const compileServices = (context: Context, node: Node | undefined): Carrier['services'] => {
  if (node === undefined) return undefined;
  const rows = new Map<string, ServiceRow>();
  for (const { key, value } of entriesOf(node)) {
    const row = read(context, service, value, { position: 'environments' });
    if (row === undefined) continue;
    const name = key.text;
    if (rows.has(name.toLowerCase())) {
      context.findings.report('repeated-key', key.place, `there is a service "${name}" already`, 'case does not count');
    }
    rows.set(name.toLowerCase(), { name, ...row });
  }
  return rows;
};

const compileEnvironments = (context: Context, profile: Node): Carrier['environments'] => {
  const environments: Partial<Record<EnvironmentName, EnvironmentDefinition>> = {};
  for (const name of ['sandbox', 'production'] as const) {
    const node = valueOf(valueOf(profile, 'environments'), name);
    const site = { position: 'environments' } as const;
    const keys = read(context, environment, node, site);
    if (keys === undefined) continue;
    const values = entriesOf(node)
      .filter(({ key }) => key.text !== 'url')
      .flatMap(({ key, value }) => {
        const mapping = read(context, environmentValue, value, site);
        return mapping === undefined ? [] : [[key.text, mapping] as const];
      });
    environments[name] = { url: keys.url, values: Object.fromEntries(values) };
  }
  return environments;
};

const compileStatuses = (context: Context, profile: Node, auths: Auths): Statuses => {
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
