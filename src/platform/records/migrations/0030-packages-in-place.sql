-- Every package got its number once, and with it left an index of those that had none: so none could be changed in its
-- place, and each change was written into all indexes. What is accepted and lacks numbers, its consignment says.
alter table consignments add column lacks_numbers boolean;
update consignments c set lacks_numbers = true
where acceptance = 'accepted' and id in (select consignment_id from packages where tracking_number is null);
create index consignments_lacking_numbers on consignments (id) where lacks_numbers;
drop index packages_without_number;
-- Room for each row of a page to get its number.
alter table packages set (fillfactor = 40);
