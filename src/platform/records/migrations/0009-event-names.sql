-- How often each event was told of a reference, by name, in JSON: a repeat is numbered. Null: from before they were
-- counted; its notices tell.
alter table consignments add event_counts text;
-- Null: all.
alter table subscriptions add events text[];
