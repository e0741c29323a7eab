/** Something that must never be, with what is needed to look at it. */
export type Violation = { kind: string; about: string; detail?: unknown }

/** What was compared, and what was found wrong. */
export type Findings = {
  checked: Record<string, number>
  violations: Violation[]
  /** Counts a comparison under the name of its invariant, and keeps it where it does not hold. */
  expect(invariant: string, isRight: boolean, about: string, detail?: () => unknown): void
}

export function createFindings(): Findings {
  const checked: Record<string, number> = {}
  const violations: Violation[] = []
  return {
    checked,
    violations,
    expect(kind, isRight, about, detail) {
      checked[kind] = (checked[kind] ?? 0) + 1
      if (!isRight) violations.push({ kind, about, ...(detail ? { detail: detail() } : {}) })
    },
  }
}
