-- What operators take out of use. What is disabled comes back as it was; of what is deleted the row stays for what refers
-- to it, without its secrets.
alter table shippers add state text not null default 'active' check (state in ('active', 'disabled', 'deleted'));
alter table accounts add state text not null default 'active' check (state in ('active', 'disabled', 'deleted'));
create index accounts_by_shipper on accounts (shipper_id, id);
