-- Of operators in a browser. Each stands for an operator's token, or for one of the server's own, of which the hash is kept.
create table sessions (
  id text primary key,
  hash bytea not null,
  actor text not null,
  token_id text references tokens (id) on delete cascade,
  admin_hash bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((token_id is null) <> (admin_hash is null))
);
create index sessions_created on sessions (created_at, id);
create index sessions_token on sessions (token_id);
