-- Grows with every change: what was computed from an older one is not written.
alter table consignments add column version integer not null default 0;

-- Processes remember rows that seldom change: whoever changes one, they are told which. The arguments are what its name
-- is made of.
create function tell_of_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('waybill_changed', tg_table_name || ':' || (
    select string_agg(to_jsonb(old) ->> name, '/' order by position)
    from unnest(tg_argv) with ordinality as argument (name, position)));
  return null;
end $$;
create trigger tell_of_change after update or delete on tokens for each row execute function tell_of_change('id');
create trigger tell_of_change after update or delete on shippers for each row execute function tell_of_change('id');
create trigger tell_of_change after update or delete on accounts for each row execute function tell_of_change('id');
create trigger tell_of_change_by_key after update or delete on accounts
  for each row execute function tell_of_change('shipper_id', 'carrier_code', 'environment');
create trigger tell_of_change after update or delete on facilities
  for each row execute function tell_of_change('shipper_id', 'environment', 'code');

-- Deliveries are claimed from their records: of each subscription the pending and the waiting that are due, and what
-- was being sent when a process died.
drop index deliveries_unfinished, deliveries_sending, deliveries_parked;
alter table deliveries drop column parked;
create index deliveries_unfinished on deliveries (subscription_id, state, due_at, id)
  where state in ('pending', 'waiting');
create index deliveries_sending on deliveries (lease_until) where state = 'sending';

-- A create without an Idempotency-Key that was recorded, while its client was told to come back.
alter table consignments add column unanswered boolean not null default false;

-- How the processes divide the limits of carriers among them, where there is no Redis; and which processes are alive.
create table shared_limits (
  name text collate "C" primary key,
  state text not null,
  ends_at timestamptz not null
) with (fillfactor = 50);

-- When a push is to be processed, or looked at again as events of it fitted nothing; null: it is not.
alter table pushes add column due_at timestamptz;
update pushes set due_at = now() where state = 'pending';
drop index pushes_unprocessed;
create index pushes_due on pushes (due_at) where due_at is not null;
create index events_unmatched_of_push on events (push_id) where match <> 'matched';

-- The records are the queue. The schema `bullmq`, which held one, stays: it may hold others' as well.
drop table outbox;
