import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noAnswerExitCode, readAuditAnswer } from './audit-answer.ts'

const none = { info: 0, low: 0, moderate: 0, high: 0, critical: 0, total: 0 }

test('no known vulnerability is exit code 0, one is 1 and is named', () => {
  const metadata = { vulnerabilities: none, dependencies: { total: 12 } }
  assert.deepEqual(readAuditAnswer(JSON.stringify({ metadata, vulnerabilities: {} })), {
    exitCode: 0,
    lines: ['12 packages audited: no known vulnerability.'],
  })
  const vulnerabilities = { left: { severity: 'high', range: '<1.3.0', isDirect: true } }
  assert.deepEqual(readAuditAnswer(JSON.stringify({ metadata, vulnerabilities })), {
    exitCode: 1,
    lines: ['12 packages audited: 1 with a known vulnerability.', '- left <1.3.0: high'],
  })
})

test('a registry that gives no answer is told apart from one that knows of nothing', () => {
  const answers = [
    JSON.stringify({ message: '405 Method Not Allowed - POST https://mirror.example/x' }),
    JSON.stringify({ error: { summary: 'request failed', code: 'ENOTFOUND' } }),
    '',
    'npm error network',
  ]
  for (const answer of answers) {
    const { exitCode, lines } = readAuditAnswer(answer)
    assert.equal(exitCode, noAnswerExitCode)
    assert.match(lines[0]!, /^No answer:/)
    assert.ok(!lines.join().includes('mirror.example'))
  }
})
