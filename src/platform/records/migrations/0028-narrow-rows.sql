-- Rows that change several times keep their long texts apart (in TOAST), where an update does not copy them, and leave
-- room in their pages, so that a change of no indexed column leaves the indexes alone.
alter table consignments set (toast_tuple_target = 512, fillfactor = 80);
alter table dispatches set (toast_tuple_target = 512, fillfactor = 70);
alter table packages set (fillfactor = 60);
