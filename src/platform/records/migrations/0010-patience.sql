-- Since when a dispatch has waited for a carrier that is away.
alter table dispatches add column away_since timestamptz;
