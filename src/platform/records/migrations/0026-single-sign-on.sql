-- A session may stand for somebody whom an identity provider vouched for: with the role that they had there when they signed in.
alter table sessions add column role text;
alter table sessions drop constraint sessions_check;
alter table sessions add constraint sessions_stand_for_one check (num_nonnulls(token_id, admin_hash, role) = 1);
