import type { Mapping } from '../mapping/mapping.ts';
import type { Carrier, EnvironmentDefinition, EnvironmentName } from './carrier.ts';
import { compileFields } from './compile/account-fields.ts';
import { type Auths, compileAuths } from './compile/auths.ts';
import { compileText, compileValue, type Context } from './compile/context.ts';
import { flagOf, textOf, textsOf } from './compile/layers.ts';
import { compileLimits } from './compile/limits-and-retry.ts';
import { compileOperations } from './compile/operations.ts';
import { compileStatuses } from './compile/statuses.ts';
import {
  compileCapabilities,
  compileLabels,
  compileServices,
  compileTables,
  compileTime,
} from './compile/identity-and-capabilities.ts';
import { entriesOf, type Node, valueOf } from './tree.ts';

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
  const auths = compileAuths(context, profile);
  const { operations, recreate } = compileOperations(context, profile, auths);
  const carrier: Compiled['carrier'] = {
    code,
    name: textOf(valueOf(profile, 'name')) ?? code,
    place: profile.place,
    abstract: flagOf(valueOf(profile, 'abstract')) ?? false,
    capabilities: compileCapabilities(profile),
    services: compileServices(context, profile),
    environments: compileEnvironments(context, profile),
    credentials: compileFields(context, profile, 'credentials'),
    settings: compileFields(context, profile, 'settings'),
    tables: compileTables(profile),
    time: compileTime(context, profile),
    auths: auths.named,
    limits: compileLimits([profile]),
    operations,
    recreate,
    memo: textsOf(valueOf(profile, 'memo')) ?? [],
    labels: compileLabels(profile),
    statuses: compileStatuses(context, profile, auths),
    // Last, when every URL has been seen.
    hosts: [...new Set([...(textsOf(valueOf(profile, 'hosts')) ?? []), ...context.hosts])],
  };
  return { carrier, auths };
};

const compileEnvironments = (context: Context, profile: Node): Carrier['environments'] => {
  const environments: Partial<Record<EnvironmentName, EnvironmentDefinition>> = {};
  for (const name of ['sandbox', 'production'] as const) {
    const node = valueOf(valueOf(profile, 'environments'), name);
    const url = valueOf(node, 'url');
    if (url === undefined) continue;
    const site = { position: 'environments' } as const;
    const values: Record<string, Mapping> = {};
    for (const { key, value } of entriesOf(node)) {
      if (key.text !== 'url') values[key.text] = compileValue(context, value, site);
    }
    environments[name] = { url: compileText(context, url, site, 'base'), values };
  }
  return environments;
};
