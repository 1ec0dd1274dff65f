-- A create's input repeats the consignment as it was accepted, some kilobytes: while that is what the records have of it,
-- the input leaves it out and is completed from consignments.canonical when it is read. Null: it is whole.
alter table dispatches add column by_reference boolean;
