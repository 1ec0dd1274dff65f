-- Grows with every change: what was computed from an older one is not written.
alter table consignments add column version integer not null default 0;
