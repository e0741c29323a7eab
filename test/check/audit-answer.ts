/** What `npm audit --json` had to say, in the words of the check. */
export type AuditAnswer = { exitCode: number; lines: string[] }

type Report = {
  metadata?: { vulnerabilities?: Record<string, number>; dependencies?: { total?: number } }
  vulnerabilities?: Record<string, { severity: string; range: string; isDirect: boolean }>
  message?: string
  error?: { summary?: string; code?: string }
}

export const noAnswerExitCode = 2

/** A registry that does not answer must not look like one that knows of nothing. */
export function readAuditAnswer(output: string): AuditAnswer {
  const report = parsed(output)
  const counts = report?.metadata?.vulnerabilities
  if (counts === undefined) {
    const reason = report?.message ?? report?.error?.summary ?? output.trim().split('\n')[0] ?? ''
    return {
      exitCode: noAnswerExitCode,
      lines: [
        'No answer: the registry does not tell of known vulnerabilities, so nothing was audited.',
        ...(reason === ''
          ? []
          : [`It said: ${reason.replaceAll(/https?:\/\/\S+/g, 'its address')}`]),
        'Run this again where npm reaches a registry that does.',
      ],
    }
  }
  const found = Object.entries(report?.vulnerabilities ?? {})
  const audited = `${report?.metadata?.dependencies?.total ?? 'All'} packages audited`
  if (found.length === 0) return { exitCode: 0, lines: [`${audited}: no known vulnerability.`] }
  return {
    exitCode: 1,
    lines: [
      `${audited}: ${found.length} with a known vulnerability.`,
      ...found.map(([name, { severity, range }]) => `- ${name} ${range}: ${severity}`),
    ],
  }
}

function parsed(output: string): Report | undefined {
  try {
    return JSON.parse(output) as Report
  } catch {
    return undefined
  }
}
