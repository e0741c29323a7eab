import { posix } from 'node:path'
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isImportTypeNode,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { type ImportException, importExceptions } from './exceptions.ts'
import { isTest, type Repository, type TidyFile } from './repository.ts'
import { lineOf, nodesOf, type Problem, type Rule } from './rule.ts'

/** A file sees its own folder and the levels below its own. A missing name is not allowed. */
const levelTable = {
  'main.ts': 6,
  'app.ts': 6,
  'screen.ts': 6,
  'sandbox-credentials.ts': 6,
  http: 5,
  cli: 5,
  batches: 4,
  charges: 4,
  payouts: 4,
  people: 4,
  transactions: 3,
  merchants: 3,
  beneficiaries: 3,
  reference: 3,
  webhooks: 3,
  ledger: 2,
  work: 2,
  rails: 2,
  db: 1,
  money: 0,
  'errors.ts': 0,
  'ids.ts': 0,
  'clock.ts': 0,
  'csv.ts': 0,
  'log.ts': 0,
  'config.ts': 0,
  'setting-parsers.ts': 0,
  'seal.ts': 0,
  'environment.ts': 0,
  'master-key.ts': 0,
  'version.ts': 0,
  'metrics.ts': 0,
}

const levels: ReadonlyMap<string, number> = new Map(Object.entries(levelTable))

export type Import = {
  readonly from: string
  /** A path of the repository for a relative import, else the name of the package. */
  readonly to: string
  readonly line: number
}

/** Every import, export-from, import() and import type of the code. */
export const importsOf = (repository: Repository): Import[] =>
  repository.flatMap((file) =>
    file.syntax ? nodesOf(file.syntax).flatMap((node) => importAt(file, node)) : [],
  )

const importAt = (file: TidyFile, node: Node): Import[] => {
  const specifier = specifierOf(node)
  if (specifier === undefined) return []
  const to = specifier.startsWith('.')
    ? posix.join(posix.dirname(file.path), specifier)
    : specifier.replace(/^node:/, '')
  return [{ from: file.path, to, line: lineOf(file, node) }]
}

const specifierOf = (node: Node): string | undefined => {
  if (isImportDeclaration(node)) return textOf(node.moduleSpecifier)
  if (isExportDeclaration(node)) return node.moduleSpecifier && textOf(node.moduleSpecifier)
  if (isImportTypeNode(node)) return node.argument.getText().slice(1, -1)
  if (!isCallExpression(node) || node.expression.kind !== SyntaxKind.ImportKeyword) return undefined
  return node.arguments[0] && textOf(node.arguments[0])
}

const textOf = (node: Node): string | undefined => (isStringLiteral(node) ? node.text : undefined)

/** The first name below src: a folder, or a file at the top. Tests count with what they test. */
const unitOf = (path: string): string => path.split('/')[1]!.replace(/\.test\.ts$/, '.ts')

const isRailFolder = (path: string): boolean => /^src\/rails\/[^/]+\//.test(path)

const adviceOn = ({ from, to }: Import): string | undefined => {
  if (!to.startsWith('src/')) {
    return /^(test|bench|sdk|web)\//.test(to)
      ? `imports ${to}: the service must run without its tests, its bench, sdk/ and web/`
      : undefined
  }
  if (isRailFolder(from)) return adviceOnRail(from, to)
  const [own, other] = [unitOf(from), unitOf(to)]
  const [level, otherLevel] = [levels.get(own), levels.get(other)]
  if (level === undefined || otherLevel === undefined || own === other) return undefined
  if (otherLevel < level) return undefined
  if (otherLevel === level && own.endsWith('.ts') && other.endsWith('.ts')) return undefined
  return otherLevel === level
    ? `imports its sibling ${other}: join the two one level up, or pass the value as a parameter`
    : `imports ${other} of level ${otherLevel} from level ${level}: turn the dependency around`
}

const adviceOnRail = (from: string, to: string): string | undefined => {
  const folder = from.split('/').slice(0, 3).join('/')
  const isAllowed =
    to.startsWith(`${folder}/`) ||
    to === 'src/rails/rail.ts' ||
    to === 'src/rails/http.ts' ||
    levels.get(unitOf(to)) === 0
  return isAllowed
    ? undefined
    : `imports ${to}: a rail sees level 0, rails/rail.ts and rails/http.ts only`
}

/** Tests may set a scene with anything, so only the code of the service has levels. */
export const findLevelProblems =
  (exceptions: readonly ImportException[]) =>
  (repository: Repository): Problem[] => {
    const breaches = importsOf(repository)
      .filter((each) => each.from.startsWith('src/') && !isTest(each.from))
      .flatMap((each) => {
        const advice = adviceOn(each)
        return advice === undefined ? [] : [{ ...each, advice }]
      })
    const isListed = (each: Import) =>
      exceptions.some(({ from, to }) => from === each.from && to === each.to)
    const stale = exceptions.filter(
      ({ from, to }) => !breaches.some((each) => each.from === from && each.to === to),
    )
    return [
      ...breaches
        .filter((each) => !isListed(each))
        .map(({ from, line, advice }) => ({ path: from, line, advice })),
      ...stale.map(({ from, to }) => ({
        path: from,
        line: 1,
        advice: `no longer imports ${to}: remove the exception from test/tidy/exceptions.ts`,
      })),
    ]
  }

