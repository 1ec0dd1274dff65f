-- Processes remember that a shipper has no facility with a code, so PostgreSQL also tells them of a new one.
create or replace function tell_of_change() returns trigger language plpgsql as $$
declare
  changed jsonb := case tg_op when 'INSERT' then to_jsonb(new) else to_jsonb(old) end;
begin
  perform pg_notify('waybill_changed', tg_table_name || ':' || (
    select string_agg(changed ->> name, '/' order by position)
    from unnest(tg_argv) with ordinality as argument (name, position)));
  return null;
end $$;
create trigger tell_of_new after insert on facilities
  for each row execute function tell_of_change('shipper_id', 'environment', 'code');
