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

create sequence bank_ids as bigint increment 1 minvalue 1 maxvalue 9223372036854775807 start 100000 cache 1;
create sequence branch_ids as bigint increment 1 minvalue 1 maxvalue 9223372036854775807 start 100000000 cache 1;
create sequence reference_revisions as bigint increment 1 minvalue 1 maxvalue 9223372036854775807 start 1 cache 1;

create table accounts (
  id uuid not null,
  slot smallint not null,
  merchant_id uuid not null,
  environment environment not null,
  time_zone text default 'UTC'::text not null,
  webhook_url text,
  created_at timestamp with time zone default now() not null,
  fee_plan jsonb default '[]'::jsonb not null,
  webhook_failing_since timestamp with time zone,
  webhook_paused_at timestamp with time zone,
  approval_limits jsonb default '{}'::jsonb not null,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_id_slot_environment_key UNIQUE (id, slot, environment),
  constraint accounts_merchant_id_environment_key UNIQUE (merchant_id, environment),
  constraint accounts_slot_check CHECK (slot >= 0 AND slot <= 255),
  constraint accounts_time_zone_check CHECK (length(time_zone) >= 1 AND length(time_zone) <= 64),
  constraint accounts_webhook_url_check CHECK (length(webhook_url) <= 2048)
);

create table activity_hours (
  slot smallint not null,
  account_id uuid not null,
  starts_at timestamp with time zone not null,
  groups jsonb not null,
  constraint activity_hours_pkey PRIMARY KEY (slot, account_id, starts_at)
);

create table arrivals (
  slot smallint not null,
  id uuid not null,
  rail text not null,
  key text not null,
  account_number text not null,
  amount bigint not null,
  currency text not null,
  transaction_id uuid,
  finding text not null,
  arrived_at timestamp with time zone not null,
  constraint arrivals_pkey PRIMARY KEY (slot, id),
  constraint arrivals_rail_key_key UNIQUE (rail, key),
  constraint arrivals_amount_check CHECK (amount > 0)
);

create table audit_log (
  id uuid not null,
  at timestamp with time zone default now() not null,
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb default '{}'::jsonb not null,
  "position" bigint default pg_current_xact_id()::text::bigint not null,
  merchant_id uuid,
  constraint audit_log_pkey PRIMARY KEY (id)
);

create table audit_seals (
  number bigint not null,
  from_position bigint not null,
  to_position bigint not null,
  entries bigint not null,
  columns text[] not null,
  content_hash bytea not null,
  previous_hash bytea not null,
  key_id text not null,
  hash bytea not null,
  sealed_at timestamp with time zone not null,
  constraint audit_seals_pkey PRIMARY KEY (number),
  constraint ledger_seals_check CHECK (to_position > from_position),
  constraint ledger_seals_content_hash_check CHECK (length(content_hash) = 32),
  constraint ledger_seals_entries_check CHECK (entries > 0),
  constraint ledger_seals_hash_check CHECK (length(hash) = 32),
  constraint ledger_seals_previous_hash_check CHECK (length(previous_hash) = 32)
);

