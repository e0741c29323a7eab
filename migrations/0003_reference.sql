-- Reference data and exchange rates: the same for all merchants, small, held in memory by every node.

create table reference_lists (
  name text primary key check (name in ('countries', 'operators', 'banks', 'branches')),
  version integer not null check (version >= 0),
  origin text not null check (origin in ('shipped', 'imported')),
  revision bigint not null,
  updated_at timestamptz not null default now()
);
comment on table reference_lists is
  'Where each list comes from. One that an operator has imported is not replaced by a newer release.';
create sequence reference_revisions;

create table countries (
  iso2 text primary key check (iso2 ~ '^[A-Z]{2}$'),
  iso3 text not null unique check (iso3 ~ '^[A-Z]{3}$'),
  name text not null check (length(name) between 1 and 100),
  dialing_code text not null check (dialing_code ~ '^\+\d{1,4}$'),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  symbol text not null check (length(symbol) between 1 and 8)
);

create table operators (
  country text not null references countries,
  id text not null check (id ~ '^[a-z0-9_-]{1,64}$'),
  name text not null check (length(name) between 1 and 100),
  wallet text not null check (length(wallet) between 1 and 100),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  prefixes text[] not null default '{}',
  primary key (country, id)
);
comment on column operators.prefixes is
  'How their numbers begin, country code included. None: any number of the country can have one.';

-- Ids of shipped rows are written in the files and lie below these.
create sequence bank_ids start 100000;
create sequence branch_ids start 100000000;

create table banks (
  id integer primary key default nextval('bank_ids') check (id > 0),
  country text not null references countries,
  code text not null check (length(code) between 1 and 64),
  name text not null check (length(name) between 1 and 200),
  swift_code text check (swift_code ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$')
);
create unique index banks_by_code on banks (country, lower(code));

create table branches (
  id integer primary key default nextval('branch_ids') check (id > 0),
  bank_id integer not null references banks on delete cascade,
  code text not null check (length(code) between 1 and 64),
  name text not null check (length(name) between 1 and 200),
  swift_code text check (swift_code ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'),
  bic text check (bic ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$')
);
create unique index branches_by_code on branches (bank_id, lower(code));

create table rates (
  base text not null check (base ~ '^[A-Z]{3}$'),
  quote text not null check (quote ~ '^[A-Z]{3}$'),
  at timestamptz not null,
  buy numeric not null check (buy > 0),
  sell numeric not null,
  source text not null check (source in ('file', 'feed', 'operator')),
  primary key (base, quote, at),
  check (base <> quote),
  check (sell >= buy)
);
comment on table rates is
  'Quote units per base unit, as they were believed at that time. What is doubted is in held_rates.';
create index rates_by_time on rates (at);

create table held_rates (
  base text not null,
  quote text not null,
  at timestamptz not null,
  buy numeric not null check (buy > 0),
  sell numeric not null,
  source text not null check (source in ('file', 'feed')),
  held_at timestamptz not null default now(),
  primary key (base, quote),
  check (base <> quote),
  check (sell >= buy)
);
comment on table held_rates is
  'What a feed said that is too far from the last rate. It counts when an operator has confirmed it.';
