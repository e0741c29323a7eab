-- Delivery of webhooks: attempts, leases, records to read, and endpoints that are paused.

alter table accounts
  add column webhook_failing_since timestamptz,
  add column webhook_paused_at timestamptz;
comment on column accounts.webhook_paused_at is
  'Since when nothing is sent, because nothing had arrived for days.';

alter table webhooks
  add column attempts smallint not null default 0,
  add column leased_until timestamptz,
  add column at_once boolean not null default false,
  add column webhook_url text check (length(webhook_url) <= 2048),
  add column response_status text check (length(response_status) <= 20),
  add column response_body text check (length(response_body) <= 500);
comment on column webhooks.due_at is
  'When it is to be sent next. None: it is done, or it waits for a URL or for the end of a pause.';
comment on column webhooks.attempts is 'How many of its schedule are made; a resend begins anew.';
comment on column webhooks.leased_until is
  'Until then it belongs to the worker that claimed it; what others say about it does not count.';
comment on column webhooks.at_once is 'Resent by hand: it waits for no other and none waits for it.';
alter table webhooks set (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02);

-- By account, so that a long queue for one receiver never stands before that of another.
drop index webhooks_due;
create index webhooks_due on webhooks (account_id, due_at, id) where due_at is not null;
create index webhooks_by_status on webhooks (slot, account_id, status, id);
create index webhooks_by_age on webhooks using brin (created_at);

create table webhook_attempts (
  slot smallint not null,
  webhook_id uuid not null,
  id uuid not null,
  at timestamptz not null,
  duration_ms integer not null check (duration_ms >= 0),
  status text not null check (length(status) <= 20),
  answer text not null check (length(answer) <= 500),
  primary key (slot, webhook_id, id)
);
comment on table webhook_attempts is 'Every try to deliver, with the start of what was answered.';
