-- Keeps several installations on one Redis apart.
create table installation (id uuid primary key default gen_random_uuid());
insert into installation default values;

-- Who may talk to us ------------------------------------------------------------------------------------------------
create table shippers (
  id bigint generated always as identity primary key,
  code text not null unique,
  name text not null,
  -- JSON: the registered details that become `shipper` of a consignment
  details text,
  created_at timestamptz not null default now()
);

-- A token is wb_<kind>_<id>_<secret>; only the sha-256 of the whole is kept.
create table tokens (
  id text primary key,
  hash bytea not null,
  kind text not null check (kind in ('shipper', 'carrier')),
  shipper_id bigint references shippers,
  carrier_code text,
  environment text check (environment in ('sandbox', 'production')),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  -- the token that took its place: both are valid until this one ends
  replaced_by text,
  check ((kind = 'shipper') = (shipper_id is not null and environment is not null)),
  check ((kind = 'carrier') = (carrier_code is not null))
);
create index tokens_by_age on tokens (created_at desc, id desc);

-- A shipper's credentials and settings with a carrier, in one environment. `credentials` is sealed (AES-256-GCM).
create table accounts (
  id bigint generated always as identity primary key,
  shipper_id bigint not null references shippers,
  carrier_code text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  credentials bytea not null,
  settings text not null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (shipper_id, carrier_code, environment)
);
create index accounts_by_carrier on accounts (carrier_code, environment);

-- A shipper's places: their codes in an order stand for address, contact and time zone.
create table facilities (
  shipper_id bigint not null references shippers,
  environment text not null check (environment in ('sandbox', 'production')),
  code text collate "C" not null,
  -- JSON: name, contact, address, timezone
  details text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (shipper_id, environment, code)
);

-- The texts of a profile by their hash, so that an operation ends on the version it began with.
create table profile_versions (
  hash text primary key,
  carrier_code text not null,
  bundle text not null,
  created_at timestamptz not null default now()
);

-- What is to be delivered -------------------------------------------------------------------------------------------
create table consignments (
  id bigint generated always as identity primary key,
  shipper_id bigint not null references shippers,
  environment text not null,
  reference_number text not null,
  order_number text not null,
  consignment_number text not null,
  consignment_type text not null check (consignment_type in ('FORWARD', 'REVERSE')),
  -- order types of this consignment, for subscriptions: FORWARD, REVERSE, EXCHANGE, TRANSFER
  order_types text[] not null,
  carrier_code text not null,
  account_id bigint references accounts,
  -- JSON: the shipper's order as last accepted, and the canonical consignment made of it
  order_text text not null,
  canonical text not null,
  -- has the carrier accepted it?
  acceptance text not null default 'pending' check (acceptance in ('pending', 'accepted', 'rejected', 'cancelled')),
  status text not null default 'Order Created',
  master_tracking_number text,
  memo text not null default '{}',
  -- the last number given to a notice of this consignment
  notice_sequence integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- a rejected create frees its reference number
  released_at timestamptz
);
create unique index consignments_reference on consignments (shipper_id, environment, reference_number)
  where released_at is null;
-- lists, the newest first: all, by status, by carrier, by how the reference begins
create index consignments_by_age on consignments (shipper_id, environment, created_at desc, id desc);
create index consignments_by_status on consignments (shipper_id, environment, status, created_at desc, id desc);
create index consignments_by_carrier on consignments (shipper_id, environment, carrier_code, created_at desc, id desc);
create index consignments_by_prefix on consignments (shipper_id, environment, reference_number collate "C");
create index consignments_released on consignments (shipper_id, environment, reference_number, id desc)
  where released_at is not null;

create table packages (
  consignment_id bigint not null references consignments on delete cascade,
  position integer not null,
  reference text not null,
  tracking_number text,
  status text not null default 'Order Created',
  reason text,
  status_at timestamptz,
  memo text not null default '{}',
  -- the poller's book-keeping
  poll_at timestamptz,
  primary key (consignment_id, position)
);
create index packages_to_poll on packages (poll_at) where poll_at is not null;

-- By what a carrier may name a shipment: Tracking, Reference, Order, Consignment, or a name from `memo`.
create table identifiers (
  carrier_code text not null,
  kind text not null,
  value text not null,
  consignment_id bigint not null references consignments on delete cascade,
  -- null: the whole consignment
  position integer,
  -- of a shipment that is gone: it names nothing any more, and is no number of the one that is to come
  gone boolean not null default false,
  unique nulls not distinct (carrier_code, kind, value, consignment_id, position)
);

