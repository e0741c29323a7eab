/**
 * Keyset pages: the next page starts after the last key of the one before, so a page costs the
 * same however many came before it, and records that arrive meanwhile shift nothing.
 */
export async function* eachRow<Row, Key>(
  fetchPage: (after: Key | undefined, limit: number) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
  pageSize = 1000,
): AsyncGenerator<Row> {
  let after: Key | undefined
  for (;;) {
    const rows = await fetchPage(after, pageSize)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageSize) return
    after = keyOf(last)
  }
}
