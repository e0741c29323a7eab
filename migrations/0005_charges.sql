-- Charges: what they carry beyond payouts, virtual accounts, and money that arrived without a home.

alter table transactions
  add column deadline_at timestamptz,
  add column wrong_values smallint not null default 0,
  add column details jsonb;
comment on column transactions.deadline_at is 'When a charge that nobody completed fails.';
comment on column transactions.wrong_values is 'How often a wrong authorisation value was given.';
comment on column transactions.details is
  'Of a charge: customer, card brand with first six and last four, return addresses. No secrets.';

create table virtual_accounts (
  slot smallint not null,
  transaction_id uuid not null,
  rail text not null,
  account_number text not null,
  bank_name text not null,
  note text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (slot, transaction_id),
  unique (rail, account_number)
);

create table arrivals (
  slot smallint not null,
  id uuid not null,
  rail text not null,
  key text not null,
  account_number text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  transaction_id uuid,
  finding text not null,
  arrived_at timestamptz not null,
  primary key (slot, id),
  unique (rail, key)
);
comment on table arrivals is
  'Every transfer into a virtual account that a rail told us of, and what became of it.';

create table suspense_items (
  slot smallint not null,
  id uuid not null,
  environment environment not null,
  rail text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  story text not null,
  transaction_id uuid,
  account_id uuid,
  state text not null default 'open' check (state in ('open', 'credited', 'returned')),
  resolved_by text,
  resolved_at timestamptz,
  created_at timestamptz not null,
  primary key (slot, id),
  check ((state = 'open') = (resolved_at is null))
);
comment on table suspense_items is
  'Money that settles no charge: an operator credits it to a wallet or returns it.';
create index suspense_items_open on suspense_items (created_at) where state = 'open';

alter table sandbox_rail_book
  add column stage text,
  add column confirmed_at timestamptz,
  add column refused text;
comment on column sandbox_rail_book.stage is 'The step the customer still has to take.';
comment on column sandbox_rail_book.refused is 'Why the customer did not go through with it.';

alter table rail_callbacks
  add column direction text not null default 'payout' check (direction in ('payout', 'charge')),
  add column arrival_id text,
  add column account_number text;

alter table rail_attempts drop constraint rail_attempts_action_check;
alter table rail_attempts add constraint rail_attempts_action_check
  check (action in ('submit', 'authorise', 'lookup', 'callback', 'deadline'));
