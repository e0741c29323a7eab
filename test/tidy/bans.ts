import {
  isBinaryExpression,
  isElementAccessExpression,
  isEnumDeclaration,
  isExportAssignment,
  isExportSpecifier,
  isIdentifier,
  isImportSpecifier,
  isModuleDeclaration,
  isObjectBindingPattern,
  isPropertyAccessExpression,
  isVariableDeclaration,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { isCode, isTest } from './repository.ts'
import { findInSyntax, findInText, type Rule } from './rule.ts'

const isSource = (path: string): boolean => path.startsWith('src/') && !isTest(path)

const isMember = (node: Node, object: string, property?: string): boolean =>
  isPropertyAccessExpression(node) &&
  isIdentifier(node.expression) &&
  node.expression.text === object &&
  (property === undefined || node.name.text === property)

const moneyAdvice = 'converts or rounds: only src/money does that, with a named rounding'

const floatWork = (node: Node): string | undefined => {
  if (isIdentifier(node) && (node.text === 'parseFloat' || node.text === 'toFixed')) {
    return `${node.text} ${moneyAdvice}`
  }
  if (isMember(node, 'Math', 'round')) return `Math.round ${moneyAdvice}`
  return isScalingByHundred(node)
    ? `scaling by 100 ${moneyAdvice} (what is no money can name its factor)`
    : undefined
}

// A leading 100 is left alone: it starts waits that double, and amounts are written first.
const isScalingByHundred = (node: Node): boolean =>
  isBinaryExpression(node) &&
  ['*', '*=', '/', '/='].includes(node.operatorToken.getText()) &&
  /^(100n?|1e2|1_00)$/.test(node.right.getText())

const moneyInOnePlace: Rule = {
  title: 'only src/money converts, rounds or scales amounts',
  find: findInSyntax((path) => isSource(path) && !path.startsWith('src/money/'), floatWork),
  broken: {
    files: {
      'src/charges/a.ts': "Number.parseFloat('1')\nparseFloat('1')\n(1).toFixed(2)\n",
      'src/charges/b.ts': 'Math.round(1.5)\namount * 100\namount * 100n\namount *= 100\n',
      'src/charges/c.ts': 'amount / 100\n',
    },
    at: [
      'src/charges/a.ts:1',
      'src/charges/a.ts:2',
      'src/charges/a.ts:3',
      'src/charges/b.ts:1',
      'src/charges/b.ts:2',
      'src/charges/b.ts:3',
      'src/charges/b.ts:4',
      'src/charges/c.ts:1',
    ],
  },
  fine: {
    'src/money/amounts.ts': 'Math.round(1.5)\n',
    'src/charges/a.ts':
      "// never parseFloat\nconst text = 'amount * 100'\namount * 1000\n100 * 2\n",
    'src/charges/a.test.ts': 'amount * 100\n',
  },
}

const unerasable = (node: Node): string | undefined => {
  if (isEnumDeclaration(node)) return 'an enum is not erasable: use a union of literals'
  const isNamespace = isModuleDeclaration(node) && isIdentifier(node.name)
  if (isNamespace && node.name.getText() !== 'global') {
    return 'a namespace is not erasable: use a file'
  }
  return undefined
}

const erasable: Rule = {
  title: 'there are no enums and no namespaces',
  find: findInSyntax(isCode, unerasable),
  broken: {
    files: { 'src/a.ts': 'enum A { b }\nnamespace C { export const d = 1 }\nconst enum E { f }\n' },
    at: ['src/a.ts:1', 'src/a.ts:2', 'src/a.ts:3'],
  },
  fine: { 'src/a.ts': "declare module 'x' {}\ndeclare global {}\nconst text = 'enum A {}'\n" },
}

const defaultExport = (node: Node): string | undefined => {
  const isDefault =
    isExportAssignment(node) ||
    node.kind === SyntaxKind.DefaultKeyword ||
    (isExportSpecifier(node) && node.name.getText() === 'default')
  return isDefault ? 'a default export has no name to search for: name it' : undefined
}

const named: Rule = {
  title: 'every export has a name',
  find: findInSyntax(isCode, defaultExport),
  broken: {
    files: {
      'src/a.ts': 'export default 1\n',
      'src/b.ts': 'export default function b() {}\n',
      'src/c.ts': 'const c = 1\nexport { c as default }\n',
    },
    at: ['src/a.ts:1', 'src/b.ts:1', 'src/c.ts:2'],
  },
  fine: { 'src/a.ts': "import a from 'a'\nswitch (a) {\n  default:\n}\nexport const b = 1\n" },
}

const typed: Rule = {
  title: 'nothing has the type any',
  find: findInSyntax(isCode, (node) =>
    node.kind === SyntaxKind.AnyKeyword ? 'any switches the compiler off: use unknown' : undefined,
  ),
  broken: {
    files: { 'test/a.ts': 'const a: any = 1\n', 'src/b.ts': 'b as unknown as any[]\n' },
    at: ['src/b.ts:1', 'test/a.ts:1'],
  },
  fine: { 'src/a.ts': "const any = 'any' // any: any\n" },
}

const finished: Rule = {
  title: 'nothing is left to do in a comment',
  find: findInText(isCode, /\b(?:TO[D]O|FIX[M]E)\b/, 'do it, or describe it where work is planned'),
  broken: {
    files: { 'src/a.ts': '\n// TO\u0044O: later\n', 'bench/b.ts': '// FIX\u004dE\n' },
    at: ['bench/b.ts:1', 'src/a.ts:2'],
  },
  fine: { 'src/a.ts': "const todos = ['methodology']\n" },
}

const mayPrint = (path: string): boolean =>
  path.startsWith('src/cli/') || path === 'src/main.ts' || path === 'src/screen.ts'

const quiet: Rule = {
  title: 'only the command line and the start screen print; everything else logs',
  find: findInSyntax(
    (path) => isSource(path) && !mayPrint(path),
    (node) => (isMember(node, 'console') ? 'console prints past the log: use log.ts' : undefined),
  ),
  broken: {
    files: { 'src/db/pool.ts': "console.log('x')\n", 'src/app.ts': '\nconst p = console.error\n' },
    at: ['src/app.ts:2', 'src/db/pool.ts:1'],
  },
  fine: {
    'src/cli/main.ts': "console.log('x')\n",
    'src/main.ts': "console.log('x')\n",
    'src/screen.ts': "console.log('x')\n",
    'src/app.ts': "// console.log('x')\n",
  },
}

const readsEnvironment = (node: Node): string | undefined => {
  const isRead =
    isMember(node, 'process', 'env') ||
    (isElementAccessExpression(node) && /^process\[['"`]env/.test(node.getText())) ||
    (isVariableDeclaration(node) &&
      isObjectBindingPattern(node.name) &&
      /^process$/.test(node.initializer?.getText() ?? '') &&
      /\benv\b/.test(node.name.getText())) ||
    (isImportSpecifier(node) &&
      /^env\b/.test(node.getText()) &&
      /['"](node:)?process['"]$/.test(node.parent.parent.parent.getText()))
  return isRead ? 'reads the environment: give src/config.ts a setting and pass it' : undefined
}

const configured: Rule = {
  title: 'only src/config.ts reads the environment',
  find: findInSyntax(
    (path) => (isSource(path) && path !== 'src/config.ts') || path.startsWith('sdk/'),
    readsEnvironment,
  ),
  broken: {
    files: {
      'src/db/a.ts': "process.env.X\nprocess['env'].X\nconst { env } = process\n",
      'src/db/b.ts': "import { env } from 'node:process'\n",
      'sdk/src/c.ts': 'const key = process.env.KEY\n',
    },
    at: ['sdk/src/c.ts:1', 'src/db/a.ts:1', 'src/db/a.ts:2', 'src/db/a.ts:3', 'src/db/b.ts:1'],
  },
  fine: {
    'src/config.ts': 'process.env.X\n',
    'src/db/a.test.ts': 'process.env.X\n',
    'test/harness.ts': 'process.env.X\n',
    'src/db/a.ts': 'process.exit(1)\nimport { env } from "./env.ts"\n',
  },
}

export const banRules: readonly Rule[] = [
  moneyInOnePlace,
  erasable,
  named,
  typed,
  finished,
  quiet,
  configured,
]
