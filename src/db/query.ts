/**
 * SQL written as a tagged template. A value becomes a parameter, another query becomes a part of
 * this one, and nothing is ever pasted into the text unless it says `unsafe`. A query runs when it
 * is awaited, so one that is only a part of another never runs by itself.
 */
export type Row = Record<string, unknown>
export type Rows = readonly object[]
export type Run = (statement: Statement) => Promise<object[]>
export type Statement = { text: string; values: unknown[]; reusable: boolean }

export class Query<Result extends Rows = Row[]> implements Promise<Result> {
  readonly [Symbol.toStringTag] = 'Query'
  readonly #run: Run
  readonly #strings: readonly string[]
  readonly #values: readonly unknown[]
  #started: Promise<Result> | undefined

  constructor(run: Run, strings: readonly string[], values: readonly unknown[]) {
    this.#run = run
    this.#strings = strings
    this.#values = values
  }

  // biome-ignore lint/suspicious/noThenProperty: being awaited is what a query is for.
  then<A = Result, B = never>(
    onDone?: ((rows: Result) => A | PromiseLike<A>) | null,
    onFault?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#start().then(onDone, onFault)
  }

  catch<B = never>(onFault: (error: unknown) => B | PromiseLike<B>): Promise<Result | B> {
    return this.#start().catch(onFault)
  }

  finally(onEnd: () => void): Promise<Result> {
    return this.#start().finally(onEnd)
  }

  #start(): Promise<Result> {
    this.#started ??= this.#run(this.statement()) as unknown as Promise<Result>
    return this.#started
  }

  /** The text with numbered parameters, and their values. */
  statement(): Statement {
    const statement: Statement = { text: '', values: [], reusable: true }
    this.appendTo(statement)
    return statement
  }

  appendTo(statement: Statement): void {
    for (let index = 0; index < this.#strings.length; index++) {
      statement.text += this.#strings[index]
      if (index < this.#values.length) appendValue(statement, this.#values[index])
    }
  }
}

function appendValue(statement: Statement, value: unknown): void {
  if (value instanceof Query || value instanceof NewRows) {
    value.appendTo(statement)
    return
  }
  if (value === undefined) {
    throw new Error(`a parameter is undefined, after: …${statement.text.slice(-60)}`)
  }
  statement.values.push(value instanceof Json ? JSON.stringify(value.value) : value)
  statement.text += `$${statement.values.length}`
}

/** A value to be stored as JSON; an array would otherwise be taken for an array of SQL. */
export class Json {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** `(columns) values (…), (…)` for an insert of plain objects. */
export class NewRows {
  readonly #rows: readonly Readonly<Row>[]
  constructor(rows: readonly Readonly<Row>[]) {
    this.#rows = rows
  }

  appendTo(statement: Statement): void {
    const columns = Object.keys(this.#rows[0] ?? {})
    // Its text differs with the number of rows, so keeping it prepared would gain nothing.
    statement.reusable = false
    statement.text += `(${columns.map(quoteName).join(', ')}) values `
    this.#rows.forEach((row, index) => {
      statement.text += index === 0 ? '(' : ', ('
      columns.forEach((column, place) => {
        if (place > 0) statement.text += ', '
        appendValue(statement, row[column])
      })
      statement.text += ')'
    })
  }
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
