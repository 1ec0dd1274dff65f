-- Pushes by month as well. Events stay when the pushes that they came in are forgotten.
alter table events drop constraint events_push_id_fkey;
alter table pushes alter id drop identity, alter id set default history_id();
call partition_by_month('pushes', 'id', '(account_id) references accounts');
