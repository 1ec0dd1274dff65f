-- Operators have tokens of their own, each with a name for the audit log and a role.
alter table tokens
  add column operator text,
  add column role text check (role in ('read', 'operate', 'administer')),
  drop constraint tokens_kind_check,
  add constraint tokens_kind_check check (kind in ('shipper', 'carrier', 'operator')),
  add constraint tokens_operator_check check ((kind = 'operator') = (operator is not null and role is not null));