create table banks (
  id integer default nextval('bank_ids'::regclass) not null,
  country text not null,
  code text not null,
  name text not null,
  swift_code text,
  constraint banks_pkey PRIMARY KEY (id),
  constraint banks_code_check CHECK (length(code) >= 1 AND length(code) <= 64),
  constraint banks_id_check CHECK (id > 0),
  constraint banks_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint banks_swift_code_check CHECK (swift_code ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'::text)
);

create table batch_lines (
  slot smallint not null,
  batch_id uuid not null,
  line integer not null,
  state text not null,
  reference text not null,
  amount bigint,
  cells jsonb not null,
  errors jsonb default '[]'::jsonb not null,
  transaction_id uuid,
  constraint batch_lines_pkey PRIMARY KEY (slot, batch_id, line),
  constraint batch_lines_amount_check CHECK (amount > 0),
  constraint batch_lines_check CHECK ((transaction_id IS NOT NULL) = (state = ANY (ARRAY['accepted'::text, 'successful'::text, 'failed'::text]))),
  constraint batch_lines_check1 CHECK (amount IS NOT NULL OR state = 'invalid'::text),
  constraint batch_lines_line_check CHECK (line > 1),
  constraint batch_lines_state_check CHECK (state = ANY (ARRAY['invalid'::text, 'ready'::text, 'accepted'::text, 'refused'::text, 'successful'::text, 'failed'::text]))
) with (fillfactor=50);

create table batches (
  slot smallint not null,
  id uuid not null,
  account_id uuid not null,
  environment environment not null,
  name text not null,
  state text not null,
  file_hash bytea not null,
  lines integer not null,
  valid integer not null,
  invalid integer not null,
  totals jsonb not null,
  needs_approval boolean default false not null,
  accepted integer default 0 not null,
  refused integer default 0 not null,
  successful integer default 0 not null,
  failed integer default 0 not null,
  created_by uuid not null,
  created_by_name text not null,
  approved_by uuid,
  approved_by_name text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  due_at timestamp with time zone,
  constraint batches_pkey PRIMARY KEY (slot, id),
  constraint batches_accepted_check CHECK (accepted >= 0),
  constraint batches_approved_before_paid CHECK (NOT needs_approval OR approved_by IS NOT NULL OR (state <> ALL (ARRAY['running'::text, 'done'::text]))),
  constraint batches_approved_by_another CHECK (approved_by <> created_by),
  constraint batches_check CHECK (lines = (valid + invalid)),
  constraint batches_check1 CHECK ((accepted + refused) <= valid AND (successful + failed) <= accepted),
  constraint batches_check2 CHECK ((accepted + refused) = 0 OR (state = ANY (ARRAY['running'::text, 'done'::text]))),
  constraint batches_check3 CHECK (state <> 'done'::text OR (accepted + refused) = valid AND (successful + failed) = accepted),
  constraint batches_check4 CHECK ((state = 'running'::text) = (due_at IS NOT NULL)),
  constraint batches_failed_check CHECK (failed >= 0),
  constraint batches_file_hash_check CHECK (length(file_hash) = 32),
  constraint batches_invalid_check CHECK (invalid >= 0),
  constraint batches_lines_check CHECK (lines > 0),
  constraint batches_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint batches_refused_check CHECK (refused >= 0),
  constraint batches_state_check CHECK (state = ANY (ARRAY['draft'::text, 'waiting_for_approval'::text, 'running'::text, 'done'::text, 'cancelled'::text])),
  constraint batches_successful_check CHECK (successful >= 0),
  constraint batches_valid_check CHECK (valid >= 0)
) with (fillfactor=70);

create table beneficiaries (
  slot smallint not null,
  id uuid not null,
  account_id uuid not null,
  type text not null,
  country text not null,
  currency text not null,
  destination text not null,
  account_name text not null,
  account_number text not null,
  code text,
  branch_code text,
  business_number text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint beneficiaries_pkey PRIMARY KEY (slot, id),
  constraint beneficiaries_account_name_check CHECK (length(account_name) >= 1 AND length(account_name) <= 201),
  constraint beneficiaries_account_number_check CHECK (length(account_number) >= 1 AND length(account_number) <= 64),
  constraint beneficiaries_branch_code_check CHECK (length(branch_code) >= 1 AND length(branch_code) <= 64),
  constraint beneficiaries_business_number_check CHECK (length(business_number) >= 1 AND length(business_number) <= 64),
  constraint beneficiaries_code_check CHECK (length(code) >= 1 AND length(code) <= 64),
  constraint beneficiaries_country_check CHECK (country ~ '^[A-Z]{2}$'::text),
  constraint beneficiaries_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint beneficiaries_destination_check CHECK (destination = ANY (ARRAY['MoMo'::text, 'Bank Account'::text, 'Paybill'::text, 'Till'::text])),
  constraint beneficiaries_type_check CHECK (type = ANY (ARRAY['payout'::text, 'deposit'::text]))
);

create table branches (
  id integer default nextval('branch_ids'::regclass) not null,
  bank_id integer not null,
  code text not null,
  name text not null,
  swift_code text,
  bic text,
  constraint branches_pkey PRIMARY KEY (id),
  constraint branches_bic_check CHECK (bic ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'::text),
  constraint branches_code_check CHECK (length(code) >= 1 AND length(code) <= 64),
  constraint branches_id_check CHECK (id > 0),
  constraint branches_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint branches_swift_code_check CHECK (swift_code ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'::text)
);

create table countries (
  iso2 text not null,
  iso3 text not null,
  name text not null,
  dialing_code text not null,
  currency text not null,
  symbol text not null,
  constraint countries_pkey PRIMARY KEY (iso2),
  constraint countries_iso3_key UNIQUE (iso3),
  constraint countries_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint countries_dialing_code_check CHECK (dialing_code ~ '^\+\d{1,4}$'::text),
  constraint countries_iso2_check CHECK (iso2 ~ '^[A-Z]{2}$'::text),
  constraint countries_iso3_check CHECK (iso3 ~ '^[A-Z]{3}$'::text),
  constraint countries_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint countries_symbol_check CHECK (length(symbol) >= 1 AND length(symbol) <= 8)
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

create table held_rates (
  base text not null,
  quote text not null,
  at timestamp with time zone not null,
  buy numeric not null,
  sell numeric not null,
  source text not null,
  held_at timestamp with time zone default now() not null,
  constraint held_rates_pkey PRIMARY KEY (base, quote),
  constraint held_rates_buy_check CHECK (buy > 0::numeric),
  constraint held_rates_check CHECK (base <> quote),
  constraint held_rates_check1 CHECK (sell >= buy),
  constraint held_rates_source_check CHECK (source = ANY (ARRAY['file'::text, 'feed'::text]))
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

create table ledger_seals (
  number bigint not null,
  from_position bigint not null,
  to_position bigint not null,
  entries bigint not null,
  columns text[] not null,
  content_hash bytea not null,
  previous_hash bytea not null,
  key_id text not null,
  hash bytea not null,
  sealed_at timestamp with time zone not null,
  constraint ledger_seals_pkey PRIMARY KEY (number),
  constraint ledger_seals_check CHECK (to_position > from_position),
  constraint ledger_seals_content_hash_check CHECK (length(content_hash) = 32),
  constraint ledger_seals_entries_check CHECK (entries > 0),
  constraint ledger_seals_hash_check CHECK (length(hash) = 32),
  constraint ledger_seals_previous_hash_check CHECK (length(previous_hash) = 32)
);

create table login_attempts (
  key text not null,
  attempts integer not null,
  ends_at timestamp with time zone not null,
  constraint login_attempts_pkey PRIMARY KEY (key),
  constraint login_attempts_key_check CHECK (length(key) <= 100)
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

create table operators (
  country text not null,
  id text not null,
  name text not null,
  wallet text not null,
  currency text not null,
  prefixes text[] default '{}'::text[] not null,
  constraint operators_pkey PRIMARY KEY (country, id),
  constraint operators_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint operators_id_check CHECK (id ~ '^[a-z0-9_-]{1,64}$'::text),
  constraint operators_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint operators_wallet_check CHECK (length(wallet) >= 1 AND length(wallet) <= 100)
);

create table people (
  id uuid not null,
  merchant_id uuid not null,
  email text not null,
  name text not null,
  role text not null,
  time_zone text default 'UTC'::text not null,
  password_hash text,
  totp_sealed bytea,
  totp_offered_sealed bytea,
  totp_last_step bigint,
  invitation_hash bytea,
  invitation_ends_at timestamp with time zone,
  disabled_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  constraint people_pkey PRIMARY KEY (id),
  constraint people_invitation_hash_key UNIQUE (invitation_hash),
  constraint people_check CHECK ((invitation_hash IS NULL) = (invitation_ends_at IS NULL)),
  constraint people_email_check CHECK (length(email) >= 3 AND length(email) <= 254),
  constraint people_invitation_hash_check CHECK (length(invitation_hash) = 32),
  constraint people_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint people_role_check CHECK (role = ANY (ARRAY['owner'::text, 'finance'::text, 'developer'::text, 'viewer'::text])),
  constraint people_time_zone_check CHECK (length(time_zone) >= 1 AND length(time_zone) <= 64)
);

create table rail_attempts (
  slot smallint not null,
  id uuid not null,
  transaction_id uuid not null,
  rail text not null,
  action text not null,
  outcome text not null,
  said text default ''::text not null,
  duration_ms integer not null,
  at timestamp with time zone not null,
  constraint rail_attempts_pkey PRIMARY KEY (slot, transaction_id, id),
  constraint rail_attempts_action_check CHECK (action = ANY (ARRAY['submit'::text, 'authorise'::text, 'lookup'::text, 'callback'::text, 'deadline'::text])),
  constraint rail_attempts_duration_ms_check CHECK (duration_ms >= 0),
  constraint rail_attempts_said_check CHECK (length(said) <= 500)
);

create table rail_callbacks (
  slot smallint not null,
  id uuid not null,
  rail text not null,
  transaction_id uuid,
  outcome text not null,
  said text default ''::text not null,
  provider_reference text,
  amount bigint,
  currency text,
  received_at timestamp with time zone not null,
  handled_at timestamp with time zone,
  finding text,
  direction text default 'payout'::text not null,
  arrival_id text,
  account_number text,
  constraint rail_callbacks_pkey PRIMARY KEY (slot, id),
  constraint rail_callbacks_direction_check CHECK (direction = ANY (ARRAY['payout'::text, 'charge'::text])),
  constraint rail_callbacks_said_check CHECK (length(said) <= 500)
);

create table rates (
  base text not null,
  quote text not null,
  at timestamp with time zone not null,
  buy numeric not null,
  sell numeric not null,
  source text not null,
  constraint rates_pkey PRIMARY KEY (base, quote, at),
  constraint rates_base_check CHECK (base ~ '^[A-Z]{3}$'::text),
  constraint rates_buy_check CHECK (buy > 0::numeric),
  constraint rates_check CHECK (base <> quote),
  constraint rates_check1 CHECK (sell >= buy),
  constraint rates_quote_check CHECK (quote ~ '^[A-Z]{3}$'::text),
  constraint rates_source_check CHECK (source = ANY (ARRAY['file'::text, 'feed'::text, 'operator'::text]))
);

create table reference_lists (
  name text not null,
  version integer not null,
  origin text not null,
  revision bigint not null,
  updated_at timestamp with time zone default now() not null,
  constraint reference_lists_pkey PRIMARY KEY (name),
  constraint reference_lists_name_check CHECK (name = ANY (ARRAY['countries'::text, 'operators'::text, 'banks'::text, 'branches'::text])),
  constraint reference_lists_origin_check CHECK (origin = ANY (ARRAY['shipped'::text, 'imported'::text])),
  constraint reference_lists_version_check CHECK (version >= 0)
);

create table request_log (
  slot smallint not null,
  account_id uuid not null,
  id uuid not null,
  at timestamp with time zone not null,
  method text not null,
  path text not null,
  status smallint not null,
  duration_ms integer not null,
  request_id text not null,
  credential_id uuid not null,
  ip text not null,
  request text,
  answer text,
  constraint request_log_pkey PRIMARY KEY (slot, account_id, id),
  constraint request_log_answer_check CHECK (length(answer) <= 4096),
  constraint request_log_duration_ms_check CHECK (duration_ms >= 0),
  constraint request_log_ip_check CHECK (length(ip) <= 64),
  constraint request_log_method_check CHECK (length(method) <= 10),
  constraint request_log_path_check CHECK (length(path) <= 500),
  constraint request_log_request_check CHECK (length(request) <= 4096),
  constraint request_log_request_id_check CHECK (length(request_id) <= 64)
);

create table sandbox_rail_book (
  rail text not null,
  key text not null,
  direction text not null,
  account_number text not null,
  amount bigint not null,
  currency text not null,
  behaviour text not null,
  arrivals integer default 1 not null,
  taken_at timestamp with time zone not null,
  callback_due_at timestamp with time zone,
  callbacks_left smallint default 0 not null,
  stage text,
  confirmed_at timestamp with time zone,
  refused text,
  constraint sandbox_rail_book_pkey PRIMARY KEY (rail, key),
  constraint sandbox_rail_book_direction_check CHECK (direction = ANY (ARRAY['payout'::text, 'charge'::text]))
);

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table sealing_keys (
  key_id text not null,
  secret_sealed bytea not null,
  created_at timestamp with time zone default now() not null,
  constraint sealing_keys_pkey PRIMARY KEY (key_id)
);

create table sessions (
  id uuid not null,
  person_id uuid not null,
  token_hash bytea not null,
  ip text not null,
  user_agent text not null,
  seen_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_ip_check CHECK (length(ip) <= 64),
  constraint sessions_token_hash_check CHECK (length(token_hash) = 32),
  constraint sessions_user_agent_check CHECK (length(user_agent) <= 200)
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

create table suspense_items (
  slot smallint not null,
  id uuid not null,
  environment environment not null,
  rail text not null,
  currency text not null,
  amount bigint not null,
  story text not null,
  transaction_id uuid,
  account_id uuid,
  state text default 'open'::text not null,
  resolved_by text,
  resolved_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint suspense_items_pkey PRIMARY KEY (slot, id),
  constraint suspense_items_amount_check CHECK (amount > 0),
  constraint suspense_items_check CHECK ((state = 'open'::text) = (resolved_at IS NULL)),
  constraint suspense_items_state_check CHECK (state = ANY (ARRAY['open'::text, 'credited'::text, 'returned'::text]))
);

create table transactions (
  slot smallint not null,
  id uuid not null,
  account_id uuid not null,
  environment environment not null,
  kind text not null,
  state text not null,
  status text not null,
  external_reference text not null,
  idempotency_key text,
  request_hash bytea,
  method text not null,
  destination text not null,
  country text not null,
  currency text not null,
  amount bigint not null,
  wallet_id uuid not null,
  wallet_currency text not null,
  wallet_amount bigint not null,
  fee bigint default 0 not null,
  exchange_rate numeric,
  beneficiary_id uuid,
  account_name text default ''::text not null,
  account_number text default ''::text not null,
  code text,
  branch_code text,
  business_number text,
  rail text,
  rail_turn smallint default 0 not null,
  submits smallint default 0 not null,
  lookups smallint default 0 not null,
  provider_reference text,
  failure_reason text,
  step_required text,
  redirect_url text,
  linked_id uuid,
  sequence smallint default 1 not null,
  due_at timestamp with time zone,
  leased_until timestamp with time zone,
  submitted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deadline_at timestamp with time zone,
  wrong_values smallint default 0 not null,
  details jsonb,
  constraint transactions_pkey PRIMARY KEY (slot, id),
  constraint transactions_slot_account_id_external_reference_key UNIQUE (slot, account_id, external_reference),
  constraint transactions_amount_check CHECK (amount > 0),
  constraint transactions_check CHECK ((idempotency_key IS NULL) = (request_hash IS NULL)),
  constraint transactions_check1 CHECK (status = 'pending'::text OR due_at IS NULL),
  constraint transactions_exchange_rate_check CHECK (exchange_rate > 0::numeric),
  constraint transactions_external_reference_check CHECK (length(external_reference) >= 1 AND length(external_reference) <= 100),
  constraint transactions_fee_check CHECK (fee >= 0),
  constraint transactions_idempotency_key_check CHECK (length(idempotency_key) >= 1 AND length(idempotency_key) <= 255),
  constraint transactions_kind_check CHECK (kind = ANY (ARRAY['payout'::text, 'charge'::text, 'reversal'::text])),
  constraint transactions_method_check CHECK (method = ANY (ARRAY['momo'::text, 'bank'::text, 'card'::text])),
  constraint transactions_status_check CHECK (status = ANY (ARRAY['pending'::text, 'successful'::text, 'failed'::text])),
  constraint transactions_wallet_amount_check CHECK (wallet_amount > 0)
) with (fillfactor=80);

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
  "position" bigint default pg_current_xact_id()::text::bigint not null,
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

create table virtual_accounts (
  slot smallint not null,
  transaction_id uuid not null,
  rail text not null,
  account_number text not null,
  bank_name text not null,
  note text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint virtual_accounts_pkey PRIMARY KEY (slot, transaction_id),
  constraint virtual_accounts_rail_account_number_key UNIQUE (rail, account_number)
);

create table wallet_sums (
  slot smallint not null,
  wallet_id uuid not null,
  seq bigint not null,
  sums jsonb not null,
  constraint wallet_sums_pkey PRIMARY KEY (slot, wallet_id),
  constraint wallet_sums_seq_check CHECK (seq >= 0)
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

create table webhook_attempts (
  slot smallint not null,
  webhook_id uuid not null,
  id uuid not null,
  at timestamp with time zone not null,
  duration_ms integer not null,
  status text not null,
  answer text not null,
  constraint webhook_attempts_pkey PRIMARY KEY (slot, webhook_id, id),
  constraint webhook_attempts_answer_check CHECK (length(answer) <= 500),
  constraint webhook_attempts_duration_ms_check CHECK (duration_ms >= 0),
  constraint webhook_attempts_status_check CHECK (length(status) <= 20)
);

create table webhook_secrets (
  id uuid not null,
  account_id uuid not null,
  secret_sealed bytea not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  constraint webhook_secrets_pkey PRIMARY KEY (id)
);

create table webhooks (
  slot smallint not null,
  id uuid not null,
  account_id uuid not null,
  transaction_id uuid not null,
  sequence smallint not null,
  event text not null,
  data jsonb not null,
  status text default 'CREATED'::text not null,
  due_at timestamp with time zone,
  created_at timestamp with time zone not null,
  attempts smallint default 0 not null,
  leased_until timestamp with time zone,
  at_once boolean default false not null,
  webhook_url text,
  response_status text,
  response_body text,
  attempt_id uuid,
  attempted_at timestamp with time zone,
  attempt_ms integer,
  constraint webhooks_pkey PRIMARY KEY (slot, id),
  constraint webhooks_slot_transaction_id_sequence_key UNIQUE (slot, transaction_id, sequence),
  constraint webhooks_attempt_ms_check CHECK (attempt_ms >= 0),
  constraint webhooks_event_check CHECK (event = ANY (ARRAY['transaction_created'::text, 'transaction_updated'::text])),
  constraint webhooks_response_body_check CHECK (length(response_body) <= 500),
  constraint webhooks_response_status_check CHECK (length(response_status) <= 20),
  constraint webhooks_status_check CHECK (status = ANY (ARRAY['CREATED'::text, 'FAILED'::text, 'SUCCESS'::text])),
  constraint webhooks_webhook_url_check CHECK (length(webhook_url) <= 2048)
) with (autovacuum_vacuum_scale_factor=0.02, fillfactor=45);

CREATE INDEX activity_hours_by_age ON activity_hours USING brin (starts_at);
CREATE INDEX audit_log_by_merchant ON audit_log USING btree (merchant_id, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX audit_log_by_position ON audit_log USING btree ("position");
CREATE UNIQUE INDEX banks_by_code ON banks USING btree (country, lower(code));
CREATE INDEX batch_lines_open ON batch_lines USING btree (slot, batch_id, state, line) WHERE state = ANY (ARRAY['ready'::text, 'accepted'::text]);
CREATE INDEX batches_by_account ON batches USING btree (slot, account_id, id);
CREATE INDEX batches_by_file ON batches USING btree (slot, account_id, file_hash, id);
CREATE INDEX batches_due ON batches USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX beneficiaries_by_account ON beneficiaries USING btree (slot, account_id, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX beneficiaries_once ON beneficiaries USING btree (slot, account_id, type, currency, lower(COALESCE(code, business_number, ''::text)), account_number) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX branches_by_code ON branches USING btree (bank_id, lower(code));
CREATE INDEX credentials_by_account ON credentials USING btree (account_id);
CREATE UNIQUE INDEX merchants_by_email ON merchants USING btree (lower(email));
CREATE UNIQUE INDEX people_by_email ON people USING btree (lower(email));
CREATE INDEX people_by_merchant ON people USING btree (merchant_id, id);
CREATE INDEX rail_callbacks_by_transaction ON rail_callbacks USING btree (slot, transaction_id);
CREATE INDEX rail_callbacks_doubted ON rail_callbacks USING btree (received_at) WHERE finding ~~ 'contradiction%'::text OR finding ~~ 'not believed%'::text OR finding ~~ 'fault%'::text;
CREATE INDEX rail_callbacks_waiting ON rail_callbacks USING btree (received_at) WHERE handled_at IS NULL;
CREATE INDEX rates_by_time ON rates USING btree (at);
CREATE INDEX request_log_by_age ON request_log USING brin (at);
CREATE INDEX sandbox_rail_book_due ON sandbox_rail_book USING btree (callback_due_at) WHERE callback_due_at IS NOT NULL;
CREATE INDEX sessions_by_person ON sessions USING btree (person_id, id);
CREATE INDEX suspense_items_by_account ON suspense_items USING btree (account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX suspense_items_open ON suspense_items USING btree (created_at) WHERE state = 'open'::text;
CREATE INDEX transactions_by_account ON transactions USING btree (slot, account_id, id);
CREATE INDEX transactions_by_filter ON transactions USING btree (slot, account_id, currency, kind, status, id);
CREATE UNIQUE INDEX transactions_by_idempotency_key ON transactions USING btree (slot, account_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX transactions_due ON transactions USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX transfers_by_position ON transfers USING brin ("position") WITH (pages_per_range='32');
CREATE INDEX transfers_by_time ON transfers USING brin (posted_at) WITH (pages_per_range='32');
CREATE UNIQUE INDEX wallets_of_account ON wallets USING btree (slot, id, account_id, environment, currency);
CREATE INDEX webhook_secrets_by_account ON webhook_secrets USING btree (account_id);
CREATE INDEX webhooks_by_account ON webhooks USING btree (slot, account_id, id) WITH (fillfactor='50');
CREATE INDEX webhooks_by_age ON webhooks USING brin (created_at);
CREATE INDEX webhooks_by_status ON webhooks USING btree (slot, account_id, status, id);
CREATE INDEX webhooks_due ON webhooks USING btree (account_id, due_at, id) WHERE due_at IS NOT NULL;

alter table accounts add constraint accounts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id);
alter table activity_hours add constraint activity_hours_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table audit_log add constraint audit_log_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id);
alter table banks add constraint banks_country_fkey FOREIGN KEY (country) REFERENCES countries(iso2);
alter table batch_lines add constraint batch_lines_slot_batch_id_fkey FOREIGN KEY (slot, batch_id) REFERENCES batches(slot, id);
alter table batches add constraint batches_account_id_slot_environment_fkey FOREIGN KEY (account_id, slot, environment) REFERENCES accounts(id, slot, environment);
alter table beneficiaries add constraint beneficiaries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table branches add constraint branches_bank_id_fkey FOREIGN KEY (bank_id) REFERENCES banks(id) ON DELETE CASCADE;
alter table credentials add constraint credentials_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table operators add constraint operators_country_fkey FOREIGN KEY (country) REFERENCES countries(iso2);
alter table people add constraint people_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id);
alter table request_log add constraint request_log_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table sessions add constraint sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
alter table transactions add constraint transactions_wallet_of_account_fkey FOREIGN KEY (slot, wallet_id, account_id, environment, wallet_currency) REFERENCES wallets(slot, id, account_id, environment, currency);
alter table transfers add constraint transfers_slot_wallet_id_environment_currency_fkey FOREIGN KEY (slot, wallet_id, environment, currency) REFERENCES wallets(slot, id, environment, currency);
alter table wallet_sums add constraint wallet_sums_slot_wallet_id_fkey FOREIGN KEY (slot, wallet_id) REFERENCES wallets(slot, id);
alter table wallets add constraint wallets_account_id_slot_environment_fkey FOREIGN KEY (account_id, slot, environment) REFERENCES accounts(id, slot, environment);
alter table webhook_secrets add constraint webhook_secrets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_seals_append_only BEFORE DELETE OR UPDATE ON audit_seals FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_seals_no_truncate BEFORE TRUNCATE ON audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_seals_append_only BEFORE DELETE OR UPDATE ON ledger_seals FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_seals_no_truncate BEFORE TRUNCATE ON ledger_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_append_only BEFORE DELETE OR UPDATE ON transfers FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_no_truncate BEFORE TRUNCATE ON transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

comment on table public.accounts is 'A merchant has two: sandbox and live. Nothing is shared between them.';
comment on table public.activity_hours is 'What the transactions of an hour that is over come to. A missing one is made by whoever looks.';
comment on table public.arrivals is 'Every transfer into a virtual account that a rail told us of, and what became of it.';
comment on table public.audit_log is 'Every action of a person that changed something.';
comment on table public.audit_seals is 'The same as ledger_seals, over the audit log.';
comment on table public.batches is 'A file of payouts: counted here, so that its progress is one row.';
comment on table public.beneficiaries is 'External accounts. A deleted one stays for the transactions that name it, and is seen no more.';
comment on table public.held_rates is 'What a feed said that is too far from the last rate. It counts when an operator has confirmed it.';
comment on table public.ledger_rollups is 'Sums of the accounts that keep no live balance, up to the time in settings (ledger_rollup).';
comment on table public.ledger_seals is 'Each signs the transfers of a range of positions, and the seal before it.';
comment on table public.login_attempts is 'Attempts to sign in that did not succeed, by email and by address, until the count ends.';
comment on table public.rail_attempts is 'Every word exchanged with a rail about a transaction, redacted.';
comment on table public.rates is 'Quote units per base unit, as they were believed at that time. What is doubted is in held_rates.';
comment on table public.reference_lists is 'Where each list comes from. One that an operator has imported is not replaced by a newer release.';
comment on table public.request_log is 'Some of the requests that programs sent, secrets taken out, for those who write such programs.';
comment on table public.sealing_keys is 'What seals are signed with. Made from the master key of the time, and kept when that is retired.';
comment on table public.settings is 'Facts of this installation, such as the check value of its master key.';
comment on table public.suspense_items is 'Money that settles no charge: an operator credits it to a wallet or returns it.';
comment on table public.transfers is 'The ledger. A row moves an amount from the debit to the credit account, so money cannot appear.';
comment on table public.wallet_sums is 'Debits and credits of the transfers of a wallet, up to the number of the last one counted.';
comment on table public.webhook_attempts is 'Every try to deliver but the last, which is in webhooks, with the start of what was answered.';
comment on table public.webhooks is 'What merchants are told. Written in the commit that made it true.';
comment on column public.accounts.approval_limits is 'Per currency a decimal text: a batch of more than that waits for a second person.';
comment on column public.accounts.fee_plan is 'Rules {kind, method, currency, percentBasisPoints, fixedMinor, minMinor, maxMinor}; none: no fee.';
comment on column public.accounts.webhook_paused_at is 'Since when nothing is sent, because nothing had arrived for days.';
comment on column public.audit_log."position" is 'The number of the transaction that wrote it. 0: written before there were seals.';
comment on column public.audit_log.merchant_id is 'Who may read it. None for what concerns the installation as a whole.';
comment on column public.audit_seals.columns is 'Those the content hash covers: one that is added later changes no older seal.';
comment on column public.audit_seals.to_position is 'The first position that is not covered any more.';
comment on column public.batch_lines.cells is 'What the file says, by column.';
comment on column public.batch_lines.errors is 'Why it is invalid or was refused: {column, message}.';
comment on column public.batch_lines.line is 'Its number in the file, whose first line is the header.';
comment on column public.batches.due_at is 'When it wants attention next: the row is the job.';
comment on column public.batches.file_hash is 'SHA-256 of the file: the same one twice is worth a warning.';
comment on column public.batches.totals is 'Of the valid lines: {currency, count, amount}, the amount in minor units as text.';
comment on column public.batches.updated_at is 'When its state or one of its counts changed last.';
comment on column public.credentials.api_key_hash is 'SHA-256. The key has 256 random bits, so a slow hash would add nothing.';
comment on column public.credentials.token_issued_at is 'With the key it makes the current token anew: tokens themselves are not stored.';
comment on column public.ledger_seals.columns is 'Those the content hash covers: one that is added later changes no older seal.';
comment on column public.ledger_seals.to_position is 'The first position that is not covered any more.';
comment on column public.operators.prefixes is 'How their numbers begin, country code included. None: any number of the country can have one.';
comment on column public.people.password_hash is 'Argon2id with its parameters; none until a person joined.';
comment on column public.people.totp_last_step is 'The time step of the last code: it and older ones are used.';
comment on column public.people.totp_offered_sealed is 'Shown to the person, and in use once a code proved it.';
comment on column public.rail_callbacks.finding is 'What came of it: applied, repeated, or why it was not believed. Kept for the operator.';
comment on column public.sandbox_rail_book.arrivals is 'How often this key was sent; money moved once.';
comment on column public.sandbox_rail_book.refused is 'Why the customer did not go through with it.';
comment on column public.sandbox_rail_book.stage is 'The step the customer still has to take.';
comment on column public.sessions.token_hash is 'SHA-256. The token has 256 random bits, so a slow hash would add nothing.';
comment on column public.transactions.deadline_at is 'When a charge that nobody completed fails.';
comment on column public.transactions.details is 'Of a charge: customer, card brand with first six and last four, return addresses. No secrets.';
comment on column public.transactions.due_at is 'When it wants attention next: the row is the job.';
comment on column public.transactions.rail_turn is 'Which rail of the route is being tried, from 0.';
comment on column public.transactions.sequence is 'How many events have told of it.';
comment on column public.transactions.wallet_amount is 'What the wallet gives or gets, fee apart, in minor units of its own currency.';
comment on column public.transactions.wrong_values is 'How often a wrong authorisation value was given.';
comment on column public.transfers."position" is 'The number of the transaction that wrote it. 0: written before there were seals.';
comment on column public.wallets.seq is 'How many transfers have touched the wallet: the number of the last.';
comment on column public.webhooks.at_once is 'Resent by hand: it waits for no other and none waits for it.';
comment on column public.webhooks.attempt_id is 'The last attempt. Those before it are in webhook_attempts.';
comment on column public.webhooks.attempts is 'How many of its schedule are made; a resend begins anew.';
comment on column public.webhooks.due_at is 'When it is to be sent next. None: it is done, or it waits for a URL or for the end of a pause.';
comment on column public.webhooks.leased_until is 'Until then it belongs to the worker that claimed it; what others say about it does not count.';
