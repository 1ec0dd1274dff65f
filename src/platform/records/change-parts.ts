/** Parts of the statement that writes changes, one for each table of a consignment. */
import type { ConsignmentChange, ChangedPackage } from './change.ts';
import { eventNames } from './delivery-log.ts';
import { deliveryParts, type ReservedSlots } from './deliveries.ts';
import { GIVEN_BY_CARRIER } from './identifiers.ts';
import { rowsOf, sql, type Sql } from './sql.ts';

/** A change with the number of its unit. */
export type Member = ConsignmentChange & { readonly unit: number };

/** A part that a batch does not need is left out, so the texts are few and each is planned once. */
export const given = (rows: readonly unknown[], ...parts: readonly Sql[]): readonly Sql[] =>
  rows.length === 0 ? [] : parts;

/** Rows of what belongs to consignments, each with the id of its own. */
const ofEach = <Row extends object>(members: readonly Member[], rowsOfOne: (member: Member) => readonly Row[]) =>
  members.flatMap((member) => rowsOfOne(member).map((row) => ({ ...row, of: member.before.id })));

export const consignmentPart = (members: readonly Member[]): Sql => {
  const adopting = members.filter(
    ({ adopted, before, after }) => adopted !== undefined || after.choice !== before.choice,
  );
  const rows = rowsOf(
    'adopted',
    adopting.map(({ adopted, after }) => ({
      ...after,
      canonical: adopted?.consignment,
      orderText: adopted?.orderText,
    })),
    'id bigint, canonical json, order_text text, order_types json, carrier_code text, account_id bigint, choice json',
  );
  const columns = sql`, choice = case when adopted.id is null then c.choice else adopted.choice end, canonical = coalesce(adopted.canonical, c.canonical),
    order_text = coalesce(adopted.order_text, c.order_text),
    carrier_code = coalesce(adopted.carrier_code, c.carrier_code), account_id = coalesce(adopted.account_id, c.account_id),
    order_types = case when adopted.id is null then c.order_types
      else array(select json_array_elements_text(adopted.order_types::json)) end`;
  const isAdopting = adopting.length > 0;
  return sql`changed as (
    update consignments c set version = c.version + 1, acceptance = change.acceptance, status = change.status,
      master_tracking_number = change.master, memo = coalesce(change.memo, c.memo),
      notice_sequence = change.sequence, event_counts = coalesce(change.counts, c.event_counts), updated_at = case when is_visible then now() else c.updated_at end,
      lacks_numbers = change.lacks_numbers, released_at = case when is_released then now() else c.released_at end,
      cancelled_at = case when change.acceptance = 'cancelled' then coalesce(c.cancelled_at, now()) end ${isAdopting ? columns : sql``}
    from change join ready using (unit) ${isAdopting ? sql`left join ${rows} on adopted.id = change.id` : sql``}
    where c.id = change.id and change.is_new
    returning change.unit, c.id, c.carrier_code, c.shipper_id, c.environment, c.order_types)`;
};

/** What was held of a shipment goes with it. */
export const supersededPart = (members: readonly Member[]): readonly Sql[] => {
  const last = members.flatMap(({ ending, after, forgetsNumbers }) =>
    ending !== undefined && (forgetsNumbers || after.acceptance === 'cancelled') ? [ending.dispatchId] : [],
  );
  return given(
    last,
    sql`superseded as (
      update dispatches d set state = 'cancelled', finished_at = ended.finished_at from ended
      where ended.id = any (${last}::bigint[]) and d.consignment_id = ended.consignment_id and d.id < ended.id
        and case d.state when 'held' then true else false end)`,
  );
};

