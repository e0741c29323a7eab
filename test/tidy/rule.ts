import type { Node } from 'typescript/unstable/ast'
import { type Repository, repositoryOf, type TidyFile } from './repository.ts'

export type Problem = { readonly path: string; readonly line: number; readonly advice: string }

/** A rule comes with a small repository that breaks it, so that no rule can be silently dead. */
export type Rule = {
  readonly title: string
  readonly find: (repository: Repository) => Problem[]
  /** The same without the exceptions of this repository, which the small ones do not have. */
  readonly findInSamples?: (repository: Repository) => Problem[]
  /** Files that break the rule, and where: "path:line" of every problem, in order. */
  readonly broken: { readonly files: Readonly<Record<string, string>>; readonly at: string[] }
  /** Files that look alike and are fine. */
  readonly fine: Readonly<Record<string, string>>
}

export const placeOf = (problem: Problem): string => `${problem.path}:${problem.line}`

export const report = (problems: readonly Problem[]): string =>
  problems.map((problem) => `${placeOf(problem)}  ${problem.advice}`).join('\n')

export const brokenPlaces = async (rule: Rule): Promise<string[]> =>
  inSamples(rule)(await repositoryOf(rule.broken.files)).map(placeOf)

export const fineReport = async (rule: Rule): Promise<string> =>
  report(inSamples(rule)(await repositoryOf(rule.fine)))

const inSamples = ({ find, findInSamples = find }: Rule) => findInSamples

/** A rule about nodes of the syntax tree: `judge` gives advice where a node breaks it. */
export const findInSyntax =
  (applies: (path: string) => boolean, judge: (node: Node) => string | undefined) =>
  (repository: Repository): Problem[] =>
    repository.flatMap((file) => {
      if (!file.syntax || !applies(file.path)) return []
      return nodesOf(file.syntax).flatMap((node) => {
        const advice = judge(node)
        return advice === undefined ? [] : [{ path: file.path, line: lineOf(file, node), advice }]
      })
    })

/** A rule about the text of files, whatever they contain. */
export const findInText =
  (applies: (path: string) => boolean, pattern: RegExp, advice: string) =>
  (repository: Repository): Problem[] =>
    repository
      .filter((file) => applies(file.path))
      .flatMap((file) =>
        file.text
          .split('\n')
          .flatMap((text, index) =>
            pattern.test(text) ? [{ path: file.path, line: index + 1, advice }] : [],
          ),
      )

export const nodesOf = (root: Node): Node[] => {
  const nodes: Node[] = []
  const visit = (node: Node): void => {
    nodes.push(node)
    node.forEachChild(visit)
  }
  visit(root)
  return nodes
}

export const lineOf = (file: TidyFile, node: Node): number => lineAt(file, node.getStart())

export const lineAt = (file: TidyFile, position: number): number =>
  file.syntax!.getLineAndCharacterOfPosition(position).line + 1
