import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after } from 'node:test'
import { header } from '../batches.ts'
import { pageTests } from './page-test.ts'
import { requestAs, startDashboard } from './world.ts'

const world = await startDashboard({ after })
const pageTest = pageTests(world)

const lineCount = 1000
const wrong = new Map([
  [3, 'salary-3,ten,KES,KE,MoMo,Amina Otieno,+254700000000'],
  [17, 'salary-17,100,KES,KE,Pigeon,Amina Otieno,+254700000000'],
  [500, 'salary-500,100,KES,KE,MoMo,Amina Otieno,12'],
  [1001, 'salary-2,100,KES,KE,MoMo,Amina Otieno,+254700000000'],
])
const declinedLine = 4

/** A thousand payouts of a hundred shillings; four lines have mistakes, and one is declined. */
function salaries(): string {
  const lines = Array.from({ length: lineCount }, (_, at) => {
    const line = at + 2
    const phone = line === declinedLine ? '+254700000001' : '+254700000000'
    return wrong.get(line) ?? `salary-${line},100,KES,KE,MoMo,Amina Otieno,${phone}`
  })
  return `${[header, ...lines].join('\n')}\n`
}

pageTest(
  'a file of 1,000 payouts with mistakes is checked, approved, paid and told of',
  async (open) => {
    const owner = await world.person('owner')
    await requestAs(world, owner, 'PUT', '/sandbox/settings', { approvalLimits: { KES: '50000' } })
    const maker = await open('finance')
    await maker.go('/batches', 'Batches')
    await maker.page.locator('input[type=file]').setInputFiles({
      ...{ name: 'salaries.csv', mimeType: 'text/csv', buffer: Buffer.from(salaries()) },
    })
    await maker.page.getByRole('heading', { level: 1, name: 'salaries' }).waitFor()
    const lines = maker.page.getByRole('table', { name: 'Lines' })
    await lines.waitFor()
    const shown = await lines.getByRole('row').allInnerTexts()
    assert.equal(shown.length - 1, wrong.size)
    for (const line of wrong.keys()) {
      assert.ok(
        shown.some((text) => new RegExp(`^${line}\\b`).test(text)),
        `line ${line}`,
      )
    }
    await maker.page.getByText('4 lines have errors and will not be paid.').waitFor()
    await maker.page.getByText('996 payouts in KES').waitFor()
    await maker.page.getByText('99,600.00 KES').first().waitFor()
    await maker.page.getByRole('button', { name: 'Submit 996 payouts' }).click()
    await maker.page.getByRole('dialog').getByRole('button', { name: 'Submit 996 payouts' }).click()
    await maker.page.getByText('somebody else has to approve it').waitFor()
    assert.equal(await maker.page.getByRole('button', { name: 'Approve and pay' }).count(), 0)

    const approver = await open('finance')
    await approver.go('/overview', 'Overview')
    await approver.page.getByRole('link', { name: '1 batch waits for approval' }).click()
    await approver.page.getByRole('link', { name: 'salaries' }).click()
    await approver.page.getByRole('button', { name: 'Approve and pay' }).click()
    await approver.page.getByRole('dialog').getByRole('button', { name: 'Approve and pay' }).click()
    await approver.told('Batch approved.')

    // Whoever made it watches, and does not have to reload.
    const progress = maker.page.getByRole('region', { name: 'Progress' })
    await progress.waitFor()
    await progress.getByText('996 of 996 lines finished').waitFor({ timeout: 60_000 })
    await maker.page.getByText('Done', { exact: true }).waitFor()
    assert.deepEqual(await progress.locator('dd').allInnerTexts(), ['995', '1', '0', '0', '0'])
    const [download] = await Promise.all([
      maker.page.waitForEvent('download'),
      maker.page.getByRole('link', { name: 'Download result' }).click(),
    ])
    const result = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/)
    assert.equal(result.length, lineCount + 1)
    assert.equal(result.filter((text) => /,successful,/.test(text)).length, 995)
    assert.equal(result.filter((text) => /,invalid,/.test(text)).length, wrong.size)
  },
)

pageTest('the overview shows balances, the flow of money and how payments end', async (open) => {
  const { page, go } = await open('viewer')
  await go('/overview', 'Overview')
  await page.getByRole('region', { name: 'Balances' }).getByText('KES · Kenya').waitFor()
  const flow = page.getByRole('region', { name: 'Money in and out' })
  await flow.locator('canvas').waitFor()
  await flow.getByRole('cell', { name: '99500.00' }).waitFor({ state: 'attached' })
  const ends = page.getByRole('table', { name: 'How payments end' })
  await ends.getByRole('row', { name: /Mobile money Payout .* 995 1 0/ }).waitFor()
  await page.getByText('Nothing needs your attention.').waitFor()
})

pageTest(
  'a file that is no batch is refused with a reason, and one can be discarded',
  async (open) => {
    const { page, go, told } = await open('finance')
    await go('/batches', 'Batches')
    const file = page.locator('input[type=file]')
    const csv = (text: string) => ({
      ...{ name: 'odd.csv', mimeType: 'text/csv', buffer: Buffer.from(text) },
    })
    await file.setInputFiles({ ...csv('x'), name: 'photo.png', mimeType: 'image/png' })
    await page.getByRole('alert').getByText('This is not a CSV file.').waitFor()
    await file.setInputFiles(csv(`${header}\nodd-1,5,KES,KE,MoMo,Amina Otieno,+254700000000\n`))
    await page.getByRole('button', { name: 'Discard batch' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard batch' }).click()
    await told('Batch discarded.')
    await page.getByText('Cancelled', { exact: true }).waitFor()
  },
)