-- What is asked of carriers -----------------------------------------------------------------------------------------
create table dispatches (
  id bigint generated always as identity primary key,
  consignment_id bigint not null references consignments on delete cascade,
  operation text not null,
  state text not null default 'pending'
    check (state in ('pending', 'sending', 'waiting', 'done', 'rejected', 'held', 'cancelled')),
  -- how many times it was taken up; names the next job
  attempt integer not null default 0,
  due_at timestamptz not null default now(),
  -- the fence: what is committed names the lease it was begun under
  lease uuid,
  lease_until timestamptz,
  profile_hash text not null references profile_versions,
  account_id bigint references accounts,
  -- random: idempotency keys and drawn values derive from it
  seed uuid not null default gen_random_uuid(),
  -- JSON: the recorded inputs of the operation
  input text not null,
  -- JSON, of an update: the order that becomes the consignment's when the carrier has accepted it
  order_text text,
  -- with it: what subscriptions may ask for that order by
  order_types text[],
  -- when its first try began: `now` of every evaluation
  started_at timestamptz,
  result text,
  failure text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index dispatches_of_consignment on dispatches (consignment_id, id);
create index dispatches_unfinished on dispatches (due_at) where state in ('pending', 'sending', 'waiting');
create index dispatches_held on dispatches (id) where state = 'held';

-- One row an HTTP call of a dispatch: its latest attempt. `answer` is the sealed raw answer.
create table calls (
  dispatch_id bigint not null references dispatches on delete cascade,
  step text not null,
  element integer not null,
  attempt integer not null,
  state text not null check (state in ('sending', 'succeeded', 'failed', 'retry', 'unknown')),
  first_sent_at timestamptz not null,
  sent_at timestamptz not null,
  verdict text,
  answer bytea,
  primary key (dispatch_id, step, element)
);

-- Tokens of carriers, shared by all processes; `token` and `refresh_token` are sealed.
create table carrier_tokens (
  key text primary key,
  token bytea,
  fetched_at timestamptz,
  expires_at timestamptz,
  -- JSON: why the carrier refused the login, and under which profile; it is not tried again until one of them changes
  refused text,
  refresh_token bytea,
  -- one login at a time, anywhere
  lease uuid,
  lease_until timestamptz
);

create table draws (
  dispatch_id bigint not null references dispatches on delete cascade,
  key text not null,
  value text not null,
  primary key (dispatch_id, key)
);

create table sequences (
  account_id bigint not null references accounts,
  name text not null,
  next bigint not null,
  primary key (account_id, name)
);

-- A recorded request and response, masked before it comes here.
create table exchanges (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  carrier_code text not null,
  environment text not null,
  account_id bigint,
  consignment_id bigint,
  dispatch_id bigint,
  profile_hash text not null,
  operation text not null,
  step text not null,
  element integer not null,
  attempt integer not null,
  method text not null,
  url text not null,
  request_headers text not null,
  request_body bytea,
  status integer,
  response_headers text,
  response_body bytea,
  duration_ms integer not null,
  outcome text not null,
  message text
);
create index exchanges_of_dispatch on exchanges (dispatch_id);
create index exchanges_of_consignment on exchanges (consignment_id);
-- retention
create index exchanges_by_age on exchanges (at);
create index exchanges_by_carrier on exchanges (carrier_code, id desc);

-- What the relay has yet to hand to the queue.
create table outbox (
  id bigint generated always as identity primary key,
  queue text not null,
  job_id text not null,
  due_at timestamptz not null default now()
);

-- What carriers say -------------------------------------------------------------------------------------------------
-- Bytes as they came, committed before the answer 200.
create table pushes (
  id bigint generated always as identity primary key,
  carrier_code text not null,
  account_id bigint references accounts,
  source text not null check (source in ('contract', 'webhook', 'poll')),
  environment text,
  received_at timestamptz not null default now(),
  request text not null,
  body bytea not null,
  state text not null default 'pending' check (state in ('pending', 'done', 'failed')),
  failure text,
  processed_at timestamptz
);
create index pushes_unprocessed on pushes (received_at) where state = 'pending';
create index pushes_failed on pushes (id) where state = 'failed';

create table events (
  id bigint generated always as identity primary key,
  push_id bigint not null references pushes,
  carrier_code text not null,
  -- sha-256 over what identifies the event
  identity bytea not null,
  match text not null check (match in ('matched', 'unmatched', 'ambiguous')),
  -- by what it is looked for when a consignment gets its numbers; null: by nothing
  sought_kind text,
  sought_value text,
  -- ambiguous with a consignment: it is of this one, but which package is unknown
  consignment_id bigint references consignments on delete cascade,
  -- null: the whole consignment
  position integer,
  -- a normalised status, or 'No Change'
  status text not null,
  reason text,
  -- code, sub-code and description as the status table compares them
  carrier_status text not null,
  carrier_sub_status text not null,
  carrier_description text not null,
  occurred_at timestamptz not null,
  event_timezone text not null,
  received_at timestamptz not null default now(),
  -- JSON: what could not be read or was not as expected
  warnings text not null default '[]',
  -- JSON: the status update
  body text not null,
  unique (carrier_code, identity)
);
create index events_of_consignment on events (consignment_id, occurred_at);
create index events_unmapped on events (carrier_code, carrier_status, carrier_sub_status) where status = 'Unmapped';
create index events_unmatched on events (carrier_code, sought_kind, sought_value) where match <> 'matched';
create index events_unmatched_by_id on events (id) where match <> 'matched';

-- Labels ------------------------------------------------------------------------------------------------------------
create table labels (
  -- unguessable: the link that replies carry
  id text primary key,
  consignment_id bigint not null references consignments on delete cascade,
  -- null: one document for all packages
  position integer,
  state text not null check (state in ('pending', 'stored', 'failed', 'revoked')),
  format text,
  content bytea,
  source_url text,
  -- since it was written as it is; 0 also says that no lease of before counts
  tries integer not null default 0,
  due_at timestamptz,
  until_at timestamptz,
  lease uuid,
  lease_until timestamptz,
  failure text,
  created_at timestamptz not null default now(),
  stored_at timestamptz
);
create index labels_of_consignment on labels (consignment_id, position);
create index labels_due on labels (due_at) where state = 'pending';

-- What shippers are told --------------------------------------------------------------------------------------------
create table subscriptions (
  id text primary key,
  shipper_id bigint not null references shippers,
  environment text not null,
  url text not null,
  order_types text[] not null,
  -- sealed; after a rotation the one before signs too, until then
  secret bytea not null,
  old_secret bytea,
  old_secret_until timestamptz,
  state text not null default 'active' check (state in ('active', 'paused')),
  paused_at timestamptz,
  pause_reason text check (pause_reason in ('requested', 'gone', 'failing')),
  -- when the first try failed of those since the last success
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  check ((state = 'paused') = (pause_reason is not null))
);
create index subscriptions_of_shipper on subscriptions (shipper_id, environment);

-- One row a webhook event; `id` is its eventId and webhook-id, `body` the JSON that is signed and sent.
create table notices (
  id text primary key,
  consignment_id bigint not null references consignments on delete cascade,
  sequence integer not null,
  event text not null,
  body text not null,
  created_at timestamptz not null default now(),
  unique (consignment_id, sequence)
);

create table deliveries (
  id bigint generated always as identity primary key,
  notice_id text not null references notices on delete cascade,
  subscription_id text not null references subscriptions on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'sending', 'waiting', 'delivered', 'failed')),
  -- how many times it was taken up, or put back while its next job waited; names the next job
  attempts integer not null default 0,
  -- of these, how many do not count: before a redelivery, or cut short by us
  uncounted integer not null default 0,
  due_at timestamptz not null default now(),
  -- refused as its subscription had enough under way: the end of one of those releases it
  parked boolean not null default false,
  lease uuid,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (notice_id, subscription_id)
);
create index deliveries_unfinished on deliveries (subscription_id, due_at)
  where state in ('pending', 'sending', 'waiting');
