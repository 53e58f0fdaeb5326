import { listAgents } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { getDashInfo } from '@muster/contract/api/system'
import { savePreferences } from '@muster/contract/api/users'
import { expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenDashInfo } from '../../testing/test-console.tsx'
import { answer, refuse } from '../../testing/test-server.ts'
import { answerMachines, CLIENTS, MACHINES, givenDashboard } from './test-dashboard.ts'

const grid = () => page.getByRole('grid', { name: 'Machines' })
const row = (name: string) => grid().getByText(name, { exact: true })
const line = (name: RegExp) => page.getByRole('treeitem', { name })

test('a selected node asks for its machines, clears the selected one, and is deselected by a second click', async () => {
  const { server, open } = await givenDashboard({ info: { clear_search_when_switching: true } })
  const { at } = await open('/?agent=alpha0000000&search=a')
  await line(/Acme/).click()
  await expect.poll(at).toBe('/?node=Client|1')
  const lists = () => server.calls(listAgents).map(({ search }) => search.toString())
  await expect.poll(lists).toContain('client=1')
  await line(/Munich/).click()
  await expect.poll(at).toBe('/?node=Site|2')
  await expect.poll(lists).toContain('site=2')
  await line(/Munich/).click()
  await expect.poll(at).toBe('/')
})

test('the search stays when another node is selected, where the user wants it so', async () => {
  const { open } = await givenDashboard({ info: { clear_search_when_switching: false } })
  const { at } = await open('/?search=alpha')
  await line(/Acme/).click()
  await expect.poll(at).toBe('/?search=alpha&node=Client|1')
})

test('the tabs say how many machines of each kind there are, and ask for one kind', async () => {
  const { server, open } = await givenDashboard()
  await open()
  await expect.element(page.getByRole('tab', { name: /Servers 1/ })).toBeVisible()
  await expect.element(page.getByRole('tab', { name: /Workstations 2/ })).toBeVisible()
  await expect.element(page.getByRole('tab', { name: /All 3/ })).toBeVisible()
  server.on(listAgents, (received) => answerMachines(received, MACHINES.slice(0, 1)))
  await page.getByRole('tab', { name: /Servers/ }).click()
  await expect.poll(() => server.calls(listAgents).at(-1)?.search.toString()).toBe('monitoring_type=server')
  await expect.element(page.getByRole('tab', { name: /Workstations 2/ })).toBeVisible()
})

test('the slash focuses the search, which filters while typing and is in the address', async () => {
  const { open } = await givenDashboard()
  const { at } = await open()
  await expect.element(row('alpha')).toBeVisible()
  await userEvent.keyboard('/')
  await expect.element(page.getByRole('textbox', { name: 'Search machines' })).toHaveFocus()
  await userEvent.keyboard('desk')
  await expect.element(row('bravo')).toBeVisible()
  await expect.element(row('alpha')).not.toBeInTheDocument()
  await expect.element(page.getByText(/^1 of 3 · \d+ ms$/)).toBeVisible()
  await expect.poll(at).toBe('/?search=desk')
  await userEvent.keyboard('{Escape}')
  await expect.element(row('alpha')).toBeVisible()
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(grid()).toHaveFocus()
})

test('an empty dashboard shows the next step; a search without matches can be cleared', async () => {
  const { server, open } = await givenDashboard()
  server.on(listAgents, (received) => answerMachines(received, []))
  const { at } = await open('/?node=Site|3')
  await expect.element(page.getByText(/No machines in Office yet/)).toBeVisible()
  await page.getByRole('button', { name: 'Install agent' }).click()
  await expect.poll(at).toContain('dialog=install-agent&item=Site|3')
})

test('the first rows are there before the whole list, which is not counted until it is', async () => {
  const { server, open } = await givenDashboard()
  const whole = Promise.withResolvers<Response>()
  server.on(listAgents, (received) =>
    received.search.has('page') ? answerMachines(received, MACHINES.slice(0, 2)) : whole.promise,
  )
  await open()
  await expect.element(row('bravo')).toBeVisible()
  const servers = () => page.getByRole('tab', { name: /Servers/ }).element().textContent
  expect(servers()).toBe('Servers')
  expect(page.getByRole('tabpanel').element().getAttribute('aria-busy')).toBe('true')
  whole.resolve(answer(listAgents, MACHINES))
  await expect.element(row('charlie')).toBeVisible()
  expect(servers()).toBe('Servers 1')
  expect(page.getByRole('tabpanel').element().getAttribute('aria-busy')).toBe('false')
})

test('the arrow down in the search reaches a table that is still loading', async () => {
  const { server, open } = await givenDashboard()
  const whole = Promise.withResolvers<Response>()
  server.on(listAgents, (received) =>
    received.search.has('page') ? answerMachines(received, MACHINES.slice(0, 2)) : whole.promise,
  )
  await open()
  await expect.element(row('bravo')).toBeVisible()
  await userEvent.keyboard('/')
  await userEvent.keyboard('desk')
  await expect.element(grid()).not.toBeInTheDocument()
  await userEvent.keyboard('{ArrowDown}')
  whole.resolve(answer(listAgents, MACHINES))
  await expect.element(grid()).toHaveFocus()
})

