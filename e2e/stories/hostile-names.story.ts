import { editAgent } from '@muster/contract/api/agents'
import { createClient, createSite, listClients } from '@muster/contract/api/clients'
import { createNote } from '@muster/contract/api/notes'
import { expect, type Page } from '@playwright/test'
import { follow, machineTable, searchField, treeLine } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

const IMAGE = `<img src=x onerror="document.title='owned'">`
const LONG = 'n'.repeat(10_000)
// Whatever follows the mark reads from right to left, unless the console keeps it in its place.
const REVERSED = 'harmless‮gpj.exe'
const ARABIC = 'شركة النور'

async function expectHarmless(page: Page): Promise<void> {
  await expect(page).toHaveTitle(/Muster/)
  expect(await page.locator('img[src="x"]').count()).toBe(0)
}

test('a machine named <img onerror> is text on every screen that shows it', async ({
  admin,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  using fleet = await startMachines(admin, [
    {
      hostname: IMAGE,
      token,
      logged_in_user: IMAGE,
      os_name: IMAGE,
      serial_number: IMAGE,
      make: IMAGE,
      problems: [IMAGE],
    },
  ])
  const agent_id = fleet.machines[0]?.agentId ?? ''
  await admin.call(editAgent, { params: { agent_id }, body: { description: IMAGE } })
  await admin.call(createNote, { body: { agent_id, note: IMAGE } })
  const page = await openConsole({ as: admin, path: `/?agent=${agent_id}` })
  await expect(machineTable(page).getByRole('gridcell', { name: IMAGE }).first()).toBeVisible()
  await expect(page.getByRole('heading', { name: IMAGE })).toBeVisible()
  // The buttons take space from the tabs, which then scroll back to the selected one.
  await expect(page.getByRole('button', { name: 'Take control' })).toBeVisible()
  await expectHarmless(page)
  for (const pane of ['History', 'Notes', 'Audit', 'Summary']) {
    await page.getByRole('tab', { name: pane }).click()
    await expect(page.getByRole('tabpanel', { name: pane })).toBeVisible()
    await expectHarmless(page)
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Find a machine/ }).fill('onerror')
  await expect(page.getByRole('option', { name: `${IMAGE} Acme` })).toBeVisible()
  await expectHarmless(page)
  await follow(page, `/agents/${agent_id}`)
  await expect(page.getByRole('heading', { name: IMAGE, level: 1 })).toBeVisible()
  await expectHarmless(page)
})

