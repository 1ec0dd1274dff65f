-- What was told before packages noted it is not told again.
update packages set state = 'handed_over'
from outbox, jsonb_array_elements(body) as told
where outbox.task_id = packages.task_id and told ->> 'value' = tracking_number
  and told ->> 'carrierStatusCode' = 'DELIVERED' and told ->> 'statusIdentifierValue' = 'REVERSE';
