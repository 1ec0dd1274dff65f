-- Delivery slots that shippers have reserved. A place is one zone's, window's and day's of a carrier in an environment.
create table slot_reservations (
  token text primary key,
  shipper_id bigint not null references shippers,
  environment text not null,
  carrier_code text not null,
  zone text not null,
  slot_window text not null,
  day date not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  time_zone text not null,
  state text not null default 'reserved' check (state in ('reserved', 'confirmed', 'released')),
  -- Until when it holds while it is neither confirmed nor used.
  expires_at timestamptz not null,
  -- The last that used it.
  consignment_id bigint references consignments,
  -- An update of its consignment named another, or it: what the order names, and what is under way, counts.
  is_changed boolean not null default false,
  created_at timestamptz not null default now()
);
create index slot_reservations_of_place on slot_reservations (carrier_code, environment, day, slot_window, zone)
  where state <> 'released';
create index slot_reservations_of_consignment on slot_reservations (consignment_id) where consignment_id is not null;
create index slot_reservations_by_end on slot_reservations (ends_at);
