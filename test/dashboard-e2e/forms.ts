import type { Locator, Page } from 'playwright-core'

/** The input with this label; its list of options has the same label. */
export const field = (at: Page | Locator, label: string | RegExp): Locator =>
  at.getByLabel(label).and(at.locator('input'))

/** Picks an option of a list that can be searched by typing. */
export async function choose(at: Page | Locator, label: string, option: string): Promise<void> {
  const page = 'page' in at ? at.page() : at
  await field(at, label).fill(option)
  await page.getByRole('option', { name: option }).first().click()
}

/** Somebody with a Kenyan phone, in a form that asks for a destination. */
export async function fillKenyanPhone(
  at: Page | Locator,
  { name, phone }: { name: string; phone: string },
): Promise<void> {
  await choose(at, 'Country', 'Kenya')
  await field(at, 'Phone number').fill(phone)
  await at.getByText(/^This account belongs to|^No account with this number/).waitFor()
  await field(at, 'Name').fill(name)
}
