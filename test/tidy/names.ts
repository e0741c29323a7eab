import { basename } from 'node:path'
import { isCode, type Repository } from './repository.ts'
import { findInText, type Problem, type Rule } from './rule.ts'

const emptyWords = ['util', 'utils', 'helper', 'helpers', 'manager', 'service', 'services']

const names: Rule = {
  title: 'a file name says what is in it',
  find: (repository) =>
    repository
      .filter(({ path }) => isCode(path))
      .flatMap(({ path }) => {
        const word = path.split(/[/.\-_]/).find((each) => emptyWords.includes(each.toLowerCase()))
        const advice = `"${word}" could hold anything: name the file after its one idea`
        return word === undefined ? [] : [{ path, line: 1, advice }]
      }),
  broken: {
    files: { 'src/db/utils.ts': '', 'test/helpers/clock.ts': '', 'src/db/pool-manager.ts': '' },
    at: ['src/db/pool-manager.ts:1', 'src/db/utils.ts:1', 'test/helpers/clock.ts:1'],
  },
  fine: { 'src/db/pool.ts': '', 'docs/service.md': '', 'src/db/serviced.ts': '' },
}

const everywhere = (): boolean => true

// Inside relative paths and globs "work" is a folder of ours, hence the look-behind.
const machinePath = /(?<![\w.~@)}*-])\/(?:work|root)\//

const paths: Rule = {
  title: 'no file names a path of the machine it was written on',
  find: findInText(everywhere, machinePath, 'names a path of one machine: make it relative'),
  broken: {
    files: { 'README.md': '\nsee /\u0077ork/main\n', 'src/a.ts': "const a = '/\u0072oot/x'\n" },
    at: ['README.md:2', 'src/a.ts:1'],
  },
  fine: { 'src/a.ts': "import '../work/claim.ts'\n", 'README.md': 'src/work/claim.ts ~/root/x\n' },
}

const registryHost =
  /\bregistry\.[a-z0-9-]+\.(?:org|com|net|io|dev|cloud)\b|\bnpmjs\.(?:org|com)\b/i

const hosts: Rule = {
  title: 'no file names the host of a package registry',
  find: findInText(everywhere, registryHost, 'names a registry: the one in use is the reader’s'),
  broken: {
    files: { '.npmrc': 'registry=https://registry.\u0079arnpkg.com\n', 'a.md': 'npmjs.\u0063om\n' },
    at: ['.npmrc:1', 'a.md:1'],
  },
  fine: { 'src/metrics.ts': 'registry.metrics()\nregistry.common.length\n' },
}

const lock: Rule = {
  title: 'the lockfile pins packages by their content, not by an address',
  find: findInText(
    (path) => basename(path) === 'package-lock.json',
    /"resolved": "http/,
    'has an address: install with omit-lockfile-registry-resolved=true',
  ),
  broken: {
    files: { 'package-lock.json': '{\n"resolved": "https://x"\n}\n' },
    at: ['package-lock.json:2'],
  },
  fine: { 'package-lock.json': '{ "resolved": "sdk" }\n', 'a.md': '"resolved": "https://x"\n' },
}

/** Numbers of the files that match, which have to run 1, 2, 3 … */
const findGaps = (paths: readonly string[], what: string): Problem[] => {
  const numbered = paths.map((path) => ({ path, number: Number(basename(path).slice(0, 4)) }))
  return numbered.flatMap(({ path, number }, index) => {
    const expected = (numbered[index - 1]?.number ?? 0) + 1
    const advice = `${what} ${number} follows ${expected - 1}: number it ${expected}`
    return number === expected ? [] : [{ path, line: 1, advice }]
  })
}

const pathsIn = (repository: Repository, folder: string): string[] =>
  repository.map(({ path }) => path).filter((path) => path.startsWith(folder))

const misnamed = (paths: readonly string[], pattern: RegExp, shape: string): Problem[] =>
  paths
    .filter((path) => !pattern.test(basename(path)))
    .map((path) => ({ path, line: 1, advice: `is not named like ${shape}` }))

const migrations: Rule = {
  title: 'migrations are numbered without gaps, and each test belongs to one',
  find: (repository) => {
    const all = pathsIn(repository, 'migrations/')
    const tests = all.filter((path) => path.endsWith('.test.sql'))
    const steps = all.filter((path) => !path.endsWith('.test.sql'))
    const pattern = /^\d{4}_[a-z0-9_]+\.sql$/
    return [
      ...misnamed(steps, pattern, '0001_what_it_does.sql'),
      ...findGaps(
        steps.filter((path) => pattern.test(basename(path))),
        'migration',
      ),
      ...tests
        .filter((path) => !steps.includes(path.replace('.test.sql', '.sql')))
        .map((path) => ({ path, line: 1, advice: 'tests no migration: give it the name of one' })),
    ]
  },
  broken: {
    files: {
      'migrations/0001_start.sql': '',
      'migrations/0003_gap.sql': '',
      'migrations/0003_twice.sql': '',
      'migrations/four.sql': '',
      'migrations/0001_other.test.sql': '',
    },
    at: [
      'migrations/four.sql:1',
      'migrations/0003_gap.sql:1',
      'migrations/0003_twice.sql:1',
      'migrations/0001_other.test.sql:1',
    ],
  },
  fine: {
    'migrations/0001_start.sql': '',
    'migrations/0002_more.sql': '',
    'migrations/0002_more.test.sql': '',
  },
}

const decisions: Rule = {
  title: 'decision records are numbered without gaps',
  find: (repository) => {
    const all = pathsIn(repository, 'docs/decisions/').filter((path) => !path.endsWith('README.md'))
    const pattern = /^\d{4}-[a-z0-9-]+\.md$/
    return [
      ...misnamed(all, pattern, '0001-what-was-decided.md'),
      ...findGaps(
        all.filter((path) => pattern.test(basename(path))),
        'decision',
      ),
    ]
  },
  broken: {
    files: { 'docs/decisions/0002-late.md': '', 'docs/decisions/ledger.md': '' },
    at: ['docs/decisions/ledger.md:1', 'docs/decisions/0002-late.md:1'],
  },
  fine: { 'docs/decisions/0001-first.md': '', 'docs/decisions/README.md': '' },
}

export const nameRules: readonly Rule[] = [names, paths, hosts, lock, migrations, decisions]
