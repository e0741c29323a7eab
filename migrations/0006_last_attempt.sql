-- The last attempt to deliver an event is kept in its own row, where it is written anyway: most
-- events arrive at the first, and then there is one row to write in place of two.

alter table webhooks
  add column attempt_id uuid,
  add column attempted_at timestamptz,
  add column attempt_ms integer,
  add constraint webhooks_attempt_ms_check check (attempt_ms >= 0) not valid;
comment on column webhooks.attempt_id is 'The last attempt. Those before it are in webhook_attempts.';
comment on table webhook_attempts is
  'Every try to deliver but the last, which is in webhooks, with the start of what was answered.';

-- Taking an event to send it rewrites its row, and leaves the indexes alone where the page has room.
alter table webhooks set (fillfactor = 45);
