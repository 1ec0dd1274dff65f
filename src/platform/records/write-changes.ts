/** The only way to change consignments: many changes in one statement, each unit of them whole or not at all. */
import { piece } from '../../engine/large.ts';
import { lacksNumbers } from './acceptance.ts';
import { upsertCalls } from './attempt-log.ts';
import type { ConsignmentChange, DispatchEnding } from './change.ts';
import {
  consignmentPart,
  given,
  identifierParts,
  labelParts,
  type Member,
  moveParts,
  noticeParts,
  packageParts,
  supersededPart,
} from './change-parts.ts';
import { type ReservedSlots, type DeliverySender, type LeasedDelivery, notifyDeliveries } from './deliveries.ts';
import { ADOPTION, type Adoption, adoptionProof, eventParts, type NewEvent } from './events.ts';
import { insertExchanges } from './exchanges.ts';
import { pushParts, pushProof, type WrittenPush } from './pushes.ts';
import { join, queryPrepared, type Queryable, rowsOf, sql, type Sql, notifyWork } from './sql.ts';
import { GIVEN_TO } from './tracking-numbers.ts';

/** Changes of different consignments that belong together, and the pushes that brought them. */
export interface Unit {
  readonly changes: readonly ConsignmentChange[];
  readonly pushes?: readonly (WrittenPush & {
    readonly events: readonly NewEvent[];
    readonly adoptions: readonly Adoption[];
  })[];
}

export type Written =
  /** `nextDispatchId`: it waited for the end of the one that has ended. `pushIds`: of its pushes, in their order. */
  | { readonly kind: 'written'; readonly nextDispatchId: number | undefined; readonly pushIds: readonly number[] }
  /** A consignment has changed since it was read, or is locked by who may change it. */
  | { readonly kind: 'outdated' }
  /** The dispatch is another worker's by now, or the push or an event of it was taken by another. */
  | { readonly kind: 'lease_lost' }
  /** `by`: the reference of another consignment of the account, under way, whose tracking number the carrier gave. */
  | { readonly kind: 'number_taken'; readonly number: string; readonly by: string };

/** Who waits for a dispatch listens here; the payload is its id. */
export const DISPATCH_CHANNEL = 'waybill_dispatch';

interface Row extends Omit<LeasedDelivery, 'body' | 'trace'> {
  /** Undefined: it is a delivery. */
  readonly unit: number | undefined;
  readonly isCurrent: boolean;
  readonly isReady: boolean;
  /** There are deliveries for others to take up. */
  readonly isDue: boolean;
  readonly nextDispatchId: number | undefined;
  readonly taken: { readonly number: string; readonly by: string } | undefined;
  readonly pushIds: readonly number[] | undefined;
}

/**
 * Yields what became of each unit, in their order. No consignment, dispatch or event may be in two of them. Outside of a
 * longer transaction, deliveries for which `sender` has free slots are written claimed by this process, and sent at once.
 */
export const writeChanges = async (
  client: Queryable,
  units: readonly Unit[],
  sender?: DeliverySender,
): Promise<readonly Written[]> => {
  if (units.length === 0) return [];
  const notices = units.flatMap(({ changes }) =>
    changes.flatMap(({ notices: own, trace }) => own.map(({ id, body }) => ({ id, said: { body, trace } }))),
  );
  const reserved = notices.length === 0 ? undefined : sender?.reserve(notices.length);
  const leased: LeasedDelivery[] = [];
  try {
    const written: Written[] = [];
    const saidIn = new Map(notices.map(({ id, said }) => [id, said]));
    for (const row of await queryPrepared<Row>(client)`${await piece(() => statementOf(units, reserved))}`) {
      const { unit, isCurrent, isReady, isDue, nextDispatchId, taken, pushIds = [], ...delivery } = row;
      if (unit === undefined) leased.push({ ...delivery, ...(saidIn.get(delivery.webhookId) ?? { body: '' }) });
      else if (isReady) written[unit] = { kind: 'written', nextDispatchId, pushIds };
      else if (isCurrent && taken !== undefined) written[unit] = { kind: 'number_taken', ...taken };
      else written[unit] = { kind: isCurrent ? 'lease_lost' : 'outdated' };
      if (isDue && reserved !== undefined) sender?.wake();
    }
    return written;
  } finally {
    if (reserved !== undefined) sender?.take(leased, reserved);
  }
};

