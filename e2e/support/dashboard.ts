import type { Locator, Page } from '@playwright/test'

/** Parts of the dashboard as a person, or a screen reader, finds them. */
export const machineTable = (page: Page): Locator => page.getByRole('grid', { name: 'Machines' })
/** A row by its machine's whole name. */
export const machineRow = (page: Page, hostname: string): Locator =>
  machineTable(page)
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell', { name: hostname, exact: true }) })
export const treeLine = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('tree', { name: 'Clients and sites' }).getByRole('treeitem', { name })
export const searchField = (page: Page): Locator => page.getByRole('textbox', { name: 'Search machines' })

/** Does something with the machine that is selected, by its menu. */
export async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name }).click()
}

/** Names of the machines in the table, from top to bottom. */
export async function shownMachines(page: Page): Promise<string[]> {
  const rows = machineTable(page).getByRole('row')
  const columns = await machineTable(page).getByRole('columnheader').allInnerTexts()
  const hostname = columns.findIndex((title) => title.trim() === 'Hostname')
  const cells = await rows.all()
  const named = await Promise.all(
    cells.slice(1).map(async (row) => ({
      place: Number(await row.getAttribute('aria-rowindex')),
      name: await row.getByRole('gridcell').nth(hostname).innerText(),
    })),
  )
  return named.sort((a, b) => a.place - b.place).map(({ name }) => name)
}

/** Names of the tree's lines, from top to bottom. */
export async function shownNodes(page: Page): Promise<string[]> {
  const lines = page.getByRole('tree', { name: 'Clients and sites' }).getByRole('treeitem')
  return (await lines.allInnerTexts()).map((text) => text.split('\n')[0] ?? '')
}