create index deliveries_sending on deliveries (subscription_id) where state = 'sending';
create index deliveries_parked on deliveries (subscription_id, due_at) where parked;
create index deliveries_of_subscription on deliveries (subscription_id, id desc);

create table delivery_attempts (
  delivery_id bigint not null references deliveries on delete cascade,
  attempt integer not null,
  at timestamptz not null,
  status integer,
  duration_ms integer not null,
  outcome text not null,
  message text,
  primary key (delivery_id, attempt)
);

-- A shipper's wish to have all deliveries that match sent again, carried out in batches, oldest first.
create table redeliveries (
  id bigint generated always as identity primary key,
  shipper_id bigint not null references shippers,
  environment text not null,
  -- JSON: the filter
  filter text not null,
  state text not null default 'running' check (state in ('running', 'done')),
  matching integer not null,
  redelivered integer not null default 0,
  -- deliveries up to here are done, those after `last` came later
  position bigint not null default 0,
  last bigint not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index redeliveries_running on redeliveries (id) where state = 'running';

-- Answers kept for `Idempotency-Key` ---------------------------------------------------------------------------------
create table idempotency_keys (
  shipper_id bigint not null references shippers,
  environment text not null,
  key text not null,
  request_hash bytea not null,
  -- the try that is at work; null: it was cut short
  owner uuid,
  -- null while none has ended
  status integer,
  body text,
  created_at timestamptz not null default now(),
  primary key (shipper_id, environment, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- What a request has done so far, written with what it did: its next try does not do it again.
create table request_acts (
  shipper_id bigint not null,
  environment text not null,
  key text not null,
  consignment_id bigint not null references consignments on delete cascade,
  -- null: done here, without the carrier
  dispatch_id bigint references dispatches on delete cascade,
  primary key (shipper_id, environment, key, consignment_id),
  foreign key (shipper_id, environment, key) references idempotency_keys on delete cascade
);
create index request_acts_of_consignment on request_acts (consignment_id);
create index request_acts_of_dispatch on request_acts (dispatch_id);

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  detail text
);
create index audit_log_by_subject on audit_log (subject, id desc);
