/** Plans: errands that come again on certain days. Which days these are, and what is made then, each kind knows. */
import type { Pool, PoolClient } from 'pg';
import { recordAudit } from './audit.ts';
import type { Errand, ErrandEnd } from './errands.ts';
import { type Owner, ownedBy } from './shippers.ts';
import {
  countRows,
  dateOf,
  execute,
  type Filter,
  matching,
  queryAll,
  type Queryable,
  queryFirst,
  queryOne,
  sql,
  type Sql,
} from './sql.ts';

/** For which day the next errand is made, and when. */
export interface NextErrand {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly dueAtMs: number;
}

export interface PlanKey extends Owner {
  readonly kind: string;
  readonly code: string;
}
export interface Plan extends PlanKey, Partial<NextErrand> {
  readonly id: number;
  readonly shipper: string;
  readonly carrierCode: string;
  readonly facilityCode: string | undefined;
  readonly request: unknown;
  /** Of the last errand that was not made, or not done. */
  readonly failure: { readonly day: string; readonly code: string; readonly messages: readonly string[] } | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

const COLUMNS = sql`p.id, kind, shipper_id, environment, p.code, s.code as shipper, carrier_code, facility_code,
  request::json as request, day::text as day, due_at as due_at_ms, failure::json as failure,
  p.created_at as created_at_ms, p.updated_at as updated_at_ms`;
const FROM = sql`plans p join shippers s on s.id = p.shipper_id`;
const isNamed = ({ kind, code, ...owner }: PlanKey): Sql =>
  sql`${ownedBy(owner)} and kind = ${kind} and p.code = ${code}`;

/** Puts it in the place of the one with this code; without a next errand it has ended. */
export const savePlan = async (
  client: Queryable,
  key: PlanKey,
  plan: Pick<Plan, 'carrierCode' | 'facilityCode' | 'request'>,
  next: NextErrand | undefined,
): Promise<Plan> => {
  await execute(client)`
    insert into plans (kind, shipper_id, environment, code, carrier_code, facility_code, request, day, due_at)
    values (${key.kind}, ${key.shipperId}, ${key.environment}, ${key.code}, ${plan.carrierCode}, ${plan.facilityCode},
      ${JSON.stringify(plan.request)}, ${next?.day}, ${dateOf(next?.dueAtMs)})
    on conflict (shipper_id, environment, kind, code) do update set carrier_code = excluded.carrier_code,
      facility_code = excluded.facility_code, request = excluded.request, day = excluded.day, due_at = excluded.due_at,
      failure = null, updated_at = now()`;
  return await queryOne<Plan>(client)`select ${COLUMNS} from ${FROM} where ${isNamed(key)}`;
};

export const findPlan = async (client: Queryable, key: PlanKey): Promise<Plan | undefined> =>
  await queryFirst<Plan>(client)`select ${COLUMNS} from ${FROM} where ${isNamed(key)}`;

const ENDED = sql`day = null, due_at = null, failure = null, updated_at = now()`;

/** What it made stays; false: there is none that goes on. */
export const endPlan = async (client: Queryable, key: PlanKey): Promise<boolean> =>
  (await execute(client)`update plans p set ${ENDED} where ${isNamed(key)} and due_at is not null`) > 0;

/** For operators; yields what is ended. */
export const endPlanById = async (client: PoolClient, id: number, actor: string): Promise<boolean> => {
  const ended = await execute(client)`update plans set ${ENDED} where id = ${id} and due_at is not null`;
  if (ended > 0) await recordAudit(client, { actor, action: 'end_plan', subject: `plan:${id}` });
  return ended > 0;
};

interface PlanFilter extends Filter<Plan, 'kind' | 'shipper' | 'carrierCode' | 'facilityCode'> {
  readonly owner?: Owner | undefined;
  readonly failing?: boolean | undefined;
  readonly afterId?: number | undefined;
  readonly limit: number;
}

/** Those that go on. */
export const listPlans = async (
  client: Queryable,
  { owner, kind, shipper, carrierCode, facilityCode, failing = false, afterId, limit }: PlanFilter,
): Promise<readonly Plan[]> =>
  await queryAll<Plan>(client)`
    select ${COLUMNS} from ${FROM} where due_at is not null
      and ${owner === undefined ? sql`true` : ownedBy(owner)} and ${failing ? sql`failure is not null` : sql`true`}
      and ${matching({ 'p.id >': afterId, 'kind =': kind, 's.code =': shipper })}
      and ${matching({ 'carrier_code =': carrierCode, 'facility_code =': facilityCode })}
    order by p.id limit ${limit}`;

export const countFailingPlans = async (pool: Pool): Promise<number> =>
  await countRows(pool, sql`plans where failure is not null and due_at is not null`);

/** The one that has been due the longest, for nobody else until the transaction ends. Those of shippers out of use rest. */
export const takeDuePlan = async (client: PoolClient, nowMs: number): Promise<Plan | undefined> =>
  await queryFirst<Plan>(client)`
    select ${COLUMNS} from ${FROM} where due_at <= ${new Date(nowMs)} and s.state = 'active'
    order by due_at limit 1 for update of p skip locked`;

/** `failure` undefined: as it is. */
export const goOn = async (
  client: Queryable,
  id: number,
  next: NextErrand | undefined,
  failure?: Plan['failure'],
): Promise<void> => {
  await execute(client)`
    update plans set day = ${next?.day}, due_at = ${dateOf(next?.dueAtMs)},
      failure = coalesce(${failure && JSON.stringify(failure)}, failure)
    where id = ${id}`;
};

/** What became of the errand that it made. */
export const notePlanned = async (
  client: PoolClient,
  { planId, day }: Pick<Errand, 'planId' | 'day'>,
  { state, problem }: Pick<ErrandEnd, 'state' | 'problem'>,
): Promise<void> => {
  const failure = { day, code: problem?.code ?? state, messages: problem?.messages ?? [] } satisfies Plan['failure'];
  await execute(client)`
    update plans set failure = ${state === 'done' ? undefined : JSON.stringify(failure)} where id = ${planId}`;
};
