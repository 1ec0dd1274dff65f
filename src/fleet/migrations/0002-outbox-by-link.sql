-- What is due is looked for link by link.
create index on outbox (link_id, id) where sent_at is null;
