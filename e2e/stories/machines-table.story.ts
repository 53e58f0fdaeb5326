import { listAgents } from '@muster/contract/api/agents'
import { sendCommand } from '@muster/contract/api/runs'
import { savePreferences } from '@muster/contract/api/users'
import type { Fleet } from '@muster/fake-agent/fleet'
import { expect, type Page } from '@playwright/test'
import { machineRow, machineTable, searchField, shownMachines } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { test } from '../support/story.ts'

/** Four machines that differ in what the search looks at; `delta` is off the network with a command waiting. */
async function startOffice(admin: Session): Promise<Fleet> {
  const acme = await addClient(admin, 'Acme')
  const server = await makeToken(admin, acme, { type: 'server' })
  const workstation = await makeToken(admin, acme, { type: 'workstation' })
  const fleet = await startMachines(admin, [
    {
      hostname: 'alpha',
      token: server,
      logged_in_user: 'ines',
      os_name: 'Debian GNU/Linux',
      serial_number: 'SN-77-X',
    },
    {
      hostname: 'Bravo',
      token: workstation,
      logged_in_user: 'ada',
      needs_reboot: true,
      os_name: 'Fedora Linux',
    },
    { hostname: 'charlie', token: workstation, logged_in_user: 'ines', os_name: 'Fedora Linux' },
    { hostname: 'delta', token: server, logged_in_user: 'zoe', os_name: 'Debian GNU/Linux' },
  ])
  const delta = fleet.machines[3]
  delta?.disconnect()
  const isConnected = async () => {
    const machines = await admin.call(listAgents, { query: {} })
    return machines.some((row) => row.hostname === 'delta' && 'connected' in row && row.connected)
  }
  await expect.poll(isConnected).toBe(false)
  await admin.call(sendCommand, {
    params: { agent_id: delta?.agentId ?? '' },
    body: { shell: 'sh', cmd: 'true', wait: false },
  })
  return fleet
}

const expectShown = (page: Page, ...names: string[]) => expect.poll(() => shownMachines(page)).toEqual(names)

test("tabs show servers, workstations or both; the usual one is the user's", async ({
  admin,
  openConsole,
}) => {
  using _machines = await startOffice(admin)
  const page = await openConsole({ as: admin })
  await expectShown(page, 'alpha', 'Bravo', 'charlie', 'delta')
  const asked: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    // The first rows are asked for apart, so that they come before a long list.
    if (url.pathname === '/agents/' && !url.searchParams.has('page')) asked.push(url.search)
  })
  await machineRow(page, 'alpha').click()
  await expect(page).toHaveURL(/agent=/)
  await page.getByRole('tab', { name: /Servers/ }).click()
  await expectShown(page, 'alpha', 'delta')
  await expect(page, 'switching clears the selected machine').toHaveURL('/?tab=server')
  await page.getByRole('tab', { name: /Workstations/ }).click()
  await expectShown(page, 'Bravo', 'charlie')
  await page.getByRole('tab', { name: /^All/ }).click()
  await expectShown(page, 'alpha', 'Bravo', 'charlie', 'delta')
  // The type is left out for both, before and after.
  expect(asked.filter((search) => search !== '')).toEqual([
    '?monitoring_type=server',
    '?monitoring_type=workstation',
  ])

  await admin.call(savePreferences, { body: { default_agent_tbl_tab: 'workstation' } })
  await page.goto('/')
  await expectShown(page, 'Bravo', 'charlie')
})

test('spec, GET /agents/: a page load requests its first rows once, without a type on the Mixed tab', async ({
  admin,
  openConsole,
}) => {
  using _machines = await startOffice(admin)
  const page = await openConsole({ as: admin })
  await expectShown(page, 'alpha', 'Bravo', 'charlie', 'delta')
  const firstRows: (string | null)[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/agents/' && searchParams.has('page'))
      firstRows.push(searchParams.get('monitoring_type'))
  })
  await page.reload()
  await expectShown(page, 'alpha', 'Bravo', 'charlie', 'delta')
  expect(firstRows).toEqual([null])

  // Chosen elsewhere: this browser learns of it once, and asks for it from the next load on.
  await admin.call(savePreferences, { body: { default_agent_tbl_tab: 'workstation' } })
  await page.reload()
  await expectShown(page, 'Bravo', 'charlie')
  firstRows.length = 0
  await page.reload()
  await expectShown(page, 'Bravo', 'charlie')
  expect(firstRows).toEqual(['workstation'])
})

test('the table is sorted worst first, and by any column, both ways, as the address says', async ({
  admin,
  openConsole,
}) => {
  using _machines = await startOffice(admin)
  const page = await openConsole({ as: admin })
  const title = (name: string) => machineTable(page).getByRole('columnheader', { name })
  await expectShown(page, 'alpha', 'Bravo', 'charlie', 'delta')
  await expect(title('Hostname')).toHaveAttribute('aria-sort', 'none')
  await title('Hostname').getByRole('button').click()
  await expect(page).toHaveURL('/?sort=hostname')
  await expect(title('Hostname')).toHaveAttribute('aria-sort', 'ascending')
  await title('Hostname').getByRole('button').click()
  await expect(page).toHaveURL('/?sort=-hostname')
  await expectShown(page, 'delta', 'charlie', 'Bravo', 'alpha')
  await title('User').getByRole('button').click()
  await expect(page).toHaveURL('/?sort=user')
  await expectShown(page, 'Bravo', 'alpha', 'charlie', 'delta')
  await title('Pending').getByRole('button').click()
  await title('Pending').getByRole('button').click()
  await expect(title('Pending')).toHaveAttribute('aria-sort', 'descending')
  await expect.poll(async () => (await shownMachines(page))[0]).toBe('delta')
  const again = await openConsole({ as: admin, path: '/?sort=-user' })
  // Where the users are the same, the names decide, upwards.
  await expectShown(again, 'delta', 'alpha', 'charlie', 'Bravo')
})

