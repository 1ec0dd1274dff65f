-- Tries of requests that were cut short: what one has recorded, or yet will, is its repeat's. A try of a create is the
-- seed of its dispatch, one under an Idempotency-Key the owner of the key.
create table cut_short (
  try uuid primary key,
  at timestamptz not null default now()
);
insert into cut_short (try)
  select d.seed from consignments c join dispatches d on d.consignment_id = c.id where c.unanswered on conflict do nothing;
alter table consignments drop column unanswered;
