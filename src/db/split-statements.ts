/** What a semicolon may stand in without ending the statement; unfinished, it runs to the end. */
const pieces = [
  /--[^\n]*/y,
  /[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)/y,
  /'(?:[^']|'')*(?:'|$)/y,
  /"(?:[^"]|"")*(?:"|$)/y,
  /\$([A-Za-z_][A-Za-z0-9_]*)?\$[\s\S]*?(?:\$\1\$|$)/y,
  // A whole word at once, so that the letter at its end does not open a string of its own.
  /[A-Za-z_][A-Za-z0-9_$]*/y,
]

/** Cuts a file of SQL into its statements. Comments stay with the statement they stand before. */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let from = 0
  let at = 0
  const cut = (end: number): void => {
    const statement = text.slice(from, end).trim()
    if (withoutComments(statement) !== '') statements.push(statement)
    from = end + 1
  }
  while (at < text.length) {
    if (text[at] === ';') cut(at)
    at = skip(text, at)
  }
  cut(text.length)
  return statements
}

/** Where the piece that begins here ends. */
function skip(text: string, at: number): number {
  if (text.startsWith('/*', at)) return endOfBlockComment(text, at)
  for (const piece of pieces) {
    piece.lastIndex = at
    const found = piece.exec(text)
    if (found !== null && found[0].length > 0) return at + found[0].length
  }
  return at + 1
}

/** Unlike in most languages, these nest. */
function endOfBlockComment(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; ) {
    const mark = text.slice(at, at + 2)
    if (mark === '/*') depth++
    if (mark === '*/') depth--
    at += mark === '/*' || mark === '*/' ? 2 : 1
    if (depth === 0) return at
  }
  return text.length
}

/** The statement alone, trimmed. */
export function withoutComments(statement: string): string {
  let rest = ''
  for (let at = 0; at < statement.length; ) {
    const end = skip(statement, at)
    const isComment = statement.startsWith('--', at) || statement.startsWith('/*', at)
    if (!isComment) rest += statement.slice(at, end)
    at = end
  }
  return rest.trim()
}