/** The creates of consignments that go to another carrier; whoever looks for work finds them. */
export const moveParts = (members: readonly Member[]): readonly Sql[] => {
  const moving = ofEach(members, ({ moveTo, trace }) => (moveTo === undefined ? [] : [{ ...moveTo, trace }]));
  return given(
    moving,
    sql`sent_on as (
      insert into dispatches (consignment_id, operation, profile_hash, account_id, input, trace)
      select changed.id, 'create', moving.profile_hash, moving.account_id, moving.inputs, moving.trace
      from ${rowsOf('moving', moving, 'of bigint, profile_hash text, account_id bigint, inputs json, trace text')}
        join changed on changed.id = moving.of)`,
  );
};

export const packageParts = (members: readonly Member[]): readonly Sql[] => {
  const isNew = ({ before }: Member, { position }: ChangedPackage) => position >= before.packages.length;
  const moved = ofEach<ChangedPackage>(members, (one) =>
    one.after.packages.filter((it) => !isNew(one, it) && it !== one.before.packages[it.position]),
  );
  const added = ofEach<ChangedPackage>(members, (one) => one.after.packages.filter((it) => isNew(one, it)));
  const fewer = ofEach(members, ({ before, after: { packages } }) =>
    packages.length < before.packages.length ? [{ left: packages.length }] : [],
  );
  const asRows = (packages: typeof moved): Sql =>
    rowsOf(
      'now',
      packages,
      `of bigint, position int, reference text, tracking_number text, memo json, status text, reason text,
       status_at timestamptz, poll_at timestamptz, poll text`,
      {
        poll_at: ({ poll }) => poll?.atMs,
        poll: ({ poll }) => poll && (poll.atLatest === true ? 'at latest' : 'then'),
      },
    );
  return [
    ...given(
      moved,
      sql`moved as (
        update packages p set reference = now.reference, tracking_number = now.tracking_number, memo = now.memo,
          status = now.status, reason = now.reason, status_at = now.status_at,
          poll_at = case now.poll when 'then' then now.poll_at when 'at latest' then least(p.poll_at, now.poll_at)
            else p.poll_at end
        from ${asRows(moved)} join changed on changed.id = now.of
        where p.consignment_id = now.of and p.position = now.position)`,
    ),
    ...given(
      added,
      sql`added as (
        insert into packages (consignment_id, position, reference, tracking_number, memo, status, reason, status_at, poll_at)
        select now.of, position, reference, tracking_number, memo, status, reason, status_at, poll_at
        from ${asRows(added)} join changed on changed.id = now.of)`,
    ),
    ...given(
      fewer,
      sql`removed as (
        delete from packages p using ${rowsOf('fewer', fewer, 'of bigint, left int')} join changed on changed.id = fewer.of
        where p.consignment_id = fewer.of and p.position >= fewer.left)`,
    ),
  ];
};

/** `writesKnownPushes`: of the units `ready`, whose pushes hear of it where they are written. */
export const identifierParts = (members: readonly Member[], writesKnownPushes: boolean): readonly Sql[] => {
  const identifiers = ofEach(members, (one) => one.identifiers);
  const forgetting = members.filter(({ forgetsNumbers }) => forgetsNumbers).map(({ before }) => before.id);
  const forgotten = sql`select id, carrier_code from changed where id = any (${forgetting}::bigint[])`;
  /** Among those that are written now: no row is touched twice. */
  const isNamed = (name: Sql): Sql =>
    identifiers.length === 0
      ? sql`false`
      : sql`exists (select 1 from identifier i
          where i.of = f.id and (i.kind, i.value, i.position) is not distinct from (${name}))`;
  return [
    ...given(
      identifiers,
      sql`identifier as (
        select * from ${rowsOf('identifier', identifiers, 'of bigint, kind text, value text, position int')})`,
      // Also where the shipment of before had that name.
      sql`named as (
        insert into identifiers (carrier_code, kind, value, consignment_id, position)
        select distinct carrier_code, kind, value, id, position from identifier join changed on changed.id = identifier.of
        on conflict (carrier_code, kind, value, consignment_id, position) do update set gone = false
        where identifiers.gone)`,
      // Events that came before the name: their pushes are looked at again, at once.
      sql`awaiting as (
        select distinct e.push_id as id from identifier i join changed on changed.id = i.of
          join events e on e.carrier_code = changed.carrier_code and e.sought_kind = i.kind
            and e.sought_value = i.value and e.match <> 'matched')`,
      sql`awaited as (
        update pushes p set due_at = now() from (
          select id from pushes where id in (select id from awaiting)
            ${writesKnownPushes ? sql`and id not in (select known from push join ready using (unit) where not is_new)` : sql``}
          order by id for no key update) named
        where p.id = named.id returning p.id)`,
    ),
    // Kept, for its carrier may go on speaking of it: also those that only events named.
    ...given(
      forgetting,
      sql`outlived as (
        update events e set gone = true from (${forgotten}) f where e.consignment_id = f.id and gone is not true)`,
      sql`forgotten as (
        update identifiers old set gone = true from (${forgotten}) f
        where old.consignment_id = f.id and old.kind ${GIVEN_BY_CARRIER} and not ${isNamed(sql`old.kind, old.value, old.position`)})`,
      sql`remembered as (
        insert into identifiers (carrier_code, kind, value, consignment_id, gone)
        select distinct e.carrier_code, sought_kind, sought_value, f.id, true
        from events e join (${forgotten}) f on f.id = e.consignment_id
        where sought_kind ${GIVEN_BY_CARRIER} and not ${isNamed(sql`sought_kind, sought_value, null::int`)}
        on conflict do nothing)`,
    ),
  ];
};

