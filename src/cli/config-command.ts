import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'
import { type Config, readConfig, settings } from '../config.ts'
import { table } from './layout.ts'
import { leaf } from './options.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

const mask = '****'

export function addConfigCommand(program: Command, terminal: Terminal): void {
  leaf(program, 'config', 'Show every setting, its value and where it comes from').action(
    (options: AnswerOptions) => terminal.answerFrom(options, describeConfig),
  )
}

function describeConfig(config: Config): Answer {
  const found = Object.entries(settings).map(([name, { variable, fallbackText }]) => {
    const value = config[name as keyof Config]
    const isDefault = isDeepStrictEqual(value, defaultsFor(config, name)[name as keyof Config])
    return {
      variable,
      value: value === undefined ? (fallbackText ?? 'none') : settingText(variable, value),
      from: isDefault ? 'default' : 'environment',
    }
  })
  const columns = ['SETTING', 'VALUE', 'FROM'].map((title) => ({ title }))
  return {
    text: table(
      columns,
      found.map(({ variable, value, from }) => [variable, value, from]),
    ),
    json: found,
  }
}

/** Some defaults follow from the database and the data folder, which are themselves settings. */
function defaultsFor({ databaseUrl, dataDir }: Config, name: string): Config {
  const isGround = name === 'databaseUrl' || name === 'dataDir'
  return readConfig(isGround ? {} : { DATABASE_URL: databaseUrl, MALIPO_DATA_DIR: dataDir })
}

/** As it would be written, but secrets only as far as one may look over a shoulder. */
function settingText(variable: string, value: unknown): string {
  if (/_(KEY|SECRET|PASSWORD|TOKEN)$/.test(variable)) return mask
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return withoutPassword(String(value))
}

function withoutPassword(text: string): string {
  if (!text.includes('://') || !URL.canParse(text)) return text
  const url = new URL(text)
  if (url.password !== '') url.password = mask
  for (const name of url.searchParams.keys()) {
    if (/password|secret|key/i.test(name)) url.searchParams.set(name, mask)
  }
  return url.href
}