const directions: Rule = {
  title: 'a file of src imports from its own folder and from lower levels only',
  find: findLevelProblems(importExceptions),
  findInSamples: findLevelProblems([]),
  broken: {
    files: {
      'src/db/pool.ts': "import { post } from '../ledger/post.ts'\n",
      'src/money/money.ts': "\nimport type { AppError } from '../errors.ts'\n",
      'src/charges/store.ts': "export { pay } from '../payouts/pay.ts'\n",
      'src/charges/create.ts': "const rail = await import('../http/server.ts')\n",
      'src/payouts/pay.ts': "type Row = import('../charges/store.ts').Row\n",
      'src/rails/mpesa/client.ts': "import { pool } from '../../db/pool.ts'\n",
      'src/rails/mpesa/map.ts': "import { map } from '../airtel/map.ts'\n",
      'src/app.ts': "import { harness } from '../test/harness.ts'\n",
    },
    at: [
      'src/app.ts:1',
      'src/charges/create.ts:1',
      'src/charges/store.ts:1',
      'src/db/pool.ts:1',
      'src/money/money.ts:2',
      'src/payouts/pay.ts:1',
      'src/rails/mpesa/client.ts:1',
      'src/rails/mpesa/map.ts:1',
    ],
  },
  fine: {
    'src/main.ts': "import { app } from './app.ts'\nimport { log } from './log.ts'\n",
    'src/charges/create.ts':
      "import { row } from './store.ts'\nimport { pool } from '../db/pool.ts'",
    'src/charges/create.test.ts': "import { harness } from '../../test/harness.ts'\n",
    'src/rails/mpesa/client.ts':
      "import { map } from './map.ts'\nimport type { Rail } from '../rail.ts'\n" +
      "import { request } from '../http.ts'\nimport { money } from '../../money/money.ts'\n",
    'src/rails/index.ts': "import { mpesa } from './mpesa/client.ts'\n",
    'src/db/text.ts': "const text = `import { post } from '../ledger/post.ts'`\n",
  },
}

const places: Rule = {
  title: 'every folder and every top file of src has a place in the table of levels',
  find: (repository) =>
    repository
      .filter(({ path }) => path.startsWith('src/') && !levels.has(unitOf(path)))
      .map(({ path }) => ({
        path,
        line: 1,
        advice: `${unitOf(path)} has no level: give it one in test/tidy/levels.ts`,
      })),
  broken: {
    files: { 'src/billing/invoice.ts': '', 'src/things.ts': '' },
    at: ['src/billing/invoice.ts:1', 'src/things.ts:1'],
  },
  fine: { 'src/ids.ts': '', 'src/ids.test.ts': '', 'src/money/money.ts': '' },
}

const framework: Rule = {
  title: 'only src/http knows the web framework',
  find: (repository) =>
    importsOf(repository)
      .filter(({ from, to }) => /^(@[a-z]+\/)?fastify|^@fastify\//.test(to) && knowsNoHttp(from))
      .map(({ from, line, to }) => ({
        path: from,
        line,
        advice: `imports ${to}: move what needs the framework to src/http`,
      })),
  broken: {
    files: {
      'src/app.ts': "import { fastify } from 'fastify'\n",
      'src/cli/serve.ts': "import type { Cors } from '@fastify/cors'\n",
    },
    at: ['src/app.ts:1', 'src/cli/serve.ts:1'],
  },
  fine: {
    'src/http/server.ts': "import { fastify } from 'fastify'\n",
    'src/app.ts': "import { server } from './http/server.ts'\n",
  },
}

const knowsNoHttp = (path: string): boolean =>
  path.startsWith('sdk/') || (path.startsWith('src/') && !path.startsWith('src/http/'))

const sdk: Rule = {
  title: 'the sdk imports nothing from outside its own folder',
  find: (repository) =>
    importsOf(repository)
      .filter(({ from, to }) => from.startsWith('sdk/src/') && !to.startsWith('sdk/src/'))
      .filter(({ from }) => !isTest(from))
      .map(({ from, line, to }) => ({
        path: from,
        line,
        advice: `imports ${to}: the sdk has no dependency and runs in browsers too`,
      })),
  broken: {
    files: { 'sdk/src/client.ts': "import { ids } from '../../src/ids.ts'\nimport 'node:http'\n" },
    at: ['sdk/src/client.ts:1', 'sdk/src/client.ts:2'],
  },
  fine: {
    'sdk/src/client.ts': "import { errors } from './errors.ts'\n",
    'sdk/src/client.test.ts': "import { createServer } from 'node:http'\n",
  },
}

export const levelRules: readonly Rule[] = [directions, places, framework, sdk]
