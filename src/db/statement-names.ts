const maxNames = 500

/**
 * Names under which a connection keeps statements prepared. The number is bounded, because every
 * connection keeps every plan; texts beyond it are planned each time.
 */
export function statementNames(): (text: string) => string {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined) return known
    if (names.size >= maxNames) return ''
    const name = `malipo_${names.size + 1}`
    names.set(text, name)
    return name
  }
}
