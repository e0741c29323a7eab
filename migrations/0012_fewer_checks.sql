-- no transaction
-- Every payment was checked four times against accounts and wallets, a fifth of what it cost the
-- database. One check that the wallet is of the account, its environment and its currency implies
-- that of the account; and an event has the account of the transaction it is written with.

alter table transactions drop constraint if exists transactions_wallet_of_account_fkey;
drop index concurrently if exists wallets_of_account;
create unique index concurrently wallets_of_account
  on wallets (slot, id, account_id, environment, currency);
alter table transactions
  add constraint transactions_wallet_of_account_fkey
  foreign key (slot, wallet_id, account_id, environment, wallet_currency)
  references wallets (slot, id, account_id, environment, currency) not valid;
alter table transactions validate constraint transactions_wallet_of_account_fkey;
alter table transactions
  drop constraint if exists transactions_account_id_slot_environment_fkey,
  drop constraint if exists transactions_slot_wallet_id_environment_wallet_currency_fkey;
alter table webhooks drop constraint if exists webhooks_account_id_fkey;
