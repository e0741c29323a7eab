import { readdirSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import type { SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/async'
import { createVirtualFileSystem } from 'typescript/unstable/fs'

export type TidyFile = {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
  /** The parsed file, for TypeScript under the folders whose code has rules. */
  readonly syntax?: SourceFile
}

export type Repository = readonly TidyFile[]

/** Where the rules for code hold. The dashboard has its own tools. */
const codeFolders = ['src/', 'test/', 'bench/', 'sdk/src/']

export const isCode = (path: string): boolean =>
  path.endsWith('.ts') && codeFolders.some((folder) => path.startsWith(folder))

export const isTest = (path: string): boolean =>
  path.endsWith('.test.ts') || path.startsWith('test/') || path.startsWith('bench/')

/** Everything below the root that git would track, as the working tree has it now. */
export const readRepository = (root: string): Promise<Repository> => {
  const ignored = ignorePatterns(readFileSync(join(root, '.gitignore'), 'utf8'))
  const texts: Record<string, string> = {}
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (ignored.some((pattern) => matchesIgnore(pattern, entry.name, path))) continue
      if (entry.isDirectory()) visit(path)
      else if (entry.isFile()) texts[path] = readFileSync(join(root, path), 'utf8')
    }
  }
  visit('')
  return repositoryOf(texts)
}

const ignorePatterns = (text: string): string[] => [
  '.git',
  ...text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#')),
]

const matchesIgnore = (pattern: string, name: string, path: string): boolean => {
  const plain = pattern.replace(/\/$/, '').replace(/^\//, '')
  return matchesGlob(pattern.startsWith('/') || plain.includes('/') ? path : name, plain)
}

/** A repository held in memory, which is also how the rules are shown to fail. */
export const repositoryOf = async (
  texts: Readonly<Record<string, string>>,
): Promise<Repository> => {
  const code = Object.entries(texts).filter(([path]) => isCode(path))
  const parsed = await parse(code)
  return Object.entries(texts)
    .filter(([, text]) => !text.includes('\0'))
    .map(([path, text]) => {
      const syntax = parsed.get(path)
      return syntax ? { path, text, syntax } : { path, text }
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

// The compiler's own parser, so that strings, templates and regular expressions cannot mislead a
// rule. It works on memory alone and resolves nothing, which keeps it to a few milliseconds.
const parse = async (
  code: readonly [string, string][],
): Promise<ReadonlyMap<string, SourceFile>> => {
  if (code.length === 0) return new Map()
  const options = { noLib: true, noResolve: true, noEmit: true, types: [] }
  const config = { compilerOptions: options, files: code.map(([path]) => `/${path}`) }
  const files = Object.fromEntries(code.map(([path, text]) => [`/${path}`, text]))
  const fs = createVirtualFileSystem({ ...files, '/tsconfig.json': JSON.stringify(config) })
  const api = new API({ cwd: '/', fs })
  try {
    const snapshot = await api.updateSnapshot({ openProject: '/tsconfig.json' })
    const [project] = snapshot.getProjects()
    const parsed = new Map<string, SourceFile>()
    for (const [path] of code) {
      const syntax = await project?.program.getSourceFile(`/${path}`)
      if (!syntax) throw new Error(`${path} could not be parsed`)
      parsed.set(path, syntax)
    }
    return parsed
  } finally {
    await api.close()
  }
}
