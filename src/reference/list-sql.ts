import type { ListName } from './lists.ts'

/**
 * The statements that bring the lines of a file, gathered in the table `incoming`, into a list.
 * They are fixed texts: everything a file says is in that table already.
 */
export type ListSql = {
  /** Lines that do not fit each other, or what is stored: `line` and `problem`. */
  conflicts: string
  /** Answers how many were `removed`. */
  remove: string
  /** Answers how many were `added` and `changed`. */
  put: string
}

const repeated = (key: string, words: string) => `
  select line, '${words} ' || first as problem from (
    select line, min(line) over (partition by ${key}) as first from incoming
  ) as same where line > first`

const repeatedId = `
  select line, 'id is that of line ' || first as problem from (
    select line, min(line) over (partition by id::int) as first from incoming where id is not null
  ) as same where line > first`

const counted = (statement: string) => `
  with done as (${statement} returning (xmax = 0) as added)
  select count(*) filter (where added)::int as added,
    count(*) filter (where not added)::int as changed from done`

const removed = (statement: string) => `
  with gone as (${statement} returning 1) select count(*)::int as removed from gone`

/** What is stored keeps its id, so that callers who have kept the id still find it. */
const ids = (table: string, stored: string, name: string, sameKey: string) => `
  select l.line, 'id must be ' || s.id || ', which this ${name} has already, or empty' as problem
  from incoming l join ${stored} s on ${sameKey} where l.id::int <> s.id
  union all
  select l.line, 'id belongs to another ${name} already' as problem
  from incoming l join ${table} t on t.id = l.id::int
  where not exists (select from ${stored} s where s.id = t.id and ${sameKey})`

const sameBank = 's.country = l.country and lower(s.code) = lower(l.code)'
const storedBranches = `(
    select h.id, b.country, b.code as bank_code, h.code
    from branches h join banks b on b.id = h.bank_id
  )`
const sameBranch = `s.country = l.country and lower(s.bank_code) = lower(l.bank_code)
    and lower(s.code) = lower(l.branch_code)`
const bankOfLine = 'b.country = l.country and lower(b.code) = lower(l.bank_code)'

export const unknownBanks = `
  delete from incoming l where not exists (select from banks b where ${bankOfLine})`

/** Branches an operator has imported keep their bank, though a newer release may not list it. */
export const keepBanksWithBranches = `
  and not exists (select from branches h where h.bank_id = s.id)`

export function listSql(name: ListName, { isShipped }: { isShipped: boolean }): ListSql {
  switch (name) {
    case 'countries':
      return countriesSql
    case 'operators':
      return operatorsSql
    case 'banks':
      return banksSql(isShipped ? keepBanksWithBranches : '')
    case 'branches':
      return branchesSql
  }
}

const countriesSql: ListSql = {
  conflicts: repeated('iso2', 'is the same country as line'),
  // A country is never taken away: banks and operators stand on it.
  remove: 'select 0 as removed',
  put: counted(`
    insert into countries (iso2, iso3, name, dialing_code, currency, symbol)
    select iso2, iso3, name, dialing_code, currency, symbol from incoming
    on conflict (iso2) do update set iso3 = excluded.iso3, name = excluded.name,
      dialing_code = excluded.dialing_code, currency = excluded.currency, symbol = excluded.symbol
    where (countries.*) is distinct from (excluded.*)`),
}

const operatorsSql: ListSql = {
  conflicts: repeated('country, id', 'is the same operator as line'),
  remove: removed(`
    delete from operators s where not exists (
      select from incoming l where l.country = s.country and l.id = s.id
    )`),
  put: counted(`
    insert into operators (country, id, name, wallet, currency, prefixes)
    select country, id, name, wallet, currency,
      coalesce(regexp_split_to_array(prefixes, ' +'), '{}')
    from incoming
    on conflict (country, id) do update set name = excluded.name, wallet = excluded.wallet,
      currency = excluded.currency, prefixes = excluded.prefixes
    where (operators.*) is distinct from (excluded.*)`),
}

const banksSql = (unless: string): ListSql => ({
  conflicts: [
    repeated('country, lower(code)', 'is the same bank as line'),
    repeatedId,
    ids('banks', 'banks', 'bank', sameBank),
  ].join(' union all '),
  remove: removed(`
    delete from banks s where not exists (select from incoming l where ${sameBank}) ${unless}`),
  put: counted(`
    insert into banks (id, country, code, name, swift_code)
    select coalesce(l.id::int, s.id, nextval('bank_ids')), l.country, l.code, l.name, l.swift_code
    from incoming l left join banks s on ${sameBank}
    on conflict (id) do update set code = excluded.code, name = excluded.name,
      swift_code = excluded.swift_code
    where (banks.*) is distinct from (excluded.*)`),
})

const branchesSql: ListSql = {
  conflicts: [
    `select l.line, 'there is no bank ' || l.bank_code || ' in ' || l.country as problem
     from incoming l where not exists (select from banks b where ${bankOfLine})`,
    repeated('country, lower(bank_code), lower(branch_code)', 'is the same branch as line'),
    repeatedId,
    ids('branches', storedBranches, 'branch', sameBranch),
  ].join(' union all '),
  remove: removed(`
    delete from branches d using ${storedBranches} s
    where d.id = s.id and not exists (select from incoming l where ${sameBranch})`),
  put: counted(`
    insert into branches (id, bank_id, code, name, swift_code, bic)
    select coalesce(l.id::int, h.id, nextval('branch_ids')), b.id, l.branch_code, l.branch_name,
      l.swift_code, l.bic
    from incoming l join banks b on ${bankOfLine}
    left join branches h on h.bank_id = b.id and lower(h.code) = lower(l.branch_code)
    on conflict (id) do update set code = excluded.code, name = excluded.name,
      swift_code = excluded.swift_code, bic = excluded.bic
    where (branches.*) is distinct from (excluded.*)`),
}
