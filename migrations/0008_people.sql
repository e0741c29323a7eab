-- People who sign in to the dashboard, their sessions, and whose an entry of the audit log is.

create table people (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  email text not null check (length(email) between 3 and 254),
  name text not null check (length(name) between 1 and 100),
  role text not null check (role in ('owner', 'finance', 'developer', 'viewer')),
  time_zone text not null default 'UTC' check (length(time_zone) between 1 and 64),
  password_hash text,
  totp_sealed bytea,
  totp_offered_sealed bytea,
  totp_last_step bigint,
  invitation_hash bytea unique check (length(invitation_hash) = 32),
  invitation_ends_at timestamptz,
  disabled_at timestamptz,
  last_seen_at timestamptz,
  created_at timestamptz not null default now(),
  check ((invitation_hash is null) = (invitation_ends_at is null))
);
comment on column people.password_hash is 'Argon2id with its parameters; none until a person joined.';
comment on column people.totp_offered_sealed is 'Shown to the person, and in use once a code proved it.';
comment on column people.totp_last_step is 'The time step of the last code: it and older ones are used.';
create unique index people_by_email on people (lower(email));
create index people_by_merchant on people (merchant_id, id);

create table sessions (
  id uuid primary key,
  person_id uuid not null references people,
  token_hash bytea not null unique check (length(token_hash) = 32),
  ip text not null check (length(ip) <= 64),
  user_agent text not null check (length(user_agent) <= 200),
  seen_at timestamptz not null,
  ends_at timestamptz not null,
  created_at timestamptz not null
);
comment on column sessions.token_hash is
  'SHA-256. The token has 256 random bits, so a slow hash would add nothing.';
create index sessions_by_person on sessions (person_id, id);

create table login_attempts (
  key text primary key check (length(key) <= 100),
  attempts integer not null,
  ends_at timestamptz not null
);
comment on table login_attempts is
  'Attempts to sign in that did not succeed, by email and by address, until the count ends.';

alter table audit_log add column merchant_id uuid references merchants;
comment on column audit_log.merchant_id is
  'Who may read it. None for what concerns the installation as a whole.';
create index audit_log_by_merchant on audit_log (merchant_id, id) where merchant_id is not null;
