-- The W3C traceparent of what asked for a dispatch, and of what a notice tells of; null where traces are off.
alter table dispatches add column trace text;
alter table notices add column trace text;