/** What rests on a consignment's being as it was read, and on a dispatch's lease, joins the parts that prove it. */
const statementOf = (units: readonly Unit[], reserved: ReservedSlots | undefined): Sql => {
  const members = units.flatMap(({ changes }, unit) => changes.map((change) => ({ ...change, unit })));
  const endings = members.flatMap(({ unit, ending }) => (ending === undefined ? [] : [{ ...ending, unit }]));
  const pushes = units
    .flatMap(({ pushes: own = [] }, unit) => own.map((push) => ({ ...push, unit })))
    .map((push, at) => ({ ...push, at }));
  const events = pushes.flatMap(({ at, events }) => events.map((event) => ({ ...event, at })));
  const adoptions = pushes.flatMap(({ unit, adoptions }) => adoptions.map((adoption) => ({ ...adoption, unit })));
  const numbers = members.flatMap(numbersGiven);
  const hasNames = members.some(({ identifiers }) => identifiers.length > 0);
  const hasNotices = members.some(({ notices }) => notices.length > 0);
  const hasLabels = members.some(({ labels }) => labels.size > 0);
  const parts = [
    ...currentUnits(units, members),
    ...given(endings, ...endingProof(endings)),
    ...given(pushes, ...pushProof(pushes)),
    ...given(adoptions, ...adoptionProof(adoptions)),
    ...given(numbers, ...takenNumbers(numbers)),
    readyUnits(endings, pushes, adoptions, numbers),
    ...given(members, consignmentPart(members)),
    ...moveParts(members),
    ...packageParts(members),
    ...identifierParts(
      members,
      pushes.some(({ push }) => push.id !== undefined),
    ),
    ...labelParts(members),
    ...noticeParts(members, reserved),
    ...endingParts(endings),
    ...supersededPart(members),
    ...given(pushes, ...pushParts(pushes, hasNames)),
    ...given(events, eventParts(events)),
    ...given(adoptions, ADOPTION),
  ];
  const told = [
    ...given(
      endings,
      sql`(select count(pg_notify(${DISPATCH_CHANNEL}, id::text)) from ended where state <> 'waiting')`,
    ),
    ...(hasNotices ? [notifyDeliveries(reserved)] : []),
    ...(hasLabels
      ? [sql`(select ${notifyWork('label')} from (select from labelled where state = 'pending' limit 1) due)`]
      : []),
    ...(hasNames ? [sql`(select ${notifyWork('push')} from (select from awaiting limit 1) one)`] : []),
  ];
  const none = sql`null::bigint as delivery_id, null as subscription_id, null as webhook_id, null as url,
    null::bytea as secret, null::bytea as old_secret, null::timestamptz as old_secret_until_ms,
    null::bytea as headers, null::int[] as retry_after_seconds`;
  const leased = sql`union all
    select null, false, false, false, null, null, null, id, subscription_id, notice_id, url, secret, old_secret, old_secret_until,
      headers, retry_after_seconds
      ${join([sql``, ...told.map(() => sql`null`)], ', ')}
    from delivery where is_leased`;
  return sql`
    with ${join(parts, ',\n')}
    select unit.unit, current.unit is not null as is_current, ready.unit is not null as is_ready,
      ${reserved === undefined ? sql`false` : sql`exists (select from delivery where is_due)`} as is_due,
      ${endings.length > 0 ? sql`(select min(next.id) from next where next.unit = unit.unit)` : sql`null::bigint`}
        as next_dispatch_id,
      ${numbers.length > 0 ? sql`(select said from taken_number where taken_number.unit = unit.unit)` : sql`null::json`} as taken,
      ${pushes.length > 0 ? sql`(select json_agg(id order by at) from push where push.unit = unit.unit)` : sql`null::json`}
        as push_ids,
      ${join([none, ...told], ', ')}
    from unit left join current using (unit) left join ready using (unit)
    ${reserved === undefined ? sql`` : leased}`;
};

type Ending = DispatchEnding & { readonly unit: number };

/** Units all of whose consignments are as they were read. */
const currentUnits = (units: readonly Unit[], members: readonly Member[]): readonly Sql[] => [
  sql`unit as (
    select * from ${rowsOf(
      'unit',
      units.map(({ changes }, unit) => ({ unit, changes: changes.length })),
      'unit int, changes int',
    )})`,
  sql`change as (
    select * from ${rowsOf(
      'change',
      members.map(({ unit, before, after, isVisible }) => ({
        ...after,
        unit,
        version: before.version,
        isNew: after !== before,
        master: after.masterTrackingNumber,
        memo: after.memo === before.memo ? undefined : after.memo,
        sequence: after.noticeSequence,
        counts: after.eventCounts === before.eventCounts ? undefined : after.eventCounts,
        isVisible,
        lacksNumbers: lacksNumbers(after) || undefined,
        isReleased: after.acceptance === 'rejected' && before.acceptance !== 'rejected',
      })),
      `unit int, id bigint, version int, is_new boolean, acceptance text, status text, master text, memo json,
       sequence int, counts json, is_visible boolean, lacks_numbers boolean, is_released boolean`,
    )})`,
  // One that somebody changes at this moment is as good as outdated: the others do not wait for its lock.
  sql`locked as (
    select c.id from change join consignments c on c.id = change.id and c.version = change.version
    order by c.id for no key update of c skip locked)`,
  sql`current as (
    select unit.unit from unit left join change using (unit) left join locked using (id)
    group by unit.unit, unit.changes having count(locked.id) = unit.changes)`,
];

