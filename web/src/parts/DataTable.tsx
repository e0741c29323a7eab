import { Table, VisuallyHidden } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Pager } from './Pager.tsx'
import classes from './parts.module.css'
import { useIsPhone } from './phone.ts'
import { Failure, Loading } from './states.tsx'

export type Column<Row> = {
  header: string
  cell: (row: Row) => ReactNode
  /** Amounts and counts stand on the right. */
  align?: 'right'
  /** Where it stands in the list of a phone: on top, at the top right, below, or not at all. */
  phone?: 'title' | 'corner' | 'line' | 'none'
  /** Short words that should stay on one line. */
  nowrap?: boolean
  /** Hidden in the table too while the window is narrower than a desktop. */
  wide?: boolean
  /** For buttons: the header is there for screen readers only. */
  quietHeader?: boolean
}

type Props<Row> = {
  /** Says what the table is, for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  query: {
    data: Row[] | { data: Row[]; next: string | null } | undefined
    error: unknown
    isPlaceholderData?: boolean
    refetch: () => unknown
  }
  rowKey: (row: Row) => string
  /** Where the row leads; the first column becomes the link and the whole row its target. */
  rowLink?: (row: Row) => LinkProps
  empty: ReactNode
}

/** A table on a desk and a list on a phone, with its loading, empty and error states and pages. */
export function DataTable<Row>(props: Props<Row>) {
  const { query, empty } = props
  const isPhone = useIsPhone()
  if (query.data === undefined) {
    return query.error ? <Failure error={query.error} onRetry={query.refetch} /> : <Loading />
  }
  const page = Array.isArray(query.data) ? { data: query.data, next: null } : query.data
  return (
    <div data-busy={query.isPlaceholderData || undefined} className={classes.tableFrame}>
      {page.data.length === 0 && empty}
      {page.data.length > 0 && isPhone && <PhoneList {...props} rows={page.data} />}
      {page.data.length > 0 && !isPhone && <WideTable {...props} rows={page.data} />}
      <Pager next={page.next} />
    </div>
  )
}

type RowsProps<Row> = Props<Row> & { rows: Row[] }

function WideTable<Row>({ label, columns, rows, rowKey, rowLink }: RowsProps<Row>) {
  return (
    <Table.ScrollContainer minWidth={0} type="native" scrollAreaProps={{ tabIndex: 0 }}>
      <Table className={classes.table} data-linked={rowLink ? true : undefined} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.header} scope="col" {...cellProps(column)}>
                {column.quietHeader ? (
                  <VisuallyHidden>{column.header}</VisuallyHidden>
                ) : (
                  column.header
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map((column, index) => (
                <Table.Td key={column.header} {...cellProps(column)}>
                  {index === 0 && rowLink ? (
                    <Link {...rowLink(row)} className={classes.rowLink}>
                      {column.cell(row)}
                    </Link>
                  ) : (
                    column.cell(row)
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function cellProps<Row>({ align, wide, nowrap }: Column<Row>) {
  return {
    ...(align ? { ta: align } : {}),
    ...(wide ? { visibleFrom: 'lg' as const } : {}),
    ...(nowrap ? { className: classes.plain } : {}),
  }
}

function PhoneList<Row>({ label, columns, rows, rowKey, rowLink }: RowsProps<Row>) {
  const placeOf = (column: Column<Row>, index: number) =>
    column.phone ?? (index === 0 ? 'title' : column.align === 'right' ? 'corner' : 'line')
  const at = (place: string) => columns.filter((each, index) => placeOf(each, index) === place)
  return (
    <ul className={classes.phoneList} aria-label={label} data-linked={rowLink ? true : undefined}>
      {rows.map((row) => (
        <li key={rowKey(row)}>
          <div className={classes.phoneTop}>
            <div className={classes.phoneTitle}>
              {at('title').map((column) =>
                rowLink ? (
                  <Link key={column.header} {...rowLink(row)} className={classes.rowLink}>
                    {column.cell(row)}
                  </Link>
                ) : (
                  <span key={column.header}>{column.cell(row)}</span>
                ),
              )}
            </div>
            <div className={classes.phoneCorner}>
              {at('corner').map((column) => (
                <div key={column.header}>{column.cell(row)}</div>
              ))}
            </div>
          </div>
          <div className={classes.phoneLines}>
            {at('line').map((column) => (
              <span key={column.header} title={column.header}>
                {column.cell(row)}
              </span>
            ))}
          </div>
        </li>
      ))}
    </ul>
  )
}