test('all words of a search count, in all fields, together with the is: words', async ({
  admin,
  openConsole,
}) => {
  using _machines = await startOffice(admin)
  const page = await openConsole({ as: admin })
  const cases: [string, string[]][] = [
    ['fedora', ['Bravo', 'charlie']],
    ['INES fedora', ['charlie']],
    ['sn-77', ['alpha']],
    ['acme server', ['alpha', 'delta']],
    ['is:rebootneeded', ['Bravo']],
    ['is:actionspending', ['delta']],
    ['is:away', ['delta']],
    ['is:online ines', ['alpha', 'charlie']],
    ['is:offline', []],
    ['is:overdue is:online is:rebootneeded', ['Bravo']],
    ['is:expired', []],
    ['is:checksfailing', []],
    ['os:fedora -name:bravo', ['charlie']],
    ['name:(alpha, DELTA) or ines', ['alpha', 'charlie', 'delta']],
    ['is:patchespending', []],
  ]
  for (const [text, names] of cases) {
    await searchField(page).fill(text)
    await expectShown(page, ...names)
  }
  await expect(page.getByText('No machines match “is:patchespending”.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).first().click()
  await expectShown(page, 'alpha', 'Bravo', 'charlie', 'delta')

  await test.step('the search is in the address', async () => {
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('checkbox', { name: /reboot/i }).check()
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect(page).toHaveURL('/?search=is:rebootneeded')
    await expectShown(page, 'Bravo')
    await page.reload()
    await expect(searchField(page)).toHaveValue('is:rebootneeded')
    await expectShown(page, 'Bravo')
  })
})

test('a row is selected by click or key, opened by Enter, and its menu by right click or key', async ({
  admin,
  openConsole,
}) => {
  using _machines = await startOffice(admin)
  const page = await openConsole({ as: admin })
  const chosen = (name: string) => expect(machineRow(page, name)).toHaveAttribute('aria-selected', 'true')
  await machineRow(page, 'Bravo').click()
  await chosen('Bravo')
  await expect(page.getByRole('heading', { name: 'Bravo' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await chosen('charlie')
  await expect(page.getByRole('heading', { name: 'charlie' })).toBeVisible()
  await page.keyboard.press('Home')
  await chosen('alpha')
  await page.keyboard.press('End')
  await chosen('delta')
  await machineRow(page, 'alpha').click({ button: 'right' })
  await chosen('alpha')
  const edit = page.getByRole('menuitem', { name: 'Edit alpha' })
  await expect(edit).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(edit).toBeHidden()
  await page.keyboard.press('Shift+F10')
  await expect(edit).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await expect(searchField(page)).toBeFocused()
  await page.keyboard.type('brav')
  await expectShown(page, 'Bravo')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await chosen('Bravo')
  await expect(page).toHaveURL(/(agent=\w+&search=brav|search=brav&agent=\w+)$/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/agents\/\w+/)
  await expect(page.getByRole('heading', { name: 'Bravo', level: 1 })).toBeVisible()
  await page.goBack()
  await expectShown(page, 'Bravo')
})

test("a double click runs the user's chosen action", async ({ admin, openConsole }) => {
  using _machines = await startOffice(admin)
  const page = await openConsole({ as: admin })
  await machineRow(page, 'alpha').dblclick()
  await expect(page.getByRole('dialog', { name: 'Edit alpha' })).toBeVisible()
  await page.keyboard.press('Escape')
  const tools = [
    ['takecontrol', /\/takecontrol\/\w+$/],
    ['remotebg', /\/remotebackground\/\w+/],
  ] as const
  for (const [action, address] of tools) {
    await admin.call(savePreferences, { body: { agent_dblclick_action: action } })
    await page.goto('/')
    await machineRow(page, 'alpha').dblclick()
    await expect(page).toHaveURL(address)
  }
  await admin.call(savePreferences, { body: { agent_dblclick_action: 'urlaction' } })
  await page.goto('/')
  await machineRow(page, 'alpha').dblclick()
  await expect(page.getByText('Choose the URL action of a double click in Preferences.')).toBeVisible()
})

test('rows are drawn as they come into view, and hundreds are walked to the last', async ({
  admin,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  const names = Array.from({ length: 300 }, (_, index) => `pc-${String(index).padStart(4, '0')}`)
  using _machines = await startMachines(
    admin,
    names.map((hostname) => ({ hostname, token })),
  )
  const page = await openConsole({ as: admin })
  await expect(machineRow(page, 'pc-0000')).toBeVisible()
  await expect(machineTable(page)).toHaveAttribute('aria-rowcount', '301')
  expect(await machineTable(page).getByRole('row').count()).toBeLessThan(60)
  await machineTable(page).focus()
  await page.keyboard.press('End')
  await expect(machineRow(page, 'pc-0299')).toBeInViewport()
  await expect(machineRow(page, 'pc-0299')).toHaveAttribute('aria-rowindex', '301')
  await page.keyboard.press('PageUp')
  await page.keyboard.press('Home')
  await expect(machineRow(page, 'pc-0000')).toBeInViewport()
})
