-- Operators look through the consignments of all shippers: the newest first, by what narrows best.
create index consignments_of_all_by_age on consignments (created_at desc, id desc);
create index consignments_of_all_by_status on consignments (status, created_at desc, id desc);
create index consignments_of_all_by_carrier on consignments (carrier_code, created_at desc, id desc);
create index consignments_reverse on consignments (created_at desc, id desc) where 'REVERSE' = any (order_types);
create index consignments_exchange on consignments (created_at desc, id desc) where 'EXCHANGE' = any (order_types);
create index consignments_transfer on consignments (created_at desc, id desc) where 'TRANSFER' = any (order_types);

-- What was not delivered is looked for among what was.
create index deliveries_failed on deliveries (subscription_id, id desc) where state = 'failed';
