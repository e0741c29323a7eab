-- no transaction
-- What would hold up others for as long as it takes to read a large table, done so that it does not.

alter table webhooks validate constraint webhooks_attempt_ms_check;

-- What a person has to look at is counted again and again, and is little of what there is.
drop index concurrently if exists rail_callbacks_doubted;
create index concurrently rail_callbacks_doubted on rail_callbacks (received_at)
  where finding like 'contradiction%' or finding like 'not believed%' or finding like 'fault%';
