-- What a policy chose for an order that names one: which carriers it considered and why not, and who was tried in vain.
alter table consignments add column choice text;
-- The policy that AUTO stands for.
alter table shippers add column policy text;
