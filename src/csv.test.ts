import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvRow } from './csv.ts'

test('a text that begins like a formula is defused, a number is not', () => {
  assert.equal(
    csvRow(['=1+1', '+1+2', '@sum', '-2+3', '\tx', '-12.50', '+254700000000', 'a=b']),
    "'=1+1,'+1+2,'@sum,'-2+3,'\tx,-12.50,+254700000000,a=b\r\n",
  )
  assert.equal(csvRow(['=HYPERLINK("x","y")']), `"'=HYPERLINK(""x"",""y"")"\r\n`)
})

test('what holds a comma, a quote or the end of a line stays one cell', () => {
  assert.equal(
    csvRow(['a,b', 'say "no"', 'two\nlines', null, '']),
    '"a,b","say ""no""","two\nlines",,\r\n',
  )
})
