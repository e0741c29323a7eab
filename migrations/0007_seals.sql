-- no transaction
-- Seals over the ledger and the audit log. Every row carries the number of the transaction that
-- wrote it, and a seal covers a range of these numbers that is over: nothing can be added to it,
-- changed or taken out without breaking the seal. Each statement can be run again.

-- Rows that are there already get 0, which rewrites nothing; new ones the default after that.
alter table transfers add column if not exists position bigint not null default 0;
alter table transfers alter column position set default pg_current_xact_id()::text::bigint;
comment on column transfers.position is
  'The number of the transaction that wrote it. 0: written before there were seals.';
drop index concurrently if exists transfers_by_position;
create index concurrently transfers_by_position on transfers
  using brin (position) with (pages_per_range = 32);

alter table audit_log add column if not exists position bigint not null default 0;
alter table audit_log alter column position set default pg_current_xact_id()::text::bigint;
comment on column audit_log.position is
  'The number of the transaction that wrote it. 0: written before there were seals.';
drop index concurrently if exists audit_log_by_position;
create index concurrently audit_log_by_position on audit_log (position);

create table if not exists ledger_seals (
  number bigint primary key,
  from_position bigint not null,
  to_position bigint not null check (to_position > from_position),
  entries bigint not null check (entries > 0),
  columns text[] not null,
  content_hash bytea not null check (length(content_hash) = 32),
  previous_hash bytea not null check (length(previous_hash) = 32),
  key_id text not null,
  hash bytea not null check (length(hash) = 32),
  sealed_at timestamptz not null
);
comment on table ledger_seals is
  'Each signs the transfers of a range of positions, and the seal before it.';
comment on column ledger_seals.to_position is 'The first position that is not covered any more.';
comment on column ledger_seals.columns is
  'Those the content hash covers: one that is added later changes no older seal.';

create table if not exists audit_seals (like ledger_seals including all);
comment on table audit_seals is 'The same as ledger_seals, over the audit log.';

create table if not exists sealing_keys (
  key_id text primary key,
  secret_sealed bytea not null,
  created_at timestamptz not null default now()
);
comment on table sealing_keys is
  'What seals are signed with. Made from the master key of the time, and kept when that is retired.';

create or replace trigger ledger_seals_append_only before update or delete on ledger_seals
  for each row execute function refuse_change();
create or replace trigger ledger_seals_no_truncate before truncate on ledger_seals
  for each statement execute function refuse_change();
create or replace trigger audit_seals_append_only before update or delete on audit_seals
  for each row execute function refuse_change();
create or replace trigger audit_seals_no_truncate before truncate on audit_seals
  for each statement execute function refuse_change();
create or replace trigger audit_log_no_truncate before truncate on audit_log
  for each statement execute function refuse_change();
