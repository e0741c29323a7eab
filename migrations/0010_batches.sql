-- Batches: many payouts from one file, looked at before they are paid.

create table batches (
  slot smallint not null,
  id uuid not null,
  account_id uuid not null,
  environment environment not null,
  name text not null check (length(name) between 1 and 100),
  state text not null
    check (state in ('draft', 'waiting_for_approval', 'running', 'done', 'cancelled')),
  file_hash bytea not null check (length(file_hash) = 32),
  lines integer not null check (lines > 0),
  valid integer not null check (valid >= 0),
  invalid integer not null check (invalid >= 0),
  totals jsonb not null,
  needs_approval boolean not null default false,
  accepted integer not null default 0 check (accepted >= 0),
  refused integer not null default 0 check (refused >= 0),
  successful integer not null default 0 check (successful >= 0),
  failed integer not null default 0 check (failed >= 0),
  created_by uuid not null,
  created_by_name text not null,
  approved_by uuid,
  approved_by_name text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  due_at timestamptz,
  primary key (slot, id),
  foreign key (account_id, slot, environment) references accounts (id, slot, environment),
  check (lines = valid + invalid),
  check (accepted + refused <= valid and successful + failed <= accepted),
  check (accepted + refused = 0 or state in ('running', 'done')),
  check (state <> 'done' or (accepted + refused = valid and successful + failed = accepted)),
  check ((state = 'running') = (due_at is not null)),
  constraint batches_approved_by_another check (approved_by <> created_by),
  constraint batches_approved_before_paid
    check (not needs_approval or approved_by is not null or state not in ('running', 'done'))
) with (fillfactor = 70);
comment on table batches is 'A file of payouts: counted here, so that its progress is one row.';
comment on column batches.totals is
  'Of the valid lines: {currency, count, amount}, the amount in minor units as text.';
comment on column batches.file_hash is 'SHA-256 of the file: the same one twice is worth a warning.';
comment on column batches.due_at is 'When it wants attention next: the row is the job.';
comment on column batches.updated_at is 'When its state or one of its counts changed last.';
create index batches_by_account on batches (slot, account_id, id);
create index batches_by_file on batches (slot, account_id, file_hash, id);
create index batches_due on batches (due_at) where due_at is not null;

create table batch_lines (
  slot smallint not null,
  batch_id uuid not null,
  line integer not null check (line > 1),
  state text not null
    check (state in ('invalid', 'ready', 'accepted', 'refused', 'successful', 'failed')),
  reference text not null,
  amount bigint check (amount > 0),
  cells jsonb not null,
  errors jsonb not null default '[]',
  transaction_id uuid,
  primary key (slot, batch_id, line),
  foreign key (slot, batch_id) references batches (slot, id),
  check ((transaction_id is not null) = (state in ('accepted', 'successful', 'failed'))),
  check (amount is not null or state = 'invalid')
) with (fillfactor = 50);
comment on column batch_lines.line is 'Its number in the file, whose first line is the header.';
comment on column batch_lines.cells is 'What the file says, by column.';
comment on column batch_lines.errors is 'Why it is invalid or was refused: {column, message}.';
create index batch_lines_open on batch_lines (slot, batch_id, state, line)
  where state in ('ready', 'accepted');
