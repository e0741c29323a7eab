-- Merchants, their accounts and credentials; wallets and the ledger.
--
-- Merchants, accounts, credentials and keys are small tables every node can hold whole. The other
-- tables belong to one account each: their keys start with its slot, so that the data can later be
-- spread by slot without a rewrite.

create type environment as enum ('sandbox', 'live');

create table settings (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);
comment on table settings is 'Facts of this installation, such as the check value of its master key.';

create table merchants (
  id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  first_name text not null check (length(first_name) between 1 and 100),
  last_name text not null check (length(last_name) between 1 and 100),
  email text not null check (length(email) between 3 and 254),
  created_at timestamptz not null default now()
);
create unique index merchants_by_email on merchants (lower(email));

create table accounts (
  id uuid primary key,
  slot smallint not null check (slot between 0 and 255),
  merchant_id uuid not null references merchants,
  environment environment not null,
  time_zone text not null default 'UTC' check (length(time_zone) between 1 and 64),
  webhook_url text check (length(webhook_url) <= 2048),
  created_at timestamptz not null default now(),
  unique (merchant_id, environment),
  unique (id, slot, environment)
);
comment on table accounts is 'A merchant has two: sandbox and live. Nothing is shared between them.';

create table webhook_secrets (
  id uuid primary key,
  account_id uuid not null references accounts,
  secret_sealed bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index webhook_secrets_by_account on webhook_secrets (account_id);

create table credentials (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null check (length(name) between 1 and 100),
  public_key text not null unique,
  api_key_hash bytea not null unique check (length(api_key_hash) = 32),
  scopes text[] not null check (
    cardinality(scopes) > 0
    and scopes <@ array['read', 'charges', 'payouts', 'beneficiaries', 'webhooks']
  ),
  ip_allow_list cidr[] not null default '{}',
  token_issued_at timestamptz,
  token_key_id text,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  check ((token_issued_at is null) = (token_key_id is null))
);
comment on column credentials.api_key_hash is
  'SHA-256. The key has 256 random bits, so a slow hash would add nothing.';
comment on column credentials.token_issued_at is
  'With the key it makes the current token anew: tokens themselves are not stored.';
create index credentials_by_account on credentials (account_id);

create table signing_keys (
  id text primary key,
  secret_sealed bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

create table audit_log (
  id uuid primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}'
);
comment on table audit_log is 'Every action of a person that changed something.';

-- One row carries both balances of a wallet, because most payments move money between them: one
-- row to lock and one to update, where two accounts would need two.
create table wallets (
  slot smallint not null,
  id uuid not null,
  account_id uuid not null,
  environment environment not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  country text not null check (country ~ '^[A-Z]{2}$'),
  available bigint not null default 0 check (available >= 0),
  held bigint not null default 0 check (held >= 0),
  seq bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (slot, id),
  unique (slot, id, environment, currency),
  unique (slot, account_id, currency, country),
  foreign key (account_id, slot, environment) references accounts (id, slot, environment)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
comment on column wallets.seq is 'How many transfers have touched the wallet: the number of the last.';

create table transfers (
  slot smallint not null,
  transaction_id uuid not null,
  step text not null,
  environment environment not null,
  debit text not null,
  credit text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  wallet_id uuid,
  wallet_seq bigint,
  available_after bigint check (available_after >= 0),
  held_after bigint check (held_after >= 0),
  posted_at timestamptz not null default now(),
  primary key (slot, transaction_id, step),
  unique (slot, wallet_id, wallet_seq),
  foreign key (slot, wallet_id, environment, currency)
    references wallets (slot, id, environment, currency),
  check (debit <> credit),
  check (
    case when debit in ('wallet', 'held') or credit in ('wallet', 'held')
      then wallet_id is not null and wallet_seq is not null
        and available_after is not null and held_after is not null
      else wallet_id is null and wallet_seq is null
        and available_after is null and held_after is null
    end
  )
);
comment on table transfers is
  'The ledger. A row moves an amount from the debit to the credit account, so money cannot appear.';
create index transfers_by_time on transfers using brin (posted_at) with (pages_per_range = 32);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end
$$;
create trigger transfers_append_only before update or delete on transfers
  for each row execute function refuse_change();
create trigger transfers_no_truncate before truncate on transfers
  for each statement execute function refuse_change();
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_change();

create table ledger_rollups (
  slot smallint not null,
  environment environment not null,
  account text not null,
  currency text not null,
  debits numeric not null,
  credits numeric not null,
  primary key (slot, environment, account, currency)
);
comment on table ledger_rollups is
  'Sums of the accounts that keep no live balance, up to the time in settings (ledger_rollup).';