export const labelParts = (members: readonly Member[]): readonly Sql[] => {
  const labels = ofEach(members, (one) => [...one.labels.values()]);
  const revoked = members.flatMap(({ before, after }) =>
    before.labels
      .filter(
        ({ id, state }) => state !== 'revoked' && after.labels.some((one) => one.id === id && one.state === 'revoked'),
      )
      .map(({ id }) => ({ id, of: before.id })),
  );
  return [
    ...given(
      labels,
      sql`labelled as (
        insert into labels (id, consignment_id, position, state, format, content, source_url, failure, failure_code, due_at, stored_at)
        select label.* from ${rowsOf(
          'label',
          labels,
          `id text, of bigint, position int, state text, format text, content bytea, source_url text, failure text,
           failure_code text, due_at timestamptz, stored_at timestamptz`,
          {
            due_at: ({ state, atMs }) => (state === 'pending' ? atMs : undefined),
            stored_at: ({ state, atMs }) => (state === 'stored' ? atMs : undefined),
          },
        )} join changed on changed.id = label.of
        on conflict (id) do update set state = excluded.state, format = excluded.format, content = excluded.content,
          source_url = excluded.source_url, failure = excluded.failure,
          failure_code = excluded.failure_code, due_at = excluded.due_at, tries = 0, until_at = null, stored_at = excluded.stored_at
        returning id, state)`,
    ),
    ...given(
      revoked,
      sql`revoked as (
        update labels l set state = 'revoked', due_at = null, content = null
        from ${rowsOf('old', revoked, 'id text, of bigint')} join changed on changed.id = old.of
        where l.id = old.id)`,
    ),
  ];
};

/** Notices, and a delivery of each for every subscription they concern. */
export const noticeParts = (members: readonly Member[], reserved: ReservedSlots | undefined): readonly Sql[] => {
  const notices = ofEach(members, ({ notices: own, trace }) => own.map((notice) => ({ ...notice, trace })));
  return given(
    notices,
    sql`noticed as (
      insert into notices (id, consignment_id, sequence, event, body, trace)
      select notice.*
      from ${rowsOf('notice', notices, 'id text, of bigint, sequence int, event text, body text, trace text')}
        join changed on changed.id = notice.of
      returning id, consignment_id, sequence, event)`,
    sql`told as (
      select noticed.id as notice_id, noticed.sequence as place, ${eventNames(sql`event`)} as events, shipper_id, environment, order_types
      from noticed join changed on changed.id = noticed.consignment_id)`,
    deliveryParts(reserved),
  );
};
