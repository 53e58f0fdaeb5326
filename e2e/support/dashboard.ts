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

/** Goes to a path as a link of the console itself would, without a reload. */
export async function follow(page: Page, path: string): Promise<void> {
  // Before there is a screen nobody listens.
  await page.getByRole('main').waitFor()
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
}

/** Opens a page, a dialog or a window by a menu of the menu bar. */
export async function chooseInMenu(page: Page, menu: string, entry: string): Promise<void> {
  await page.getByRole('menuitem', { name: menu, exact: true }).click()
  await page.getByRole('menuitem', { name: entry, exact: true }).click()
}

/** Does something with the machine that is selected, by its menu. */
export async function chooseAction(page: Page, ...names: string[]): Promise<void> {
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  for (const name of names) await page.getByRole('menuitem', { name }).click()
}

/** Names of the machines in the table, from top to bottom. Read at once: the rows may change meanwhile. */
export async function shownMachines(page: Page): Promise<string[]> {
  const rows = await machineTable(page)
    .getByRole('row')
    .evaluateAll((found) =>
      found.map((row) => ({
        place: Number(row.getAttribute('aria-rowindex')),
        cells: Array.from(
          row.children,
          (cell: { textContent: string | null }) => cell.textContent?.trim() ?? '',
        ),
      })),
    )
  const [titles, ...machines] = rows.toSorted((a, b) => a.place - b.place)
  const hostname = titles?.cells.indexOf('Hostname') ?? -1
  return machines.map(({ cells }) => cells[hostname] ?? '')
}

/** Names of the tree's lines, from top to bottom. */
export async function shownNodes(page: Page): Promise<string[]> {
  const lines = page.getByRole('tree', { name: 'Clients and sites' }).getByRole('treeitem')
  return (await lines.allInnerTexts()).map((text) => text.split('\n')[0] ?? '')
}