test('with a search or another order the first rows are not asked for', async () => {
  const { server, open } = await givenDashboard()
  await open('/?search=bravo&sort=-status')
  await expect.element(row('bravo')).toBeVisible()
  expect(server.calls(listAgents).filter(({ search }) => search.has('page'))).toEqual([])
})

test('spec, failed agents load: logged once; a 403 is not', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => logged.mockRestore())
  const { server, open } = await givenDashboard()
  server.on(listAgents, () => refuse('invalid', 'The list cannot be made.'))
  const { screen } = await open()
  await expect.element(page.getByText('The list cannot be made.')).toBeVisible()
  expect(logged.mock.calls).toEqual([['Failed to load agents: The list cannot be made.']])
  await screen.unmount()
  server.on(listAgents, () => refuse('not_allowed', 'no'))
  await open()
  await expect.element(page.getByText(/Your role does not allow you to see machines/)).toBeVisible()
  expect(logged).toHaveBeenCalledTimes(1)
})

test('spec, loading: the agents table is busy while Refresh fetches, and keeps its rows', async () => {
  const { server, open } = await givenDashboard()
  await open()
  await expect.element(row('bravo')).toBeVisible()
  const panel = page.getByRole('tabpanel').element()
  await expect.poll(() => panel.getAttribute('aria-busy')).toBe('false')
  const again = Promise.withResolvers<Response>()
  server.on(listAgents, () => again.promise)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect.poll(() => panel.getAttribute('aria-busy')).toBe('true')
  await expect.element(row('bravo')).toBeVisible()
  again.resolve(answer(listAgents, MACHINES.slice(0, 1)))
  await expect.element(row('bravo')).not.toBeInTheDocument()
  await expect.poll(() => panel.getAttribute('aria-busy')).toBe('false')
})

test('spec, failed agents load: after Refresh it is logged once, without a toast; the rows stay with Try again', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => logged.mockRestore())
  const { server, open } = await givenDashboard()
  await open()
  await expect.element(row('bravo')).toBeVisible()
  const panel = page.getByRole('tabpanel')
  await expect.element(panel).toHaveAttribute('aria-busy', 'false')
  server.on(listAgents, () => refuse('unavailable', 'The database does not respond.'))
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect.element(panel.getByText('The database does not respond.')).toBeVisible()
  await expect.element(row('bravo')).toBeVisible()
  expect(page.getByText('The database does not respond.').elements()).toHaveLength(1)
  expect(logged.mock.calls).toEqual([['Failed to load agents: The database does not respond.']])
  server.on(listAgents, (received) => answerMachines(received, MACHINES))
  await panel.getByRole('button', { name: 'Try again' }).click()
  await expect.element(panel.getByText('The database does not respond.')).not.toBeInTheDocument()
})

test('a failed list says so and is asked for again; a refused one names the role', async () => {
  const { server, open } = await givenDashboard()
  server.on(listAgents, () => refuse('invalid', 'The list cannot be made.'))
  await open()
  await expect.element(page.getByText('The list cannot be made.')).toBeVisible()
  server.on(listAgents, (received) => answerMachines(received, MACHINES))
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.element(row('alpha')).toBeVisible()
})

test('a role without permission sees the refusals in place', async () => {
  const { server, open } = await givenDashboard()
  server.on(listAgents, () => refuse('not_allowed', 'no'))
  server.on(listClients, () => refuse('not_allowed', 'no'))
  await open()
  await expect.element(page.getByText('Your role does not allow you to see machines.')).toBeVisible()
  await expect.element(page.getByText('Your role does not allow you to see clients.')).toBeVisible()
})

test('a tree that cannot be loaded is ready, and can be asked for again', async () => {
  const { server, open } = await givenDashboard()
  server.on(listClients, () => refuse('invalid', 'No clients today.'))
  await open()
  const tree = page.getByRole('navigation', { name: 'Clients and sites' })
  await expect.element(tree.getByText('No clients today.')).toBeVisible()
  expect(tree.element().querySelector('[aria-busy=true]')).toBeNull()
  server.on(listClients, () => answer(listClients, CLIENTS))
  await tree.getByRole('button', { name: 'Try again' }).click()
  await expect.element(line(/Acme/)).toBeVisible()
})

test('the menu of a machine says why something cannot be done', async () => {
  const permissions = ['can_list_agents', 'can_list_clients', 'can_edit_agent'] as const
  const { open } = await givenDashboard({ me: { is_superuser: false, permissions: [...permissions] } })
  const { at } = await open()
  await row('charlie').click({ button: 'right' })
  const item = (name: RegExp) => page.getByRole('menuitem', { name })
  await expect.element(item(/Send command.*Your role does not allow this/)).toBeDisabled()
  await item(/^Manage$/).click()
  await expect.element(item(/Refresh inventory.*charlie is offline/)).toBeDisabled()
  await userEvent.keyboard('{Escape}{Escape}')
  await row('charlie').click({ button: 'right' })
  await item(/Edit charlie/).click()
  await expect.poll(at).toContain('dialog=edit-agent&item=charlie00000')
})

