/** Resources in the records: checked by their shapes and for what they refer to, and read whole. */
import { parsePostcodes } from '../../engine/rates/zones.ts';
import { REASONS } from '../../engine/statuses/status.ts';
import { type Issue, issueAt, validator } from '../../engine/validate.ts';
import type { Database } from '../ports.ts';
import { isKind, type Kind, type Resources, SHAPES } from './shapes.ts';

export interface Resource {
  readonly code: string;
  readonly data: unknown;
}

export const readResources = async (database: Database): Promise<Resources> => {
  const rows = await database.all<Resource & { readonly kind: string }>`
    select kind, code, data from fleet.resources order by kind, code`;
  const found = Object.fromEntries(Object.keys(SHAPES).map((kind) => [kind, new Map<string, unknown>()]));
  for (const { kind, code, data } of rows) found[kind]?.set(code, data);
  // Until there are own ones, the platform's.
  if (found['reasons']?.size === 0)
    for (const reason of REASONS)
      found['reasons'].set(reason, { description: reason.toLowerCase().replaceAll('_', ' '), reason });
  return found as unknown as Resources;
};

export const listResources = async (database: Database, kind: Kind) =>
  await database.all<Resource & { readonly changedAt: Date }>`
    select code, data, changed_at from fleet.resources where kind = ${kind} order by code`;

/** What is wrong with a resource that stands at `at`; `known` says what it may refer to. */
export const resourceIssues = (kind: Kind, data: unknown, known: Resources): readonly Issue[] => {
  const read = CHECKS[kind](data);
  if (!read.ok) return read.issues;
  const issues: Issue[] = [];
  const refers = (field: string, to: 'depots' | 'zones' | 'vehicles' | 'drivers', code: unknown): void => {
    if (typeof code === 'string' && !known[to].has(code))
      issues.push(issueAt(field, 'not_one_of', `names ${code}, which is none of the ${to}`));
  };
  const given = data as Readonly<Record<string, unknown>>;
  if (kind !== 'depots') refers('depot', 'depots', given['depot']);
  refers('vehicle', 'vehicles', given['vehicle']);
  refers('driver', 'drivers', given['driver']);
  if (kind === 'drivers')
    for (const [at, zone] of ((given['zones'] ?? []) as readonly string[]).entries())
      refers(`zones[${at}]`, 'zones', zone);
  for (const name of ['shifts', 'breaks', 'slots'] as const)
    for (const [at, { from, to }] of ((given[name] ?? []) as readonly { from: string; to: string }[]).entries())
      if (to <= from) issues.push(issueAt(`${name}[${at}].to`, 'window_order', `is not after from: ${from} to ${to}`));
  if (kind === 'depots' && String(given['closes']) <= String(given['opens']))
    issues.push(issueAt('closes', 'window_order', 'is not after opens'));
  for (const [at, written] of ((given['postcodes'] ?? []) as readonly string[]).entries())
    if (parsePostcodes(written) === undefined)
      issues.push(
        issueAt(`postcodes[${at}]`, 'malformed', `must be like 10117, 10* or 20000..29999, and is ${written}`),
      );
  return issues;
};

const CHECKS = Object.fromEntries(
  Object.entries(SHAPES).map(([kind, shape]) => [kind, validator(shape, 'the resource')]),
) as Readonly<Record<Kind, ReturnType<typeof validator>>>;

export const putResources = async (database: Database, kind: Kind, resources: readonly Resource[]): Promise<number> =>
  await database.run`
    insert into fleet.resources (kind, code, data)
    select ${kind}, code, data from jsonb_to_recordset(${JSON.stringify(resources)}::jsonb) as given (code text, data jsonb)
    on conflict (kind, code) do update set data = excluded.data, changed_at = now()
    where resources.data is distinct from excluded.data`;

export const removeResource = async (database: Database, kind: Kind, code: string): Promise<boolean> =>
  (await database.run`delete from fleet.resources where kind = ${kind} and code = ${code}`) > 0;

/** What of the resources, or of work that is not done, names this one. */
export const usersOf = async (database: Database, kind: Kind, code: string): Promise<readonly string[]> => {
  if (!isKind(kind)) return [];
  const field = kind === 'depots' ? 'depot' : kind.slice(0, -1);
  const rows = await database.all<{ name: string }>`
    select kind || ' ' || code as name from fleet.resources
    where data ->> ${field} = ${code} or (${kind} = 'zones' and kind = 'drivers' and data -> 'zones' ? ${code})
    union all
    select 'task ' || reference_id from fleet.tasks
    where state in ('open', 'planned', 'out', 'failed') and (case ${kind} when 'depots' then depot when 'zones' then zone end) = ${code}
    union all
    select 'route ' || id from fleet.routes
    where state in ('planned', 'started') and (case ${kind} when 'drivers' then driver when 'vehicles' then vehicle end) = ${code}
    limit 5`;
  return rows.map(({ name }) => name);
};
