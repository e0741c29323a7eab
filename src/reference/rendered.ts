import { createHash } from 'node:crypto'

/** An answer as bytes, ready to be sent, and a tag that differs when the bytes do. */
export type Rendered = { readonly body: Buffer; readonly etag: string }

/** Answers that are made once and sent often. */
export type RenderedAnswers = {
  /** The answer under this name, made now if it is not there. */
  get(name: string, make: () => unknown): Rendered
  clear(): void
}

export function createRendered(): RenderedAnswers {
  const answers = new Map<string, Rendered>()
  return {
    get(name, make) {
      const known = answers.get(name)
      if (known) return known
      const made = render(make())
      answers.set(name, made)
      return made
    },
    clear: () => answers.clear(),
  }
}

function render(value: unknown): Rendered {
  const body = Buffer.from(JSON.stringify(value))
  const digest = createHash('sha256').update(body).digest('base64url')
  return { body, etag: `"${digest}"` }
}
