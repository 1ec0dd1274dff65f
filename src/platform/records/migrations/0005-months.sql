-- What is only looked into, and forgotten by age, is kept by the month (UTC) in which it was written, so that what is old
-- goes at once. The month is in the id: 2612 00000000042 of December 2026. Ids from before are smaller than any such.
create sequence history_ids maxvalue 99999999999 cycle;
-- The first id of a month.
create function history_from(at timestamptz) returns bigint language sql stable
  return (to_char(at at time zone 'UTC', 'YYYYMM')::bigint - 200000) * 100000000000;
create function history_id() returns bigint language sql volatile
  return history_from(now()) + nextval('history_ids');

-- The table of before becomes the partition of the past. Months are added by the server
-- (src/platform/records/partitions.ts); `_default` holds what has none.
create procedure partition_by_month(name text, key text, reference text default null) language plpgsql as $$
begin
  execute format('alter table %1$I rename to %1$s_past', name);
  execute format('create table %1$I (like %1$s_past including all) partition by range (%2$I)', name, key);
  if reference is not null then
    execute format('alter table %I add foreign key %s', name, reference);
  end if;
  execute format('alter table %1$I attach partition %1$s_past for values from (minvalue) to (%2$s)', name,
    history_from(now()));
  execute format('create table %1$s_default partition of %1$I default', name);
end $$;

alter table exchanges alter id drop identity, alter id set default history_id();
call partition_by_month('exchanges', 'id');

alter table deliveries alter id drop identity, alter id set default history_id();
call partition_by_month('delivery_attempts', 'delivery_id', '(delivery_id) references deliveries on delete cascade');
