/**
 * How a consignment stands with its carrier, as shippers are told: `acceptance` of the records is what the carrier has
 * said; what is held or under way of what was asked since counts as well.
 */
import type { Accepted } from '../../engine/consignment/answer.ts';
import type { Acceptance, Standing, Warning } from '../../engine/consignment/reply.ts';
import { fieldsOfProblem, type Problem } from '../../engine/failure.ts';
import { sql, type Sql } from './sql.ts';

/** As the records keep them, in JSON: what they quote may be more than PostgreSQL's JSON can hold. */
export interface Stands {
  readonly acceptance: Acceptance;
  /** Of the last dispatch that is held or was rejected, else of one that waits, else of a create in part. */
  readonly failure?: string | null;
  /** When that is tried again, milliseconds since 1970. */
  readonly dueAtMs?: number | null;
  /** Of the last create or update that brought something, be it a part. */
  readonly result?: string | null;
}

/** Why a dispatch `d` is held. As text: what a failure quotes may be more than PostgreSQL's JSON can hold. */
export const WHY = sql`substring(d.failure from '^[{]"why":"([a-z_]+)"')`;

/** What exists stands, and the rest waits for a retry. */
const IS_PART = sql`${WHY} is not distinct from 'partial'`;

const WORD = sql`case when c.acceptance in ('rejected', 'cancelled') then c.acceptance
  when bool_or(d.state = 'held' and not ${IS_PART}) then 'held'
  when c.acceptance = 'pending' or bool_or(d.state in ('pending', 'sending', 'waiting')) then 'pending'
  when (select count(tracking_number) < count(*) and (count(tracking_number) > 0 or bool_or(d.state = 'held' and ${IS_PART}))
    from packages where consignment_id = c.id) then 'partial'
  else 'accepted' end`;

const FAILURE = sql`(array_agg(d.failure order by ${IS_PART}, d.state, d.id desc) filter (where
  case c.acceptance when 'rejected' then d.state = 'rejected' else d.state in ('held', 'waiting') end))[1]`;

const DUE = sql`floor(extract(epoch from min(d.due_at) filter (where d.state = 'waiting')) * 1000)`;

const RESULT = sql`(array_agg(d.result order by d.id desc)
  filter (where d.state in ('done', 'held') and d.operation in ('create', 'update') and d.result is not null))[1]`;

/** Of the dispatches of a consignment `c`. */
const ofDispatches = (value: Sql): Sql => sql`(select ${value} from dispatches d where d.consignment_id = c.id)`;

/** Columns of a consignment `c`; `BRIEFLY`: without what its carrier brought. */
export const STANDS = ofDispatches(
  sql`json_build_object('acceptance', ${WORD}, 'failure', ${FAILURE}, 'dueAtMs', ${DUE}, 'result', ${RESULT})`,
);
export const STANDS_BRIEFLY = ofDispatches(
  sql`json_build_object('acceptance', ${WORD}, 'failure', ${FAILURE}, 'dueAtMs', ${DUE})`,
);

/** Those of a list, looked up one by one: PostgreSQL may take a sub-query for a reason to look through all there are. */
export const isOneOf = (ids: Sql): Sql => sql`c.id = any (array(${ids}))`;

/** Begins with what an index tells, so that few are looked at more closely; most are accepted. */
const NARROWLY: Readonly<Record<Acceptance, Sql>> = {
  accepted: sql`c.acceptance = 'accepted'`,
  partial: isOneOf(sql`select id from consignments where lacks_numbers`),
  pending: isOneOf(sql`select consignment_id from dispatches where state in ('pending', 'sending', 'waiting')`),
  held: isOneOf(sql`select consignment_id from dispatches where state = 'held'`),
  rejected: sql`c.released_at is not null`,
  cancelled: sql`c.cancelled_at is not null`,
};

/** Its carrier has taken it and has not given all numbers: it may be `partial`. */
export const lacksNumbers = ({
  acceptance,
  packages,
}: {
  readonly acceptance: string;
  readonly packages: readonly { readonly trackingNumber: string | undefined }[];
}): boolean => acceptance === 'accepted' && packages.some(({ trackingNumber }) => trackingNumber === undefined);

/** A condition on a consignment `c`. */
export const standsAs = (acceptance: Acceptance): Sql =>
  sql`${NARROWLY[acceptance]} and ${ofDispatches(WORD)} = ${acceptance}`;

/** As replies say it: with a reason where it is held, was rejected, waits or lacks a part, and when it is tried again. */
export const standingOf = ({ acceptance, failure, dueAtMs }: Stands): Standing => {
  const waits = acceptance === 'pending' && typeof dueAtMs === 'number';
  const isMissing = acceptance === 'partial' && typeof failure === 'string';
  if (acceptance !== 'held' && acceptance !== 'rejected' && !isMissing && !waits) return { acceptance };
  const { problem } = JSON.parse(failure ?? '{}') as { readonly problem?: Problem };
  const message = problem?.messages.join('; ') ?? '';
  const code = problem?.code ?? acceptance;
  const reason = {
    code,
    message: message === '' ? 'no reason was given' : message,
    ...fieldsOfProblem(problem ?? {}),
  };
  return { acceptance, reason, ...(waits && { nextTryAt: new Date(dueAtMs).toISOString() }) };
};

/** What the carrier wanted to be known of what it accepted, and what was not done. */
export const acceptedWarningsOf = ({ result }: Stands): readonly Warning[] =>
  ((JSON.parse(result ?? '{}') as Partial<Accepted>).warnings ?? []).map((warning) =>
    typeof warning === 'string' ? { code: 'carrier_warning', message: warning } : warning,
  );
