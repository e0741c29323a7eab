import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, validationError } from '../errors.ts'
import { CommandError, wordsFor } from './command-error.ts'
import { counted, csvRow, fields, printable, table } from './layout.ts'
import { parseDuration, walletScope } from './options.ts'

test('columns are as wide as their widest cell, and no line ends in spaces', () => {
  const columns = [{ title: 'A' }, { title: 'B', align: 'right' as const }, { title: 'C' }]
  const rows = [
    ['long', '1', 'x'],
    ['s', '100', ''],
  ]
  assert.equal(table(columns, rows), 'A       B  C\nlong    1  x\ns     100')
  assert.equal(fields({ id: '1', 'API key': '2' }), '  id       1\n  API key  2')
})

test('what others have written cannot steer the terminal', () => {
  assert.equal(printable('a\u001b[2Jb\nc\u009bd'), 'a?[2Jb?c?d')
  assert.equal(table([{ title: 'NAME' }], [['\u001b]0;x\u0007']]), 'NAME\n?]0;x?')
})

test('a cell of CSV keeps its commas, quotes and line ends', () => {
  assert.equal(csvRow(['plain', 'a,b', 'say "x"', 'a\nb']), 'plain,"a,b","say ""x""","a\nb"')
})

test('counts have the right number', () => {
  assert.equal(counted(1, 'transfer'), '1 transfer')
  assert.equal(counted(12_000, 'transfer'), '12,000 transfers')
})

test('a duration has a unit and a bound; only 0 needs no unit', () => {
  const right = { '0': 0, '45s': 45, '30m': 1800, '24h': 86_400, '7d': 604_800, '365d': 31_536_000 }
  for (const [text, seconds] of Object.entries(right)) assert.equal(parseDuration(text), seconds)
  for (const text of ['', '5', '-1h', '1.5h', '24 h', '1w', '366d', '9999999999s']) {
    assert.throws(() => parseDuration(text), /Write 30m, 24h or 7d/, text)
  }
})

test('a wallet gets the usual country of its currency, and no impossible one', () => {
  assert.deepEqual(walletScope({ currency: 'kes' }), { currency: 'KES', country: 'KE' })
  const dollars = walletScope({ currency: 'USD', country: 'ke' })
  assert.deepEqual(dollars, { currency: 'USD', country: 'KE' })
  assert.throws(() => walletScope({ currency: 'KES', country: 'TZ' }), CommandError)
  assert.throws(() => walletScope({ currency: 'QQQ' }), CommandError)
})

test('every error is one sentence that speaks of options, not of fields', () => {
  const words = (error: unknown) => wordsFor(error, false)
  assert.equal(
    words(validationError('email is not an e-mail address.')),
    'Email is not an e-mail address.',
  )
  assert.equal(
    words(validationError('firstName has 1 to 100 characters.')),
    '--first-name has 1 to 100 characters.',
  )
  assert.equal(words(new AppError('CREDENTIAL_NOT_FOUND')), 'There is no such credential.')
  assert.equal(words(new Error('write EPIPE')), 'Write EPIPE.')
  assert.match(wordsFor(new CommandError('Stop.'), true), /CommandError: Stop\.\n +at /)
})
