-- Why a label is not there (yet), by a stable code beside the words; and those that will not come by themselves.
alter table labels add failure_code text;
create index labels_failed on labels (consignment_id desc, id) where state = 'failed';
