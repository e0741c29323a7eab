import type { Db, Tx } from './pool.ts'
import { tables } from './schema-tables.ts'

type Line = { line: string }

/**
 * The schema `public` as SQL: the same text for the same schema on every server, in an order that
 * can be applied to an empty database. Rows, owners and rights are not part of it.
 */
export async function dumpSchema(db: Db): Promise<string> {
  const sections = await db.begin('isolation level repeatable read read only', async (tx) => {
    // What is on this path is written without its schema.
    await tx`select set_config('search_path', 'public', true)`
    return [
      await extensions(tx),
      await types(tx),
      await functions(tx, 'before tables'),
      await sequences(tx),
      await tables(tx),
      await columnSettings(tx),
      await sequenceOwners(tx),
      await indexes(tx),
      await foreignKeys(tx),
      await statistics(tx),
      await views(tx),
      await functions(tx, 'after tables'),
      await triggers(tx),
      await comments(tx),
    ].flat()
  })
  return `${['set check_function_bodies = off;', ...sections].join('\n\n')}\n`
}

const linesOf = (rows: Line[]): string[] => rows.map((row) => row.line)
/** Statements of one line stand together, the others apart. */
const together = (rows: Line[]): string[] => (rows.length === 0 ? [] : [linesOf(rows).join('\n')])

async function extensions(tx: Tx): Promise<string[]> {
  return together(
    await tx<Line[]>`
      select format('create extension if not exists %I;', extname) as line
      from pg_extension where extname <> 'plpgsql' order by extname collate "C"
    `,
  )
}

/** True where the row belongs to an extension, which brings it itself. */
const ofExtension = (tx: Tx, catalogue: string, oid: string) => tx`
  exists (
    select from pg_depend
    where classid = ${catalogue}::regclass and objid = ${tx.unsafe(oid)} and deptype = 'e'
  )
`

async function types(tx: Tx): Promise<string[]> {
  const enums = await tx<Line[]>`
    select format('create type %I as enum (%s);', t.typname,
      (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder)
        from pg_enum where enumtypid = t.oid)) as line
    from pg_type t
    where t.typnamespace = 'public'::regnamespace and t.typtype = 'e'
      and not ${ofExtension(tx, 'pg_type', 't.oid')}
    order by t.typname collate "C"
  `
  const composites = await tx<Line[]>`
    select format('create type %I as (%s);', c.relname,
      (select string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', '
          order by attnum)
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped)) as line
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'c'
      and not ${ofExtension(tx, 'pg_type', 'c.reltype')}
    order by c.relname collate "C"
  `
  const domains = await tx<Line[]>`
    select format('create domain %I as %s', t.typname, format_type(t.typbasetype, t.typtypmod))
      || case when t.typcollation <> b.typcollation
        then ' collate ' || t.typcollation::regcollation else '' end
      || coalesce(' default ' || t.typdefault, '')
      || case when t.typnotnull then ' not null' else '' end
      || coalesce((select string_agg(format(' constraint %I %s', conname,
          pg_get_constraintdef(oid, true)), '' order by conname collate "C")
        from pg_constraint where contypid = t.oid and contype = 'c'), '')
      || ';' as line
    from pg_type t join pg_type b on b.oid = t.typbasetype
    where t.typnamespace = 'public'::regnamespace and t.typtype = 'd'
      and not ${ofExtension(tx, 'pg_type', 't.oid')}
    order by t.typname collate "C"
  `
  return [enums, composites, domains].flatMap(together)
}

/** Columns may need functions, and functions may speak of tables: those come later. */
async function functions(tx: Tx, when: 'before tables' | 'after tables'): Promise<string[]> {
  return linesOf(
    await tx<Line[]>`
      select rtrim(pg_get_functiondef(p.oid), E'\n') || ';' as line
      from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prokind <> 'a'
        and not ${ofExtension(tx, 'pg_proc', 'p.oid')}
        and ${when === 'after tables'} = (p.prosqlbody is not null or exists (
          select from pg_type t left join pg_type item on item.oid = t.typelem
          join pg_class c on c.oid in (t.typrelid, item.typrelid)
          where c.relkind <> 'c'
            and t.oid = any (
              p.proargtypes::oid[] || coalesce(p.proallargtypes, '{}') || p.prorettype
            )
        ))
      order by p.proname collate "C", pg_get_function_identity_arguments(p.oid) collate "C"
    `,
  )
}

/** Those of identity columns are part of the column. */
async function sequences(tx: Tx): Promise<string[]> {
  return together(
    await tx<Line[]>`
      select format(
        'create sequence %I as %s increment %s minvalue %s maxvalue %s start %s cache %s%s;',
        c.relname, format_type(s.seqtypid, null), s.seqincrement, s.seqmin, s.seqmax, s.seqstart,
        s.seqcache, case when s.seqcycle then ' cycle' else '' end) as line
      from pg_sequence s join pg_class c on c.oid = s.seqrelid
      where c.relnamespace = 'public'::regnamespace
        and not ${ofExtension(tx, 'pg_class', 'c.oid')}
        and not exists (select from pg_depend
          where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'i')
      order by c.relname collate "C"
    `,
  )
}