test('a client named <img onerror> is text in tree, table, dialogs and messages', async ({
  admin,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin, path: '/?dialog=add-client' })
  const dialog = page.getByRole('dialog', { name: 'Add client' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill(IMAGE)
  await dialog.getByRole('textbox', { name: 'First site' }).fill(`${IMAGE} site`)
  await dialog.getByRole('button', { name: 'Add client', exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(treeLine(page, IMAGE).first()).toBeVisible()
  await treeLine(page, IMAGE).first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: `Edit ${IMAGE}` }).click()
  await expect(page.getByRole('dialog', { name: `Edit ${IMAGE}` })).toBeVisible()
  await expectHarmless(page)
})

test('a name from right to left stays in its place', async ({ admin, openConsole }) => {
  const client = await addClient(admin, ARABIC)
  await expect(addClient(admin, REVERSED)).rejects.toThrow(
    'Remove the invisible character U+202E after "harmless".',
  )
  const token = await makeToken(admin, client)
  using _machines = await startMachines(admin, [
    { hostname: REVERSED, token, logged_in_user: 'ines' },
    { hostname: 'plain', token, logged_in_user: 'ines' },
  ])
  const page = await openConsole({ as: admin })
  await expect(treeLine(page, new RegExp(ARABIC))).toBeVisible()
  const row = machineTable(page).getByRole('row', { name: /harmless/ })
  await expect(row).toContainText('ines')
  const plain = machineTable(page).getByRole('row', { name: /plain/ })
  const placeOf = async (line: typeof row) => (await line.getByText('ines').boundingBox())?.x
  expect(await placeOf(row)).toBe(await placeOf(plain))
  // The number of machines stays at the end of the line.
  const line = await treeLine(page, new RegExp(ARABIC)).boundingBox()
  const count = await treeLine(page, new RegExp(ARABIC)).getByText('2', { exact: true }).boundingBox()
  expect(count?.x ?? 0).toBeGreaterThan((line?.x ?? 0) + (line?.width ?? 0) / 2)
  await searchField(page).fill('harmless')
  await expect(row).toBeVisible()
  await expect(plain).toBeHidden()
})

test('a name that is too long, contains `|` or is taken is refused at the field', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(400), refusedWith(409))
  const client = await addClient(admin, 'Acme')
  const refused = { status: 400, code: 'invalid', message: expect.stringContaining('at most 255 characters') }
  await expect(
    admin.call(createClient, { body: { client: { name: LONG }, site: { name: 'Office' } } }),
  ).rejects.toMatchObject({ ...refused, fields: { 'client.name': ['A name has at most 255 characters.'] } })
  await expect(
    admin.call(createSite, { body: { site: { client: client.id, name: LONG } } }),
  ).rejects.toMatchObject(refused)
  expect(await admin.call(listClients, { query: {} })).toHaveLength(1)
  // The form does not take more than there is room for.
  const page = await openConsole({ as: admin, path: '/?dialog=add-client' })
  const dialog = page.getByRole('dialog', { name: 'Add client' })
  const field = (name: string) => dialog.getByRole('textbox', { name })
  await field('Name').fill(LONG)
  expect(await field('Name').inputValue()).toHaveLength(255)

  await field('Name').fill('Acme | Sons')
  await field('First site').fill('Site|2')
  await page.keyboard.press('Tab')
  for (const name of ['Name', 'First site'])
    await expect(field(name)).toHaveAccessibleDescription(/A name may not contain "\|"\./)
  const add = dialog.getByRole('button', { name: 'Add client', exact: true })
  await expect(add).toBeDisabled()

  await field('Name').fill('Acme')
  await field('First site').fill('Office')
  await add.click()
  await expect(dialog.getByText(/already/).first()).toBeVisible()
  await expect(field('Name')).toHaveValue('Acme')
  expect(await admin.call(listClients, { query: {} })).toHaveLength(1)
})

test('a machine that calls itself by 10,000 characters is cut, and breaks no line', async ({
  admin,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  using _machines = await startMachines(admin, [
    { hostname: LONG, token, logged_in_user: LONG, os_name: LONG },
  ])
  const page = await openConsole({ as: admin })
  const row = machineTable(page).getByRole('row', { name: /nnnn/ })
  await row.click()
  await expect(page.getByRole('heading', { name: 'n'.repeat(255), exact: true })).toBeVisible()
  expect((await row.boundingBox())?.height).toBe(32)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1440)
})

test('two tabs saving at once: the later one sees who changed what, and loses nothing', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(409))
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  using fleet = await startMachines(admin, [{ hostname: 'alpha', token }])
  const path = `/?dialog=edit-agent&item=${fleet.machines[0]?.agentId}`
  const [one, two] = [await openConsole({ as: admin, path }), await openConsole({ as: admin, path })]
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Edit alpha' })
  const description = (page: Page) => dialogOf(page).getByRole('textbox', { name: 'Description' })
  await description(one).fill('of the first')
  await description(two).fill('of the second')
  await Promise.all([one, two].map((page) => dialogOf(page).getByRole('button', { name: 'Save' }).click()))
  const warning = (page: Page) => dialogOf(page).getByText('Another user has changed this machine')
  await expect
    .poll(async () => [await warning(one).isVisible(), await warning(two).isVisible()].filter(Boolean).length)
    .toBe(1)
  const late = (await warning(one).isVisible()) ? one : two
  await expect(dialogOf(late)).toContainText('admin')
  const mine = late === one ? 'of the first' : 'of the second'
  await expect(description(late)).toHaveValue(mine)
  await dialogOf(late).getByRole('button', { name: 'Use the new values' }).click()
  await dialogOf(late).getByRole('button', { name: 'Save' }).click()
  await expect(dialogOf(late)).toBeHidden()
  for (const page of [one, two]) await expect(machineTable(page)).toContainText(mine)
})
