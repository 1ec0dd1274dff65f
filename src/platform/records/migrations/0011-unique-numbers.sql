-- Of a shipper's consignments none has the consignmentNumber of another. Null: from before that was so, when some had.
alter table consignments add is_numbered boolean;
alter table consignments alter is_numbered set default true;
create unique index consignments_number on consignments (shipper_id, environment, consignment_number, is_numbered)
  where released_at is null;

-- Tracking numbers that shippers gave to packages, each of the last consignment that was live with it.
create table assigned_numbers (
  account_id bigint not null references accounts,
  number text not null,
  consignment_id bigint not null references consignments on delete cascade,
  primary key (account_id, number)
);
create index assigned_numbers_of_consignment on assigned_numbers (consignment_id);
