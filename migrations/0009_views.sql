-- What people look at: the log of requests, sums that are kept, limits above which two decide.

alter table accounts add column approval_limits jsonb not null default '{}';
comment on column accounts.approval_limits is
  'Per currency a decimal text: a batch of more than that waits for a second person.';

create index suspense_items_by_account on suspense_items (account_id, id)
  where account_id is not null;

create table activity_hours (
  slot smallint not null,
  account_id uuid not null references accounts,
  starts_at timestamptz not null,
  groups jsonb not null,
  primary key (slot, account_id, starts_at)
);
comment on table activity_hours is
  'What the transactions of an hour that is over come to. A missing one is made by whoever looks.';
create index activity_hours_by_age on activity_hours using brin (starts_at);

create table wallet_sums (
  slot smallint not null,
  wallet_id uuid not null,
  seq bigint not null check (seq >= 0),
  sums jsonb not null,
  primary key (slot, wallet_id),
  foreign key (slot, wallet_id) references wallets
);
comment on table wallet_sums is
  'Debits and credits of the transfers of a wallet, up to the number of the last one counted.';

create table request_log (
  slot smallint not null,
  account_id uuid not null references accounts,
  id uuid not null,
  at timestamptz not null,
  method text not null check (length(method) <= 10),
  path text not null check (length(path) <= 500),
  status smallint not null,
  duration_ms integer not null check (duration_ms >= 0),
  request_id text not null check (length(request_id) <= 64),
  credential_id uuid not null,
  ip text not null check (length(ip) <= 64),
  request text check (length(request) <= 4096),
  answer text check (length(answer) <= 4096),
  primary key (slot, account_id, id)
);
comment on table request_log is
  'Some of the requests that programs sent, secrets taken out, for those who write such programs.';
create index request_log_by_age on request_log using brin (at);
