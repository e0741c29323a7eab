-- Generated from migrations/ by "npm run generate". Do not edit.

set check_function_bodies = off;

create type environment as enum ('sandbox', 'live');

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end
$function$;

create table accounts (
  id uuid not null,
  slot smallint not null,
  merchant_id uuid not null,
  environment environment not null,
  time_zone text default 'UTC'::text not null,
  webhook_url text,
  created_at timestamp with time zone default now() not null,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_id_slot_environment_key UNIQUE (id, slot, environment),
  constraint accounts_merchant_id_environment_key UNIQUE (merchant_id, environment),
  constraint accounts_slot_check CHECK (slot >= 0 AND slot <= 255),
  constraint accounts_time_zone_check CHECK (length(time_zone) >= 1 AND length(time_zone) <= 64),
  constraint accounts_webhook_url_check CHECK (length(webhook_url) <= 2048)
);

create table audit_log (
  id uuid not null,
  at timestamp with time zone default now() not null,
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb default '{}'::jsonb not null,
  constraint audit_log_pkey PRIMARY KEY (id)
);

create table credentials (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  public_key text not null,
  api_key_hash bytea not null,
  scopes text[] not null,
  ip_allow_list cidr[] default '{}'::cidr[] not null,
  token_issued_at timestamp with time zone,
  token_key_id text,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  constraint credentials_pkey PRIMARY KEY (id),
  constraint credentials_api_key_hash_key UNIQUE (api_key_hash),
  constraint credentials_public_key_key UNIQUE (public_key),
  constraint credentials_api_key_hash_check CHECK (length(api_key_hash) = 32),
  constraint credentials_check CHECK ((token_issued_at IS NULL) = (token_key_id IS NULL)),
  constraint credentials_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint credentials_scopes_check CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read'::text, 'charges'::text, 'payouts'::text, 'beneficiaries'::text, 'webhooks'::text])
);

create table ledger_rollups (
  slot smallint not null,
  environment environment not null,
  account text not null,
  currency text not null,
  debits numeric not null,
  credits numeric not null,
  constraint ledger_rollups_pkey PRIMARY KEY (slot, environment, account, currency)
);

create table merchants (
  id uuid not null,
  name text not null,
  first_name text not null,
  last_name text not null,
  email text not null,
  created_at timestamp with time zone default now() not null,
  constraint merchants_pkey PRIMARY KEY (id),
  constraint merchants_email_check CHECK (length(email) >= 3 AND length(email) <= 254),
  constraint merchants_first_name_check CHECK (length(first_name) >= 1 AND length(first_name) <= 100),
  constraint merchants_last_name_check CHECK (length(last_name) >= 1 AND length(last_name) <= 100),
  constraint merchants_name_check CHECK (length(name) >= 1 AND length(name) <= 200)
);

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table settings (
  name text not null,
  value jsonb not null,
  updated_at timestamp with time zone default now() not null,
  constraint settings_pkey PRIMARY KEY (name)
);

create table signing_keys (
  id text not null,
  secret_sealed bytea not null,
  created_at timestamp with time zone default now() not null,
  retired_at timestamp with time zone,
  constraint signing_keys_pkey PRIMARY KEY (id)
);

create table transfers (
  slot smallint not null,
  transaction_id uuid not null,
  step text not null,
  environment environment not null,
  debit text not null,
  credit text not null,
  amount bigint not null,
  currency text not null,
  wallet_id uuid,
  wallet_seq bigint,
  available_after bigint,
  held_after bigint,
  posted_at timestamp with time zone default now() not null,
  constraint transfers_pkey PRIMARY KEY (slot, transaction_id, step),
  constraint transfers_slot_wallet_id_wallet_seq_key UNIQUE (slot, wallet_id, wallet_seq),
  constraint transfers_amount_check CHECK (amount > 0),
  constraint transfers_available_after_check CHECK (available_after >= 0),
  constraint transfers_check CHECK (debit <> credit),
  constraint transfers_check1 CHECK (
CASE
    WHEN (debit = ANY (ARRAY['wallet'::text, 'held'::text])) OR (credit = ANY (ARRAY['wallet'::text, 'held'::text])) THEN wallet_id IS NOT NULL AND wallet_seq IS NOT NULL AND available_after IS NOT NULL AND held_after IS NOT NULL
    ELSE wallet_id IS NULL AND wallet_seq IS NULL AND available_after IS NULL AND held_after IS NULL
END),
  constraint transfers_held_after_check CHECK (held_after >= 0)
);

create table wallets (
  slot smallint not null,
  id uuid not null,
  account_id uuid not null,
  environment environment not null,
  currency text not null,
  country text not null,
  available bigint default 0 not null,
  held bigint default 0 not null,
  seq bigint default 0 not null,
  created_at timestamp with time zone default now() not null,
  constraint wallets_pkey PRIMARY KEY (slot, id),
  constraint wallets_slot_account_id_currency_country_key UNIQUE (slot, account_id, currency, country),
  constraint wallets_slot_id_environment_currency_key UNIQUE (slot, id, environment, currency),
  constraint wallets_available_check CHECK (available >= 0),
  constraint wallets_country_check CHECK (country ~ '^[A-Z]{2}$'::text),
  constraint wallets_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint wallets_held_check CHECK (held >= 0)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);

create table webhook_secrets (
  id uuid not null,
  account_id uuid not null,
  secret_sealed bytea not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  constraint webhook_secrets_pkey PRIMARY KEY (id)
);

CREATE INDEX credentials_by_account ON credentials USING btree (account_id);
CREATE UNIQUE INDEX merchants_by_email ON merchants USING btree (lower(email));
CREATE INDEX transfers_by_time ON transfers USING brin (posted_at) WITH (pages_per_range='32');
CREATE INDEX webhook_secrets_by_account ON webhook_secrets USING btree (account_id);

alter table accounts add constraint accounts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id);
alter table credentials add constraint credentials_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table transfers add constraint transfers_slot_wallet_id_environment_currency_fkey FOREIGN KEY (slot, wallet_id, environment, currency) REFERENCES wallets(slot, id, environment, currency);
alter table wallets add constraint wallets_account_id_slot_environment_fkey FOREIGN KEY (account_id, slot, environment) REFERENCES accounts(id, slot, environment);
alter table webhook_secrets add constraint webhook_secrets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_append_only BEFORE DELETE OR UPDATE ON transfers FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_no_truncate BEFORE TRUNCATE ON transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

comment on table public.accounts is 'A merchant has two: sandbox and live. Nothing is shared between them.';
comment on table public.audit_log is 'Every action of a person that changed something.';
comment on table public.ledger_rollups is 'Sums of the accounts that keep no live balance, up to the time in settings (ledger_rollup).';
comment on table public.settings is 'Facts of this installation, such as the check value of its master key.';
comment on table public.transfers is 'The ledger. A row moves an amount from the debit to the credit account, so money cannot appear.';
comment on column public.credentials.api_key_hash is 'SHA-256. The key has 256 random bits, so a slow hash would add nothing.';
comment on column public.credentials.token_issued_at is 'With the key it makes the current token anew: tokens themselves are not stored.';
comment on column public.wallets.seq is 'How many transfers have touched the wallet: the number of the last.';
