-- Where an account has a host of its own: in the place of the profile's URL of its environment.
alter table accounts add column base_url text;
