/** What can be said about the dependencies without asking anybody, and the same tomorrow. */

export type LockedPackage = {
  version?: string
  resolved?: string
  integrity?: string
  license?: string
  link?: boolean
  inBundle?: boolean
  hasInstallScript?: boolean
  dev?: boolean
}

export type Lockfile = {
  lockfileVersion: number
  packages: Record<string, LockedPackage & Manifest>
}

export type Manifest = {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  overrides?: Record<string, string>
  allowScripts?: Record<string, boolean>
  workspaces?: string[]
}

/** What is shipped may be under these; each lets anybody run, change and pass on the service. */
const licences: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
])
/** Only for tools that tests use, which nobody is given. */
const toolLicences: ReadonlySet<string> = new Set(['MPL-2.0'])

const exactVersion = /^\d+\.\d+\.\d+(-[\w.]+)?$/
const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'] as const

/** The manifests by their folder; the root is the empty text, as in the lockfile. */
export function dependencyProblems(
  lock: Lockfile,
  manifests: Readonly<Record<string, Manifest>>,
): string[] {
  const root = manifests[''] ?? {}
  const installed = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  return [
    ...(lock.lockfileVersion >= 3 ? [] : ['package-lock.json is of an old form: run npm install']),
    ...Object.entries(manifests).flatMap(([folder, manifest]) => [
      ...versionProblems(folder, manifest),
      ...staleProblems(folder, manifest, lock.packages[folder]),
    ]),
    ...installed.flatMap(([path, locked]) => [
      ...originProblems(path, locked),
      ...licenceProblems(path, locked),
    ]),
    ...scriptProblems(installed, root.allowScripts ?? {}),
  ]
}

const fileOf = (folder: string): string =>
  (folder === '' ? '' : `${folder}/`).concat('package.json')

function versionProblems(folder: string, manifest: Manifest): string[] {
  return kinds.flatMap((kind) =>
    Object.entries(manifest[kind] ?? {})
      .filter(([, version]) => !exactVersion.test(version))
      .map(([name, version]) => `${fileOf(folder)}: ${name} "${version}" must be an exact version`),
  )
}

/** A lockfile that does not belong to the manifests pins something else than what is written. */
function staleProblems(folder: string, manifest: Manifest, locked: Manifest = {}): string[] {
  return kinds
    .filter((kind) => kind !== 'overrides')
    .filter((kind) => sortedText(manifest[kind]) !== sortedText(locked[kind]))
    .map((kind) => `package-lock.json differs from ${fileOf(folder)} in ${kind}: run npm install`)
}

const sortedText = (entries: Record<string, string> = {}): string =>
  JSON.stringify(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)))

function originProblems(path: string, { integrity, resolved, inBundle }: LockedPackage): string[] {
  // Where packages of the registry are fetched from is the business of whoever installs.
  if (resolved !== undefined && !/^https:\/\/[^/]+\/.+\.tgz$/.test(resolved)) {
    return [`${path} comes from ${resolved}, which is no package of a registry`]
  }
  if (inBundle || integrity?.startsWith('sha512-')) return []
  return [`${path} has no integrity: a changed package would not be noticed`]
}

function licenceProblems(path: string, { license, dev }: LockedPackage): string[] {
  if (license === undefined) return [`${path} names no licence`]
  const isAllowed = (name: string) => licences.has(name) || (dev === true && toolLicences.has(name))
  const choices = license.replaceAll(/[()]/g, '').split(' OR ')
  const isFine = choices.some((choice) => choice.split(' AND ').every(isAllowed))
  return isFine ? [] : [`${path} is under ${license}, which is not on our list`]
}

/** A script of a package runs on the machine that installs it, so each is decided by name. */
function scriptProblems(
  installed: readonly [path: string, LockedPackage][],
  allowScripts: Readonly<Record<string, boolean>>,
): string[] {
  const withScript = installed
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  return [
    ...withScript
      .filter((name) => allowScripts[name] === undefined)
      .map((name) => `${name} runs a script when it is installed: decide in allowScripts`),
    ...Object.keys(allowScripts)
      .filter((name) => !withScript.includes(name))
      .map((name) => `allowScripts names ${name}, which runs no script or is not installed`),
  ]
}
