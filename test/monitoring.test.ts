import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { readBacklog } from '../src/work/backlog.ts'
import { testDatabase, waitFor } from './harness.ts'
import { startOn } from './processes.ts'

type Alert = {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string; runbook_url: string }
}
type Panel = { type: string; title: string; targets?: { expr: string; legendFormat: string }[] }

const root = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const rules = parse(read('deploy/prometheus/malipo-rules.yml')) as { groups: { rules: Alert[] }[] }
const alerts = rules.groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(read('deploy/grafana/malipo.json')) as { panels: Panel[] }
const guide = 'docs/operating/monitoring.md'
const shown = dashboard.panels.flatMap((panel) => panel.targets ?? []).map(({ expr }) => expr)

/** `name{label="value",…}`, as a service tells it and as an expression asks for it. */
const seriesPattern = /\b((?:malipo|nodejs|process)_\w+)(?:\{([^}]*)\})?/g

type Series = { name: string; labels: Map<string, string> }

function seriesIn(text: string): Series[] {
  return [...text.matchAll(seriesPattern)].map(([, name, labels = '']) => ({
    name: name!,
    labels: new Map(
      [...labels.matchAll(/(\w+)=~?"([^"]*)"/g)].map(([, label, value]) => [label!, value!]),
    ),
  }))
}

/** Whether the service tells something that the expression would find. */
function isTold(asked: Series, told: Series[]): boolean {
  const fits = (value: string | undefined, wanted: string): boolean =>
    value !== undefined && (wanted.startsWith('$') || /^5\.\.$/.test(wanted) || value === wanted)
  return told.some(
    ({ name, labels }) =>
      name === asked.name &&
      [...asked.labels].every(
        ([label, wanted]) => label === 'job' || fits(labels.get(label), wanted),
      ),
  )
}

test('every alert and every panel asks for something a running service tells', async (t) => {
  const { url } = await testDatabase(t)
  const env = { MALIPO_DEMO: 'off', MALIPO_DATABASE_CONNECTIONS: '4' }
  const address = await startOn(t, url, { env }).ready()
  await fetch(`${address}/api/b2b/users`)
  const text = await waitFor(
    async () => {
      const said = await (await fetch(`${address}/metrics`)).text()
      return said.includes('malipo_backlog_seen_seconds ') &&
        said.includes('malipo_sealed_until_seconds{')
        ? said
        : undefined
    },
    { timeoutMs: 20_000, everyMs: 100 },
  )
  const samples = text.split('\n').filter((line) => !line.startsWith('#'))
  const kinds = text.matchAll(/^# TYPE (\w+) (\w+)$/gm)
  const names = [...kinds].flatMap(([, name, kind]) =>
    kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name!],
  )
  // What counts by label shows nothing before it has counted, so there the name must do.
  const quiet = names.filter((name) => !samples.some((line) => line.startsWith(`${name}{`)))
  const told = seriesIn(samples.join('\n'))
  const asked = [...alerts.map(({ expr }) => expr), ...shown].flatMap(seriesIn)
  assert.ok(asked.length > 40)
  const strange = asked.filter((one) => !isTold(one, told) && !quiet.includes(one.name))
  assert.deepEqual(strange, [])
  const ours = names
    .filter((name) => name.startsWith('malipo_'))
    .map((name) => name.replace(/_(bucket|sum|count)$/, ''))
  const table = read(guide)
  assert.deepEqual(
    ours.filter((name) => !table.includes(`| \`${name}\` |`)),
    [],
  )
})

test('every alert says what it means, how bad it is, and where it is written what to do', () => {
  const headings = new Set(
    [...read(guide).matchAll(/^### (\w+)$/gm)].map(([, heading]) => heading!),
  )
  for (const { alert, expr, labels, annotations } of alerts) {
    assert.match(labels.severity, /^(critical|warning)$/, alert)
    assert.ok(annotations.summary.length > 10, alert)
    assert.ok(annotations.description.length > 60, alert)
    assert.equal(annotations.runbook_url, `${guide}#${alert.toLowerCase()}`)
    assert.ok(headings.has(alert), `${alert} has no section`)
    assert.equal(expr.split('(').length, expr.split(')').length, alert)
  }
  assert.deepEqual([...headings].sort(), alerts.map(({ alert }) => alert).sort())
})

test('every panel of the dashboard has a title, and something to show', () => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')
  assert.ok(panels.length > 20)
  for (const { title, targets } of panels) {
    assert.ok(title.length > 0)
    assert.ok(
      targets?.every(({ expr }) => expr.includes('{job="$job"')),
      title,
    )
  }
})

test('what waits is seen with its age, and what needs a person is counted', async (t) => {
  const { sql: db } = await testDatabase(t)
  const nothing = await readBacklog(db)
  assert.ok(Object.values(nothing).every((value) => value === 0))
  await db`
    insert into rail_callbacks
      (slot, id, rail, direction, outcome, said, received_at, handled_at, finding)
    select 0, gen_random_uuid(), 'sandbox', 'payout', 'succeeded', 'paid',
      now() - make_interval(secs => age), handled, finding
    from (values (90, null, null), (600, now(), 'contradiction: it has failed'),
      (600, now(), 'applied'), (90000, now(), 'not believed: another amount'))
      as given (age, handled, finding)`
  const found = await readBacklog(db)
  assert.ok(found.callbacks >= 90 && found.callbacks < 600)
  assert.equal(found.doubted, 1)
  const plan = await db`
    explain select from rail_callbacks
    where received_at > now() - interval '1 day' and (finding like 'contradiction%'
      or finding like 'not believed%' or finding like 'fault%')`
  assert.match(JSON.stringify(plan), /rail_callbacks_doubted/)
})
