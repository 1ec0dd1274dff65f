-- Reservations of slots that carriers keep themselves.
alter table slot_reservations
  -- null: a slot by configuration; asked: nobody knows yet whether the carrier holds it; gone: it does not, or not any more
  add column at_carrier text check (at_carrier in ('asked', 'reserved', 'confirmed', 'gone')),
  -- JSON: the carrier's slot, what it is for, and the carrier's reservation
  add column booked text,
  -- when the carrier may be asked to take it back
  add column release_after timestamptz;
create index slot_reservations_at_carrier on slot_reservations (ends_at) where at_carrier in ('reserved', 'confirmed');
