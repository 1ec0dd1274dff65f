-- What is handed over to a carrier on a day: an errand of the kind manifest, with its packages and documents.
create sequence manifest_numbers;

create table manifest_packages (
  errand_id bigint not null references errands on delete cascade,
  consignment_id bigint not null references consignments on delete cascade,
  position integer not null,
  reference text not null,
  -- the carrier's at that time: a package that is made anew is another
  tracking_number text not null,
  service text,
  weight_kg double precision not null,
  -- the carrier has not taken it with this manifest: it may be on another
  is_free boolean not null default false,
  primary key (errand_id, consignment_id, position)
);
create unique index manifest_packages_once on manifest_packages (consignment_id, position, tracking_number) where not is_free;

create table manifest_documents (
  -- unguessable: the link that replies carry
  id text primary key,
  errand_id bigint not null references errands on delete cascade,
  -- what the carrier calls it
  number text,
  -- neither content nor source_url: our own list, which is drawn when it is asked for
  format text,
  content bytea,
  source_url text,
  created_at timestamptz not null default now()
);
create index manifest_documents_of_errand on manifest_documents (errand_id);