async function sequenceOwners(tx: Tx): Promise<string[]> {
  return together(
    await tx<Line[]>`
      select format('alter sequence %I owned by %s.%I;', c.relname, d.refobjid::regclass, a.attname)
        as line
      from pg_class c
      join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid
        and d.refclassid = 'pg_class'::regclass and d.deptype = 'a'
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'S'
      order by c.relname collate "C"
    `,
  )
}

/** What cannot be said where the column is made. */
async function columnSettings(tx: Tx): Promise<string[]> {
  return together(
    await tx<Line[]>`
      select format('alter table %s alter column %I set %s;', c.oid::regclass, a.attname, s.setting)
        as line
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid
      cross join lateral (values
        (1, a.attstorage <> t.typstorage, 'storage ' || case a.attstorage
          when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end),
        (2, a.attcompression <> '', 'compression ' || case a.attcompression
          when 'l' then 'lz4' else 'pglz' end),
        (3, coalesce(a.attstattarget, -1) >= 0, 'statistics ' || a.attstattarget)
      ) s (place, wanted, setting)
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and s.wanted
        and not ${ofExtension(tx, 'pg_class', 'c.oid')}
      order by c.relname collate "C", a.attnum, s.place
    `,
  )
}

/** Those that are there for a constraint, or for an index of the parent table, come with it. */
async function indexes(tx: Tx): Promise<string[]> {
  return together(
    await tx<Line[]>`
      select pg_get_indexdef(i.indexrelid, 0, true) || ';' as line
      from pg_index i
      join pg_class c on c.oid = i.indexrelid and not c.relispartition
      join pg_class t on t.oid = i.indrelid
      where c.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p')
        and not ${ofExtension(tx, 'pg_class', 't.oid')}
        and not exists (select from pg_constraint
          where conindid = i.indexrelid and contype in ('p', 'u', 'x'))
      order by t.relname collate "C", c.relname collate "C"
    `,
  )
}

async function foreignKeys(tx: Tx): Promise<string[]> {
  return together(
    await tx<Line[]>`
      select format('alter table %s add constraint %I %s;', conrelid::regclass, conname,
        pg_get_constraintdef(oid, true)) as line
      from pg_constraint
      where connamespace = 'public'::regnamespace and contype = 'f' and conparentid = 0
      order by conrelid::regclass::text collate "C", conname collate "C"
    `,
  )
}

async function statistics(tx: Tx): Promise<string[]> {
  return together(
    await tx<Line[]>`
      select pg_get_statisticsobjdef(oid) || ';' as line from pg_statistic_ext
      where stxnamespace = 'public'::regnamespace order by stxname collate "C"
    `,
  )
}

/** In the order they were made, because one may read another. */
async function views(tx: Tx): Promise<string[]> {
  const found = await tx<Line[]>`
    select format(E'create %s %I%s as\n%s', case c.relkind
        when 'v' then 'view' else 'materialized view' end, c.relname,
      coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', ''),
      pg_get_viewdef(c.oid, true))
      || coalesce((select string_agg(E'\n' || pg_get_indexdef(indexrelid, 0, true) || ';', ''
          order by indexrelid::regclass::text collate "C")
        from pg_index where indrelid = c.oid), '') as line
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'm')
      and not ${ofExtension(tx, 'pg_class', 'c.oid')}
    order by c.oid
  `
  return linesOf(found)
}

async function triggers(tx: Tx): Promise<string[]> {
  return together(
    await tx<Line[]>`
      select pg_get_triggerdef(t.oid, true) || ';' || case t.tgenabled when 'O' then '' else
        format(E'\nalter table %s %s trigger %I;', t.tgrelid::regclass, case t.tgenabled
          when 'D' then 'disable' when 'R' then 'enable replica' else 'enable always' end, t.tgname)
        end as line
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgparentid = 0
      order by c.relname collate "C", t.tgname collate "C"
    `,
  )
}

async function comments(tx: Tx): Promise<string[]> {
  return together(
    await tx<Line[]>`
      select format('comment on %s %s is %L;', case
          when o.type like '% column' then 'column'
          when o.type like '% constraint' then 'constraint'
          else o.type end, o.identity, d.description) as line
      from pg_description d,
        pg_identify_object(d.classoid, d.objoid, d.objsubid) o
      where o.schema = 'public' or (o.schema is null and o.identity like '% on public.%')
      order by o.type collate "C", o.identity collate "C"
    `,
  )
}