/** `held`: dispatches whose lease holds, or that are held. They end only with all that belongs to their unit. */
const endingProof = (endings: readonly Ending[]): readonly Sql[] => [
  sql`ending as (select * from ${rowsOf(
    'ending',
    endings,
    `unit int, id bigint, lease uuid, state text, due_at timestamptz, away_since timestamptz, failure json, result text,
     ended_at timestamptz`,
    {
      id: ({ dispatchId }) => dispatchId,
      result: ({ result }) => JSON.stringify(result, withoutLabels),
      ended_at: ({ state, endedAtMs }) => (state === 'waiting' ? undefined : endedAtMs),
    },
  )})`,
  sql`held as (
    select d.id from ending join current using (unit) join dispatches d on d.id = ending.id
    where d.lease is not distinct from ending.lease
      and d.state = case when ending.lease is null then 'held' else 'sending' end
    order by d.id for no key update of d)`,
];

const ENDED = sql`ended as (
  update dispatches d set state = ending.state, due_at = coalesce(ending.due_at, d.due_at),
    away_since = ending.away_since, failure = ending.failure, result = coalesce(ending.result, d.result), lease = null, lease_until = null,
    finished_at = ending.ended_at
  from ending join ready using (unit) where d.id = ending.id
  returning ending.unit, d.id, d.consignment_id, d.state, d.finished_at)`;

/**
 * Tracking numbers that a carrier gave to whoever asked under a lease. Sandboxes are left out: many of them give one
 * number to all.
 */
const numbersGiven = ({ unit, before, ending, identifiers }: Member) =>
  ending?.lease === undefined || before.environment === 'sandbox'
    ? []
    : identifiers.flatMap(({ kind, value }) => (kind === 'Tracking' ? [{ unit, id: before.id, value }] : []));

/** Units with a number of another live consignment of the account: in the records, or earlier in the batch. */
const takenNumbers = (numbers: ReturnType<typeof numbersGiven>): readonly Sql[] => [
  sql`number as (
    select number.*, c.account_id, c.carrier_code, c.reference_number as reference
    from ${rowsOf('number', numbers, 'unit int, id bigint, value text')} join consignments c using (id))`,
  sql`taken_number as (
    select distinct on (n.unit) n.unit, json_build_object('number', n.value, 'by', other.reference) as said
    from number n cross join lateral (
      (select reference from number earlier
        where earlier.value = n.value and earlier.account_id = n.account_id and earlier.unit < n.unit)
      union all
      (select reference from (${GIVEN_TO}) given)
      limit 1) other
    order by n.unit)`,
];

/** Units of which everything may be written. */
const readyUnits = (
  endings: readonly unknown[],
  pushes: readonly WrittenPush[],
  adoptions: readonly unknown[],
  numbers: readonly unknown[],
): Sql => {
  const lost = [
    ...given(endings, sql`select ending.unit from ending left join held using (id) where held.id is null`),
    ...given(adoptions, sql`select unit from unadopted`),
    ...given(numbers, sql`select unit from taken_number`),
    ...(pushes.every(({ push }) => push.id === undefined)
      ? []
      : [sql`select push.unit from push left join taken using (id) where not is_new and taken.id is null`]),
  ];
  const held = lost.length === 0 ? sql`` : sql`where unit not in (${join(lost, ' union all ')})`;
  return sql`ready as (select unit from current ${held})`;
};

/** The result for people and replies: labels are kept as labels, not twice. */
const withoutLabels = (key: string, value: unknown): unknown => (key === 'label' ? undefined : value);

const endingParts = (endings: readonly Ending[]): readonly Sql[] => {
  const calls = endings.flatMap(({ dispatchId, calls }) => calls.map((call) => ({ ...call, dispatchId })));
  const exchanges = endings.flatMap((ending) => ending.exchanges);
  const written = sql`select 1 from called
    where called.dispatch_id = c.dispatch_id and called.step = c.step and called.element = c.element`;
  return given(
    endings,
    ENDED,
    ...given(
      calls,
      sql`called as (
        ${upsertCalls(calls, sql`join ended on ended.id = call.dispatch_id`)} returning dispatch_id, step, element)`,
    ),
    ...given(
      exchanges,
      sql`exchanged as (${insertExchanges(exchanges)} join ended on ended.id = exchange.dispatch_id)`,
    ),
    // Raw answers serve to resume; a dispatch that ended well needs none.
    sql`cleared as (
      update calls c set answer = null from ended
      where c.dispatch_id = ended.id and ended.state in ('done', 'rejected') and c.answer is not null
        ${calls.length === 0 ? sql`` : sql`and not exists (${written})`})`,
    // Actions on one consignment run one after another: the end of one is what the next was waiting for. The states are
    // those it is not in, or PostgreSQL may look through all that is unfinished, which is much when there is a backlog.
    sql`next as (
      select ended.unit, later.id from ended join dispatches later
        on later.consignment_id = ended.consignment_id and later.id > ended.id 
          and later.state not in ('sending', 'done', 'rejected', 'held', 'cancelled')
      where ended.state <> 'waiting')`,
  );
};
