-- Shippers ask for consignments by how they stand and by their type: each by an index of the few. `acceptance` itself is in
-- none, as every consignment changes it once and would then be written anew into all of them.
alter table consignments add cancelled_at timestamptz;
update consignments set cancelled_at = updated_at where acceptance = 'cancelled';
create index consignments_cancelled on consignments (shipper_id, environment, created_at desc, id desc)
  where cancelled_at is not null;
create index consignments_rejected on consignments (shipper_id, environment, created_at desc, id desc)
  where released_at is not null;
create index consignments_returns on consignments (shipper_id, environment, created_at desc, id desc)
  where consignment_type = 'REVERSE';
create index consignments_of_all_cancelled on consignments (created_at desc, id desc) where cancelled_at is not null;
create index consignments_of_all_rejected on consignments (created_at desc, id desc) where released_at is not null;
create index packages_without_number on packages (consignment_id) where tracking_number is null;
