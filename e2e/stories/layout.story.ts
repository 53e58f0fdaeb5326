import { getDashInfo } from '@muster/contract/api/system'
import { expect, type Locator, type Page } from '@playwright/test'
import { treeLine } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { type Session } from '../support/sign-in.ts'
import { test } from '../support/story.ts'

// Heights that the specification sets, in pixels: header, menu bar, tabs with search, strip of sub-tabs.
const [HEADER, MENU_BAR, TABS_AND_SEARCH, STRIP] = [50, 40, 78, 37]

const table = (page: Page) => page.getByRole('tabpanel', { name: 'All machines' })
const tab = (page: Page) => page.getByRole('tabpanel', { name: 'Summary' })
const lowerSplitter = (page: Page) => page.getByRole('separator', { name: "Height of the machine's pane" })
const treeSplitter = (page: Page) => page.getByRole('separator', { name: 'Width of the client tree' })

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox()
  if (box === null) throw new Error('it is not on screen')
  return box
}

async function splitterOf(page: Page): Promise<number> {
  return Number(await lowerSplitter(page).getAttribute('aria-valuenow'))
}

async function expectHeights(page: Page, windowHeight: number): Promise<void> {
  // The pane takes its new height a frame after the window.
  await expect(async () => {
    const splitter = await splitterOf(page)
    const { y, height } = await boxOf(table(page))
    expect(height + splitter).toBe(windowHeight - HEADER - MENU_BAR - TABS_AND_SEARCH)
    expect(y).toBe(HEADER + MENU_BAR + TABS_AND_SEARCH)
    const content = await boxOf(tab(page))
    expect(content.height).toBe(splitter - STRIP)
    expect(content.y + content.height).toBe(windowHeight)
  }).toPass()
}

async function openMachine(admin: Session, openConsole: (options: object) => Promise<Page>) {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  const fleet = await startMachines(admin, [{ hostname: 'alpha', token }])
  const page = await openConsole({ as: admin, path: `/?agent=${fleet.machines[0]?.agentId}` })
  await expect(page.getByRole('heading', { name: 'alpha' })).toBeVisible()
  return { page, fleet }
}

test('table height = window - 50 - 40 - 78 - splitter, tab height = splitter - 37, to the pixel', async ({
  admin,
  openConsole,
}) => {
  const { page, fleet } = await openMachine(admin, openConsole)
  using _machines = fleet
  expect(await splitterOf(page)).toBe((900 - 82) / 2)
  await expectHeights(page, 900)
  expect((await boxOf(page.getByRole('banner'))).height).toBe(HEADER)

  await test.step('they follow the window', async () => {
    await page.setViewportSize({ width: 1440, height: 720 })
    await expectHeights(page, 720)
    await page.setViewportSize({ width: 1440, height: 900 })
    await expectHeights(page, 900)
  })
  await test.step('they follow the splitter, dragged', async () => {
    const line = await boxOf(lowerSplitter(page))
    const [x, y] = [line.x + line.width / 2, line.y + line.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x, y - 100, { steps: 5 })
    await page.mouse.up()
    expect(await splitterOf(page)).toBe(509)
    await expectHeights(page, 900)
  })
  await test.step('they follow the splitter, moved by keys', async () => {
    await lowerSplitter(page).focus()
    await page.keyboard.press('ArrowDown')
    expect(await splitterOf(page)).toBe(493)
    await expectHeights(page, 900)
    await page.keyboard.press('Enter')
    expect(await splitterOf(page)).toBe(409)
    await expectHeights(page, 900)
  })
})

test('the tree takes 20 percent until the user says otherwise; the whole percent is saved on release', async ({
  admin,
  openConsole,
}) => {
  const { page, fleet } = await openMachine(admin, openConsole)
  using _machines = fleet
  const width = async (where: Page) =>
    (await boxOf(where.getByRole('navigation', { name: 'Clients and sites' }))).width
  expect(await width(page)).toBe(1440 * 0.2)

  const saves: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') saves.push(request.postDataJSON())
  })
  const line = await boxOf(treeSplitter(page))
  const [x, y] = [line.x + line.width / 2, line.y + 300]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 100, y, { steps: 5 })
  await page.mouse.move(x + 151, y, { steps: 5 })
  expect(saves).toEqual([])
  await page.mouse.up()
  await expect.poll(() => saves).toEqual([{ client_tree_splitter: 30 }])
  await expect.poll(async () => (await admin.call(getDashInfo, {})).client_tree_splitter).toBe(30)
  await page.reload()
  await expect.poll(() => width(page)).toBe(1440 * 0.3)

  const elsewhere = await openConsole({ as: admin })
  await expect.poll(() => width(elsewhere)).toBe(1440 * 0.3)
  await treeSplitter(elsewhere).focus()
  await elsewhere.keyboard.press('ArrowLeft')
  await expect.poll(async () => (await admin.call(getDashInfo, {})).client_tree_splitter).toBe(29)
})

test('below 900 px the tree is a drawer and the machine a page; below 600 px rows are cards', async ({
  admin,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  using _machines = await startMachines(admin, [{ hostname: 'alpha', token }])
  for (const width of [820, 390, 360]) {
    const page = await openConsole({ as: admin, viewport: { width, height: 844 } })
    await expect(treeLine(page, /Acme/)).toBeHidden()
    await page.getByRole('button', { name: 'All Clients' }).click()
    await treeLine(page, /Acme/).click()
    await expect(page).toHaveURL(/node=Client\|1/)
    await expect(treeLine(page, /Acme/)).toBeHidden()
    const row = page.getByRole('row', { name: /alpha/ })
    await expect(row).toContainText('online')
    await expect(row.getByText('online')).toBeInViewport({ ratio: 0.9 })
    await row.click()
    await expect(page).toHaveURL(/\/agents\//)
    await expect(page.getByRole('heading', { name: 'alpha', level: 1 })).toBeVisible()
    await page.getByRole('tab', { name: 'Audit' }).click()
    // Neither the page nor its content scrolls sideways.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await page.evaluate("document.querySelector('main').scrollWidth")).toBe(width)
  }
})
