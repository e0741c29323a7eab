import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import type { SandboxCredentials } from './merchants/demo.ts'
import type { DemoLogin } from './people/demo-person.ts'

export type SandboxCredentialsFile = SandboxCredentials & {
  baseUrl: string
  /** The first login of the dashboard; absent in files of versions that had none. */
  dashboard: DemoLogin | undefined
}

const fileOf = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'sandbox-credentials.json')

export function readSandboxCredentials(
  config: Pick<Config, 'dataDir'>,
): SandboxCredentialsFile | undefined {
  try {
    const kept = JSON.parse(readFileSync(fileOf(config), 'utf8')) as Partial<SandboxCredentialsFile>
    const { baseUrl = '', publicKey, apiKey, webhookSecret, dashboard } = kept
    return publicKey && apiKey && webhookSecret
      ? { baseUrl, publicKey, apiKey, webhookSecret, dashboard }
      : undefined
  } catch {
    // A lost or damaged file only means that new keys are made.
    return undefined
  }
}

export function writeSandboxCredentials(
  config: Pick<Config, 'dataDir'>,
  { baseUrl, publicKey, apiKey, webhookSecret, dashboard }: SandboxCredentialsFile,
): void {
  const file = fileOf(config)
  const draft = `${file}.new`
  const content = { baseUrl, publicKey, apiKey, webhookSecret, dashboard }
  const text = `${JSON.stringify(content, null, 2)}\n`
  writeFileSync(draft, text, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
}
