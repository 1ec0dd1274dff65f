-- Its statements run with the schema first on the search path.

-- Shippers' accounts with this carrier: what comes in with the token is theirs, and their statuses go to the URL.
create table links (
  id bigint generated always as identity primary key,
  name text not null unique,
  token_hash bytea not null unique,
  status_url text not null,
  status_token bytea not null, -- sealed
  created_at timestamptz not null default now()
);

-- Depots, zones, vehicles, drivers, calendars, service times, reasons: checked by their shape before they are written.
create table resources (
  kind text not null,
  code text not null,
  data jsonb not null,
  changed_at timestamptz not null default now(),
  primary key (kind, code)
);

create sequence tracking_numbers as bigint start 1;

create table plans (
  id bigint generated always as identity primary key,
  depot text not null,
  day date not null,
  state text not null check (state in ('solving', 'solved', 'aborted', 'failed', 'adopted')),
  request jsonb not null,
  version text not null, -- of the board that it was made of
  progress jsonb,
  best jsonb,
  error text,
  heartbeat_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);

create table routes (
  id bigint generated always as identity primary key,
  depot text not null,
  day date not null,
  driver text not null,
  vehicle text not null,
  state text not null default 'planned' check (state in ('planned', 'started', 'finished', 'broken_down')),
  version integer not null default 1,
  started_at timestamptz,
  finished_at timestamptz
);
create index on routes (depot, day);
create unique index on routes (day, driver) where state in ('planned', 'started');

create table stops (
  id bigint generated always as identity primary key,
  route_id bigint not null references routes on delete cascade,
  position integer not null,
  task_ids bigint[] not null default '{}', -- of the plan; a task that has gone elsewhere stays here
  locked boolean not null default false,
  state text not null default 'pending' check (state in ('pending', 'en_route', 'arrived', 'done', 'failed', 'cancelled')),
  planned_arrival timestamptz,
  planned_departure timestamptz,
  travel_s integer not null default 0, -- from the stop before, as planned
  service_s integer not null default 0,
  eta timestamptz,
  unique (route_id, position) deferrable initially deferred
);

create index on stops using gin (task_ids);

create table tasks (
  id bigint generated always as identity primary key,
  link_id bigint not null references links,
  reference_id text not null,
  order_number text not null,
  consignment_number text not null,
  kind text not null check (kind in ('DELIVERY', 'PICKUP')),
  exchange text, -- the tasks of an exchange have the same
  depot text not null,
  zone text,
  first_day date not null, -- local to the depot
  last_day date,
  consignment jsonb not null, -- as it came
  demand jsonb not null, -- what planning needs of it
  state text not null default 'open' check (state in ('open', 'planned', 'out', 'delivered', 'partly_delivered', 'failed', 'returned', 'cancelled')),
  attempts integer not null default 0,
  stop_id bigint references stops on delete set null,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
);
create unique index on tasks (link_id, reference_id) where state <> 'cancelled';
create index on tasks (depot, first_day) where state = 'open';
create index on tasks (stop_id);
create index on tasks (exchange) where exchange is not null;

create table packages (
  task_id bigint not null references tasks,
  position integer not null,
  item_reference text not null,
  tracking_number text not null unique, -- for ever: rows are never deleted
  label_id text not null unique,
  revoked boolean not null default false,
  state text,
  primary key (task_id, position)
);

-- What drivers and dispatchers report, once by its id.
create table events (
  id uuid primary key,
  route_id bigint not null references routes,
  stop_id bigint references stops,
  task_ids bigint[] not null default '{}',
  type text not null,
  occurred_at timestamptz not null,
  received_at timestamptz not null default now(),
  actor text not null,
  data jsonb not null
);
create index on events (route_id, occurred_at);
create index on events using gin (task_ids);

-- Status pushes that the platform has not confirmed yet, and those that it has.
create table outbox (
  id bigint generated always as identity primary key,
  link_id bigint not null references links,
  task_id bigint not null references tasks,
  body jsonb not null,
  tries integer not null default 0,
  due_at timestamptz not null default now(),
  sent_at timestamptz,
  problem text,
  created_at timestamptz not null default now()
);
create index on outbox (due_at) where sent_at is null;
create index on outbox (task_id, id) where sent_at is null;

create table proofs (
  id uuid primary key, -- the device's
  link_key text not null unique,
  driver text not null,
  stop_id bigint not null references stops,
  kind text not null check (kind in ('photo', 'signature')),
  content_type text not null,
  content bytea, -- null: erased
  created_at timestamptz not null default now()
);
create index on proofs (stop_id);
create index on proofs (created_at) where content is not null;

create table driver_tokens (
  driver text primary key,
  token_hash bytea not null unique,
  expires_at timestamptz not null
);

create table positions (
  driver text not null,
  at timestamptz not null,
  latitude double precision not null,
  longitude double precision not null,
  primary key (driver, at)
);

-- Places of slots that are kept for an order; the task that comes of it takes the place over.
create table reservations (
  id text primary key,
  link_id bigint not null references links,
  depot text not null,
  zone text not null,
  day date not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  state text not null default 'held' check (state in ('held', 'confirmed', 'released')),
  reference_id text,
  idempotency_key text,
  expires_at timestamptz not null,
  unique (link_id, idempotency_key)
);
create index on reservations (depot, day) where state <> 'released';
