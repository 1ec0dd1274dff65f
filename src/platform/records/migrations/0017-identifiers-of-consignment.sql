-- What a consignment is known by is looked for when it moves to another carrier, is made anew, or frees its names.
create index identifiers_of_consignment on identifiers (consignment_id);
