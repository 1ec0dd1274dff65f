-- What a shipper's webhook is sent with beside our own headers (sealed JSON; their names are shown), and how many seconds
-- after each failed try the next one comes. Null: none of its own, and as the server is set.
alter table subscriptions add headers bytea, add header_names text[], add retry_after_seconds int[];