test('the width of the tree is saved as a whole percent, its order at once', async () => {
  const { server, open } = await givenDashboard()
  await open()
  const splitter = page.getByRole('separator', { name: 'Width of the client tree' })
  await expect.element(splitter).toHaveAttribute('aria-valuenow', '20')
  splitter.element().focus()
  await userEvent.keyboard('{ArrowRight}')
  await expect.poll(() => server.calls(savePreferences).at(-1)?.body).toEqual({ client_tree_splitter: 21 })
  await page.getByRole('button', { name: 'Failing first' }).click()
  await expect.poll(() => server.calls(savePreferences).at(-1)?.body).toEqual({ client_tree_sort: 'alpha' })
  await expect
    .element(page.getByRole('button', { name: 'Failing first' }))
    .toHaveAttribute('aria-pressed', 'false')
})

test('in a narrow window the tree is a drawer and a machine opens as a page', async () => {
  const { open } = await givenDashboard()
  await page.viewport(600, 900)
  const { at } = await open()
  await page.getByRole('button', { name: 'All Clients' }).click()
  await line(/Acme/).click()
  await expect.poll(at).toBe('/?node=Client|1')
  await row('alpha').click()
  await expect.poll(at).toBe('/agents/alpha0000000')
  await expect.element(page.getByRole('heading', { name: 'alpha', level: 1 })).toBeVisible()
})

const bar = () => page.getByRole('toolbar', { name: 'Selected machines' })
const expectBar = (text: RegExp) => expect.poll(() => bar().element().textContent).toMatch(text)
const box = (name: string) => page.getByRole('checkbox', { name, exact: true })

test('checked machines stay checked in a search, in maintenance and in another order; another tab clears them', async () => {
  const { open } = await givenDashboard()
  const { at } = await open()
  await expect.element(row('alpha')).toBeVisible()
  await expect.element(bar()).not.toBeInTheDocument()
  await box('Select alpha').click()
  await expectBar(/^1 selected/)
  await page.getByRole('textbox', { name: 'Search machines' }).fill('desk')
  await expectBar(/^1 selected · 1 outside this search/)
  await bar().getByRole('button', { name: 'Select all 1 that match' }).click()
  await expectBar(/^2 selected/)
  await page.getByRole('textbox', { name: 'Search machines' }).fill('')
  await page.getByRole('columnheader', { name: 'Client' }).getByRole('button').click()
  await expect.element(box('Select alpha')).toBeChecked()
  await expect.element(box('Select charlie')).not.toBeChecked()
  await bar().getByRole('button', { name: 'Maintenance' }).click()
  await expect.poll(at).toContain('dialog=maintenance&item=checked')
  await expect.element(page.getByRole('dialog').getByText('bravo')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await page.getByRole('tab', { name: /Servers/ }).click()
  await expect.element(page.getByText('Selection of 2 machines cleared.')).toBeVisible()
  await expect.element(bar()).not.toBeInTheDocument()
})

test('a second line in their rows distinguishes machines with equal names', async () => {
  const { server, open } = await givenDashboard()
  const [alpha, bravo, charlie] = MACHINES
  const twins = [
    { ...alpha!, hostname: 'kiosk', client_name: 'Acme' },
    { ...bravo!, hostname: 'KIOSK', client_name: 'Borealis' },
    charlie!,
  ]
  server.on(listAgents, (received) => answerMachines(received, twins))
  await open()
  await expect.element(row('charlie')).toBeVisible()
  for (const client of ['Acme', 'Borealis']) {
    const cell = page.getByRole('gridcell').filter({ hasText: new RegExp(`^kiosk ?${client}$`, 'i') })
    await expect.element(cell).toBeVisible()
    const [name, mark] = [...cell.element().querySelectorAll('span > span')]
    expect([name?.textContent.toLowerCase(), mark?.textContent]).toEqual(['kiosk', client])
    const [above, below] = [name!.getBoundingClientRect(), mark!.getBoundingClientRect()]
    expect(below.top).toBeGreaterThanOrEqual(above.bottom)
    const around = cell.element().getBoundingClientRect()
    expect([above.top >= around.top, below.bottom <= around.bottom]).toEqual([true, true])
  }
})

test('a deleted machine is not checked any more', async () => {
  const { server, open } = await givenDashboard()
  await open()
  await box('Select all listed machines').click()
  await expectBar(/^3 selected/)
  server.on(listAgents, (received) => answerMachines(received, MACHINES.slice(1)))
  await page.getByRole('button', { name: /Refresh/ }).click()
  await expectBar(/^2 selected/)
  await bar().getByRole('button', { name: 'Clear selection' }).click()
  await expect.element(bar()).not.toBeInTheDocument()
})

test('a double click asks again for preferences that failed to load, and runs the chosen action', async () => {
  const { server, open } = await givenDashboard()
  server.on(getDashInfo, () => refuse('internal', 'Something went wrong on the server.'))
  const { at } = await open()
  await expect.element(row('alpha')).toBeVisible()
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo({ dbl_click_action: 'remotebg' })))
  await row('alpha').dblClick()
  await expect.poll(at).toContain('/remotebackground/alpha')
})
