-- no transaction
-- An event is written again when it is delivered, and each of its indexes gets a second entry beside
-- the first. Pages with room for both need neither splitting nor clearing first.

alter index webhooks_pkey set (fillfactor = 50);
alter index webhooks_slot_transaction_id_sequence_key set (fillfactor = 50);
alter index webhooks_by_account set (fillfactor = 50);
