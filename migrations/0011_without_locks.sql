-- no transaction
-- What would hold up others for as long as it takes to read a large table, done so that it does not.

alter table webhooks validate constraint webhooks_attempt_ms_check;

-- People search by the beginning of a reference, which only an order of bytes can answer. Another
-- collation of the column itself would break the prepared statements of programs that are running.
drop index concurrently if exists transactions_by_reference;
create index concurrently transactions_by_reference on transactions
  (slot, account_id, external_reference collate "C");
