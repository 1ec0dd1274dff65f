-- What a shipper wants of a carrier beside its consignments, such as a pickup. It is asked for by dispatches as theirs.
create table errands (
  id bigint generated always as identity primary key,
  kind text not null,
  shipper_id bigint not null references shippers,
  environment text not null,
  reference_number text not null,
  carrier_code text not null,
  account_id bigint references accounts,
  facility_code text,
  -- local to where it takes place
  day date not null,
  acceptance text not null default 'pending' check (acceptance in ('pending', 'accepted', 'rejected', 'cancelled')),
  -- JSON: what is wanted, and what came of it
  request text not null,
  result text,
  -- that it was made by
  plan_id bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- One that is not to be any more frees its reference number.
create unique index errands_reference on errands (shipper_id, environment, kind, reference_number)
  where acceptance in ('pending', 'accepted');
create index errands_by_age on errands (shipper_id, environment, kind, id desc);
create unique index errands_of_plan on errands (plan_id, day) where plan_id is not null;

-- Errands that come again on certain days.
create table plans (
  id bigint generated always as identity primary key,
  kind text not null,
  shipper_id bigint not null references shippers,
  environment text not null,
  code text collate "C" not null,
  carrier_code text not null,
  facility_code text,
  -- JSON: when, and what is wanted then
  request text not null,
  -- for which day the next is made, and when; null: it has ended
  day date,
  due_at timestamptz,
  -- JSON: why the last was not made, or not done
  failure text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (shipper_id, environment, kind, code)
);
create index plans_due on plans (due_at) where due_at is not null;
create index plans_failing on plans (id) where failure is not null;
alter table errands add foreign key (plan_id) references plans;

-- Of a consignment, or of an errand.
alter table dispatches alter consignment_id drop not null, add column errand_id bigint;
alter table dispatches
  add constraint dispatches_errand_id_fkey foreign key (errand_id) references errands on delete cascade not valid,
  add constraint dispatches_of_one check (num_nonnulls(consignment_id, errand_id) = 1) not valid;
create index dispatches_of_errand on dispatches (errand_id, id) where errand_id is not null;
