import type { RunningApp } from './app.ts'
import type { Config } from './config.ts'

/** What a person sees at the start: short, and with everything needed for the first request. */
export type Screen = {
  progress(sentence: string): void
  ready(app: RunningApp, config: Config, seconds: number): void
  problem(lines: readonly string[]): void
}

export function createScreen(out: NodeJS.WriteStream, err: NodeJS.WriteStream): Screen {
  const styled = out.isTTY && out.hasColors?.()
  const bold = (text: string) => (styled ? `\x1b[1m${text}\x1b[22m` : text)
  const quiet = (text: string) => (styled ? `\x1b[2m${text}\x1b[22m` : text)
  const say = (...lines: string[]) => void out.write(`${lines.join('\n')}\n`)
  return {
    progress: (sentence) => say(quiet(`  ${sentence}`)),
    ready(app, config, seconds) {
      const { url, role, sandbox } = app
      say('', `  ${bold('Malipo is ready')} ${quiet(`in ${Math.ceil(seconds * 10) / 10} s`)}`, '')
      if (role === 'worker') {
        say(`  Health         ${url}/readyz`, `  Metrics        ${url}/metrics`)
      } else {
        say(`  Dashboard      ${url}/`, `  API            ${url}/api/b2b`)
        say(`  API reference  ${url}/docs`)
      }
      if (config.logTo !== 'stdout') say(`  Log            ${config.logTo}`)
      if (sandbox) say('', ...firstSteps(url, sandbox, bold))
      say('', quiet('  Press Ctrl-C to stop.'), '')
    },
    problem(lines) {
      err.write(`\n${lines.map((line) => `  ${line}`).join('\n')}\n\n`)
    },
  }
}

function firstSteps(
  url: string,
  { publicKey, apiKey, dashboard }: NonNullable<RunningApp['sandbox']>,
  bold: (text: string) => string,
): string[] {
  return [
    `  First login    email     ${dashboard.email}`,
    `                 password  ${dashboard.password ?? 'the one you have chosen'}`,
    `  Sandbox keys   public  ${publicKey}`,
    `                 secret  ${apiKey}`,
    '',
    `  ${bold('A first request')}, to paste: it exchanges the keys for an access token.`,
    '',
    `  curl -s ${url}/api/b2b/auth/generate-bearer-token \\`,
    `    -H 'api-key: ${apiKey}' \\`,
    "    -H 'content-type: application/json' \\",
    `    -d '{"publicKey":"${publicKey}"}'`,
  ]
}
