import {
  isArrowFunction,
  isCallExpression,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isMethodDeclaration,
  isPropertyAssignment,
  isPropertyDeclaration,
  isSetAccessorDeclaration,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast'
import { sizeExceptions } from './exceptions.ts'
import { isCode, type Repository, type TidyFile } from './repository.ts'
import { lineAt, lineOf, nodesOf, type Problem, type Rule } from './rule.ts'

const maxFunctionLines = 70
const maxFileLines = 300
const maxColumns = 100

type Measure = {
  readonly path: string
  readonly line: number
  /** What an exception is listed under. */
  readonly name: string
  readonly size: number
}

/**
 * A ratchet: over the limit only if listed, never above the listed size, and no listing without
 * need. Of several measures with one name the largest counts.
 */
export const findSizeProblems = (
  measures: readonly Measure[],
  limit: number,
  unit: string,
  listed: Readonly<Record<string, number>>,
): Problem[] => {
  const allowed = (name: string) => (Object.hasOwn(listed, name) ? listed[name]! : limit)
  const tooLarge = measures
    .filter(({ name, size }) => size > Math.max(limit, allowed(name)))
    .map(({ path, line, name, size }) => {
      const bound = allowed(name)
      const subject = name.split('#')[1] ?? 'it'
      const advice = `${subject} has ${size} ${unit}, ${bound} are allowed: divide it`
      return { path, line, advice }
    })
  const unneeded = Object.keys(listed)
    .filter((name) => !measures.some((each) => each.name === name && each.size > limit))
    .map((name) => ({
      path: name.split('#')[0]!,
      line: 1,
      advice: `${name} is within ${limit} ${unit}: remove it from test/tidy/exceptions.ts`,
    }))
  return [...tooLarge, ...unneeded]
}

const functionMeasures = (repository: Repository): Measure[] =>
  repository.flatMap((file) =>
    file.syntax
      ? nodesOf(file.syntax)
          .filter((node) => isFunction(node) && !isGroupOfTests(node))
          .map((node) => measureOfFunction(file, node))
      : [],
  )

const measureOfFunction = (file: TidyFile, node: Node): Measure => {
  const line = lineOf(file, node)
  const size = lineAt(file, node.getEnd()) - line + 1
  return { path: file.path, line, name: `${file.path}#${nameOf(node)}`, size }
}

const isFunction = (node: Node): boolean =>
  isFunctionDeclaration(node) ||
  isFunctionExpression(node) ||
  isArrowFunction(node) ||
  isMethodDeclaration(node) ||
  isConstructorDeclaration(node) ||
  isGetAccessorDeclaration(node) ||
  isSetAccessorDeclaration(node)

// describe() takes a function only to hold tests together, each of which is measured.
const isGroupOfTests = ({ parent }: Node): boolean =>
  isCallExpression(parent) && /^(describe|suite)\b/.test(parent.expression.getText())

const nameOf = (node: Node): string => {
  const { parent } = node
  if (isConstructorDeclaration(node)) return 'constructor'
  if (isFunctionDeclaration(node) || isFunctionExpression(node) || isMethodDeclaration(node)) {
    if (node.name) return node.name.getText()
  }
  if (isGetAccessorDeclaration(node) || isSetAccessorDeclaration(node)) return node.name.getText()
  if (isVariableDeclaration(parent) || isPropertyAssignment(parent)) return parent.name.getText()
  if (isPropertyDeclaration(parent)) return parent.name.getText()
  if (isCallExpression(parent)) return `${parent.expression.getText()}()`
  return 'anonymous'
}

const fileMeasures = (repository: Repository): Measure[] =>
  repository
    .filter(({ path }) => isCode(path))
    .map(({ path, text }) => ({ path, line: 1, name: path, size: lineCount(text) }))

const lineCount = (text: string): number => text.replace(/\n$/, '').split('\n').length

const lineMeasures = (repository: Repository): Measure[] =>
  repository
    .filter(({ path }) => isCode(path))
    .flatMap(({ path, text }) =>
      text.split('\n').map((line, index) => ({
        path,
        line: index + 1,
        name: path,
        size: testTitle.test(line) ? 0 : [...line].length,
      })),
    )

// A guarantee is one sentence, and a sentence in quotes cannot be divided.
const testTitle = /^\s*test\(['`]/

const lines = (count: number, text = '  work()') => Array(count).fill(text).join('\n')

const functions: Rule = {
  title: `a function has at most ${maxFunctionLines} lines`,
  find: (repository) =>
    findSizeProblems(
      functionMeasures(repository),
      maxFunctionLines,
      'lines',
      sizeExceptions.functions,
    ),
  broken: {
    files: {
      'src/ids.ts': `const short = () => 1\nexport const long = () => {\n${lines(69)}\n}\n`,
      'test/long.test.ts': `test('long', () => {\n  const text = \`\n}${lines(70)}\n\`\n})\n`,
      'sdk/src/class.ts': `class A {\n  method() {\n${lines(69)}\n  }\n}\n`,
    },
    at: ['sdk/src/class.ts:2', 'src/ids.ts:2', 'test/long.test.ts:1'],
  },
  fine: {
    'src/ids.ts': `export const long = () => {\n${lines(68)}\n}\n`,
    'src/clock.test.ts': `describe('clock', () => {\n${lines(100)}\n})\n`,
  },
}

const files: Rule = {
  title: `a file has at most ${maxFileLines} lines`,
  find: (repository) =>
    findSizeProblems(fileMeasures(repository), maxFileLines, 'lines', sizeExceptions.files),
  broken: { files: { 'bench/main.ts': `${lines(301)}\n` }, at: ['bench/main.ts:1'] },
  fine: {
    'bench/main.ts': `${lines(300)}\n`,
    'docs/long.md': lines(400),
    'web/src/a.ts': lines(400),
  },
}

const widths: Rule = {
  title: `a line has at most ${maxColumns} columns`,
  find: (repository) =>
    findSizeProblems(lineMeasures(repository), maxColumns, 'columns', sizeExceptions.lines),
  broken: { files: { 'src/ids.ts': `\n// ${'x'.repeat(98)}\n` }, at: ['src/ids.ts:2'] },
  fine: {
    'src/ids.ts': `// ${'€'.repeat(97)}\n`,
    'src/ids.test.ts': `test('${'x'.repeat(98)}', () => {})\n`,
    'README.md': 'x'.repeat(101),
  },
}

export const sizeRules: readonly Rule[] = [functions, files, widths]
