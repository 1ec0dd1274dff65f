import type { Carrier, EnvironmentDefinition, EnvironmentName, ServiceRow } from '../carrier.ts';
import { environment, environmentValue, profile as PROFILE, service } from '../language/profile.ts';
import { entriesOf, type Node, textOf, valueOf } from '../tree.ts';
import { compileFields } from './account-fields.ts';
import { type Auths, compileAuths } from './auths.ts';
import type { Context } from './context.ts';
import { compileOperations } from './operations.ts';
import { read } from './read.ts';
import { compileStatuses } from './statuses.ts';
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
