import { valueIssue } from '../account.ts';
import type {
  AccountField,
  Carrier,
  EnvironmentDefinition,
  EnvironmentName,
  ServiceRow,
  StatusRow,
  Statuses,
  Webhook,
} from '../carrier.ts';
import { TYPES_OF_SERVICE } from '../../consignment/consignment.ts';
import { contractService } from '../../consignment/service.ts';
import { STATUS_TABLES } from '../status-groups.ts';
import { poll, rowStatus, webhook } from '../language/statuses.ts';
import { accountField, environment, environmentValue, profile as PROFILE, service } from '../language/profile.ts';
import { entriesOf, type Node, readBoolean, readNumber, type ScalarNode, textOf, valueOf } from '../tree.ts';
import { compileAuths } from './auths.ts';
import type { Context } from './context.ts';
import { compileLabels } from './label-template.ts';
import { compileLimits, compileOperations, type Compiler } from './operations.ts';
import { read } from './read.ts';
import { compileTariffs } from './tariff.ts';
import { compileTransit } from './transit.ts';

/**
 * The carrier that a merged and checked profile means, but for its version, which comes of the texts. What does not
 * compile is a finding of the context; the carrier is to be used only when there is no error among them.
 */
export const compileProfile = (context: Context, code: string): Omit<Carrier, 'hash'> => {
  const { profile } = context;
  const plain = <K extends Plain>(key: K) =>
    read(context, PROFILE.properties[key], valueOf(profile, key), { position: 'environments' });
  const compiler = compileAuths(context);
  const services = compileServices(context, valueOf(profile, 'services'));
  const rows = [...(services?.values() ?? TYPES_OF_SERVICE.map(contractService))];
  const tariffs = compileTariffs(context, valueOf(profile, 'tariff'), rows);
  return {
    code,
    name: textOf(valueOf(profile, 'name')) ?? code,
    place: profile.place,
    abstract: plain('abstract'),
    capabilities: plain('capabilities'),
    requires: plain('requires'),
    vas: plain('vas'),
    services,
    tariffs: tariffs.map(({ tariff }) => tariff),
    transit: compileTransit(context, valueOf(profile, 'transit'), rows, tariffs[0]?.zones),
    environments: compileEnvironments(context, valueOf(profile, 'environments')),
    credentials: compileFields(context, 'credentials'),
    settings: compileFields(context, 'settings'),
    tables: plain('tables'),
    time: plain('time'),
    auths: Object.fromEntries(context.auths),
    limits: compileLimits(context, [profile]).limits,
    ...compileOperations(compiler),
    memo: plain('memo'),
    ...compileLabels(context, plain('labels')),
    slots: plain('slots'),
    statuses: compileStatuses(compiler),
    // Last, when every URL has been seen.
    hosts: [...new Set([...plain('hosts'), ...context.hosts])],
  };
};

type Plain =
  | 'abstract'
  | 'capabilities'
  | 'requires'
  | 'vas'
  | 'tables'
  | 'time'
  | 'memo'
  | 'labels'
  | 'slots'
  | 'hosts';

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

const compileEnvironments = (context: Context, all: Node | undefined): Carrier['environments'] => {
  const environments: Partial<Record<EnvironmentName, EnvironmentDefinition>> = {};
  for (const name of ['sandbox', 'production'] as const) {
    const node = valueOf(all, name);
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

type Literal = string | number | boolean;

const compileFields = (context: Context, section: 'credentials' | 'settings'): Readonly<Record<string, AccountField>> =>
  Object.fromEntries(
    entriesOf(valueOf(context.profile, section)).flatMap(({ key, value }) => {
      const field = compileField(context, value, key);
      if (field?.secret === true && section === 'settings') {
        context.findings.report('secret-shown', key.place, `"${key.text}" is secret, so it belongs under credentials`);
      }
      return field === undefined ? [] : [[key.text, field]];
    }),
  );

const compileField = (context: Context, node: Node, { text: name, place }: ScalarNode): AccountField | undefined => {
  const keys = read(context, accountField, node, { position: 'environments' });
  if (keys === undefined) return undefined;
  const { findings } = context;
  const typed = (literal: ScalarNode | undefined): Literal | undefined => {
    if (literal === undefined) return undefined;
    const value =
      keys.type === 'text' ? literal.text : keys.type === 'number' ? readNumber(literal) : readBoolean(literal);
    if (value === undefined) {
      const wanted = keys.type === 'number' ? 'a number' : 'true or false';
      const message = `this must be ${wanted}, not "${literal.text.slice(0, 60)}"`;
      findings.report('wrong-value', literal.place, message, 'without quotes');
    }
    return value;
  };
  const { from, ...rest } = keys;
  const field: AccountField = {
    ...rest,
    place,
    optional: keys.optional || from !== undefined,
    oneOf: keys.oneOf?.flatMap((choice) => typed(choice) ?? []),
    default: typed(keys.default),
    example: typed(keys.example),
    fromRegister: from !== undefined,
  };
  for (const key of ['default', 'example'] as const) {
    const [value, at] = [field[key], keys[key]?.place];
    const issue = value === undefined ? undefined : valueIssue(field, value);
    if (issue !== undefined && at !== undefined) {
      findings.report('wrong-value', at, `the ${key} of ${name} ${issue}`);
    }
  }
  if (field.secret && keys.default !== undefined) {
    const message = 'a secret cannot have a default, which anyone could read here';
    findings.report('secret-shown', keys.default.place, message);
  }
  return field;
};

const compileStatuses = (compiler: Compiler): Statuses => {
  const { profile, findings } = compiler;
  const node = valueOf(profile, 'statuses');
  const polling = valueOf(node, 'poll');
  if (polling !== undefined && valueOf(profile, 'operations', 'track') === undefined) {
    findings.report('missing-key', polling.place, 'polling needs the operation track');
  }
  return {
    webhook: compileWebhook(compiler, valueOf(node, 'webhook')),
    poll: read(compiler, poll, polling, { position: 'events' }),
    table: STATUS_TABLES.flatMap((key) => compileTable(compiler, valueOf(node, key), key === 'returns')),
  };
};

const compileWebhook = (compiler: Compiler, node: Node | undefined): Webhook | undefined => {
  const written = valueOf(node, 'auth');
  const auth = compiler.authsOf(written, 'webhook');
  for (const { kind, place } of auth) {
    if (kind !== 'oauth2' && kind !== 'session') continue;
    const message = `${kind} authenticates us, not the carrier`;
    compiler.findings.report('wrong-value', written?.place ?? place, message, 'use another kind for the webhook');
  }
  const keys = read(compiler, webhook, node, { position: 'events' });
  if (node === undefined || keys === undefined) return undefined;
  return { ...keys, place: node.place, auth, allow: keys.allow.map((range) => range.trim()) };
};

/**
 * The rows of the status table. A key is `code`, `code/subCode` or `code/subCode/description`; a missing part is
 * `*`, a literal slash `\/`. Case and outer spaces do not count: patterns are kept trimmed and in lower case.
 */
const compileTable = (context: Context, node: Node | undefined, ofReturns: boolean): readonly StatusRow[] =>
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
      : [{ place: key.place, key: key.text, ofReturns, patterns: [code, subCode, description], ...row }];
  });
