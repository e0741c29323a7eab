-- Beneficiaries, transactions, what rails said about them, and what merchants are told.

alter table accounts add column fee_plan jsonb not null default '[]';
comment on column accounts.fee_plan is
  'Rules {kind, method, currency, percentBasisPoints, fixedMinor, minMinor, maxMinor}; none: no fee.';

create table beneficiaries (
  slot smallint not null,
  id uuid not null,
  account_id uuid not null references accounts,
  type text not null check (type in ('payout', 'deposit')),
  country text not null check (country ~ '^[A-Z]{2}$'),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  destination text not null check (destination in ('MoMo', 'Bank Account', 'Paybill', 'Till')),
  account_name text not null check (length(account_name) between 1 and 201),
  account_number text not null check (length(account_number) between 1 and 64),
  code text check (length(code) between 1 and 64),
  branch_code text check (length(branch_code) between 1 and 64),
  business_number text check (length(business_number) between 1 and 64),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (slot, id)
);
comment on table beneficiaries is
  'External accounts. A deleted one stays for the transactions that name it, and is seen no more.';
create unique index beneficiaries_once on beneficiaries
  (slot, account_id, type, currency, lower(coalesce(code, business_number, '')), account_number)
  where deleted_at is null;
create index beneficiaries_by_account on beneficiaries (slot, account_id, id)
  where deleted_at is null;

-- Charges and payouts in one table: one key for their references, one order for their list.
create table transactions (
  slot smallint not null,
  id uuid not null,
  account_id uuid not null,
  environment environment not null,
  kind text not null check (kind in ('payout', 'charge', 'reversal')),
  state text not null,
  status text not null check (status in ('pending', 'successful', 'failed')),
  external_reference text not null check (length(external_reference) between 1 and 100),
  idempotency_key text check (length(idempotency_key) between 1 and 255),
  request_hash bytea,
  method text not null check (method in ('momo', 'bank', 'card')),
  destination text not null,
  country text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  wallet_id uuid not null,
  wallet_currency text not null,
  wallet_amount bigint not null check (wallet_amount > 0),
  fee bigint not null default 0 check (fee >= 0),
  exchange_rate numeric check (exchange_rate > 0),
  beneficiary_id uuid,
  account_name text not null default '',
  account_number text not null default '',
  code text,
  branch_code text,
  business_number text,
  rail text,
  rail_turn smallint not null default 0,
  submits smallint not null default 0,
  lookups smallint not null default 0,
  provider_reference text,
  failure_reason text,
  step_required text,
  redirect_url text,
  linked_id uuid,
  sequence smallint not null default 1,
  due_at timestamptz,
  leased_until timestamptz,
  submitted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (slot, id),
  unique (slot, account_id, external_reference),
  foreign key (account_id, slot, environment) references accounts (id, slot, environment),
  foreign key (slot, wallet_id, environment, wallet_currency)
    references wallets (slot, id, environment, currency),
  check ((idempotency_key is null) = (request_hash is null)),
  check (status = 'pending' or due_at is null)
) with (fillfactor = 80);
comment on column transactions.wallet_amount is
  'What the wallet gives or gets, fee apart, in minor units of its own currency.';
comment on column transactions.due_at is 'When it wants attention next: the row is the job.';
comment on column transactions.rail_turn is 'Which rail of the route is being tried, from 0.';
comment on column transactions.sequence is 'How many events have told of it.';

create unique index transactions_by_idempotency_key on transactions
  (slot, account_id, idempotency_key) where idempotency_key is not null;
create index transactions_by_account on transactions (slot, account_id, id);
create index transactions_by_filter on transactions
  (slot, account_id, currency, kind, status, id);
create index transactions_due on transactions (due_at) where due_at is not null;

create table rail_attempts (
  slot smallint not null,
  id uuid not null,
  transaction_id uuid not null,
  rail text not null,
  action text not null check (action in ('submit', 'lookup', 'callback')),
  outcome text not null,
  said text not null default '' check (length(said) <= 500),
  duration_ms integer not null check (duration_ms >= 0),
  at timestamptz not null,
  primary key (slot, transaction_id, id)
);
comment on table rail_attempts is 'Every word exchanged with a rail about a transaction, redacted.';

create table rail_callbacks (
  slot smallint not null,
  id uuid not null,
  rail text not null,
  transaction_id uuid,
  outcome text not null,
  said text not null default '' check (length(said) <= 500),
  provider_reference text,
  amount bigint,
  currency text,
  received_at timestamptz not null,
  handled_at timestamptz,
  finding text,
  primary key (slot, id)
);
comment on column rail_callbacks.finding is
  'What came of it: applied, repeated, or why it was not believed. Kept for the operator.';
create index rail_callbacks_waiting on rail_callbacks (received_at) where handled_at is null;
create index rail_callbacks_by_transaction on rail_callbacks (slot, transaction_id);

create table webhooks (
  slot smallint not null,
  id uuid not null,
  account_id uuid not null references accounts,
  transaction_id uuid not null,
  sequence smallint not null,
  event text not null check (event in ('transaction_created', 'transaction_updated')),
  data jsonb not null,
  status text not null default 'CREATED' check (status in ('CREATED', 'FAILED', 'SUCCESS')),
  due_at timestamptz,
  created_at timestamptz not null,
  primary key (slot, id),
  unique (slot, transaction_id, sequence)
);
comment on table webhooks is 'What merchants are told. Written in the commit that made it true.';
create index webhooks_by_account on webhooks (slot, account_id, id);
create index webhooks_due on webhooks (due_at) where due_at is not null;

-- The sandbox rail is a stranger to our books, as a real one is: this is its own.
create table sandbox_rail_book (
  rail text not null,
  key text not null,
  direction text not null check (direction in ('payout', 'charge')),
  account_number text not null,
  amount bigint not null,
  currency text not null,
  behaviour text not null,
  arrivals integer not null default 1,
  taken_at timestamptz not null,
  callback_due_at timestamptz,
  callbacks_left smallint not null default 0,
  primary key (rail, key)
);
comment on column sandbox_rail_book.arrivals is 'How often this key was sent; money moved once.';
create index sandbox_rail_book_due on sandbox_rail_book (callback_due_at)
  where callback_due_at is not null;
