import { listAgentValues } from '@muster/contract/api/agent-values'
import { listAgents } from '@muster/contract/api/agents'
import { type LatestMetrics, listLatestMetrics } from '@muster/contract/api/metrics'
import { getDashInfo } from '@muster/contract/api/system'
import { savePreferences } from '@muster/contract/api/users'
import { createView, deleteView, editView, listViews, type MachineView } from '@muster/contract/api/views'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { dashInfoQuery } from '../../app/api/queries.ts'
import { givenDashInfo } from '../../testing/test-console.tsx'
import { answer, refuse } from '../../testing/test-server.ts'
import { answerMachines, givenDashboard, MACHINES } from '../dashboard/test-dashboard.ts'

const grid = () => page.getByRole('grid', { name: 'Machines' })
const row = (name: string) => grid().getByText(name, { exact: true })
const title = (name: string) => grid().getByRole('columnheader', { name, exact: true })
const viewButton = (name: string) => page.getByRole('button', { name: `View: ${name}`, exact: true })
const item = (name: string) => page.getByRole('menuitem', { name })

const VIEW: MachineView = {
  id: 7,
  name: 'Front desks',
  shared: true,
  search: 'desk',
  sort: '-hostname',
  columns: [
    { id: 'hostname', width: null },
    { id: 'serial_number', width: null },
  ],
  username: 'ada',
  editable: true,
  modified: '2026-11-21T10:00:00.000Z',
}

test('a view in the address brings its search, columns and order', async () => {
  const { server, open } = await givenDashboard()
  server.on(listViews, () => answer(listViews, [VIEW]))
  const { at } = await open('/?view=7')
  await expect.element(row('bravo')).toBeVisible()
  await expect.element(row('alpha')).not.toBeInTheDocument()
  await expect.element(title('Serial number')).toBeVisible()
  await expect.element(title('Client')).not.toBeInTheDocument()
  await expect.element(title('Hostname')).toHaveAttribute('aria-sort', 'descending')
  await expect.element(viewButton('Front desks')).toBeVisible()
  // An empty search is a change of the view, and has an address of its own.
  await page.getByRole('textbox', { name: 'Search machines' }).fill('')
  await expect.element(row('alpha')).toBeVisible()
  await expect.poll(at).toBe('/?view=7&search=')
  server.on(editView, ({ body }) => answer(editView, { ...VIEW, ...Object(body) }))
  await viewButton('Front desks, modified').click()
  server.on(listViews, () => answer(listViews, [{ ...VIEW, search: '' }]))
  await item('Save changes').click()
  await expect.poll(at).toBe('/?view=7')
  expect(server.calls(editView).at(-1)?.body).toEqual({
    search: '',
    sort: '-hostname',
    columns: VIEW.columns,
    modified: VIEW.modified,
  })
  server.on(deleteView, () => answer(deleteView, null))
  await viewButton('Front desks').click()
  await item('Delete Front desks').click()
  server.on(listViews, () => answer(listViews, []))
  await page
    .getByRole('dialog', { name: 'Delete this view?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await expect.poll(at).toBe('/')
  await expect.element(viewButton('default')).toBeVisible()
})

test('the user chooses columns, and saves them with the search as a new view', async () => {
  const { server, open } = await givenDashboard()
  server.on(listViews, () => answer(listViews, []))
  const { at } = await open('/?search=desk')
  await page.getByRole('button', { name: 'Columns' }).click()
  const columns = page.getByRole('dialog', { name: 'Columns' })
  await columns.getByRole('checkbox', { name: 'Serial number' }).click()
  await expect.element(title('Serial number')).toBeVisible()
  await columns.getByRole('checkbox', { name: 'Site' }).click()
  await expect.element(title('Site')).not.toBeInTheDocument()
  const saved = () =>
    (server.calls(savePreferences).at(-1)?.body as { agent_columns: MachineView['columns'] } | undefined)
      ?.agent_columns ?? []
  const ids = () => saved().map(({ id }) => id)
  await expect.poll(() => [ids().at(-1), ids().includes('site')]).toEqual(['serial_number', false])
  await viewButton('default').click()
  await item('Save as new view').click()
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Desks')
  const made = { ...VIEW, id: 8, name: 'Desks', sort: '', columns: saved() }
  server.on(createView, () => answer(createView, made))
  server.on(listViews, () => answer(listViews, [made]))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.poll(at).toBe('/?view=8')
  expect(server.calls(createView)[0]?.body).toEqual({
    name: 'Desks',
    shared: false,
    search: 'desk',
    sort: '',
    columns: saved(),
  })
  await expect.element(viewButton('Desks')).toBeVisible()
})

test('columns are moved to the left and to the right', async () => {
  const { server, open } = await givenDashboard()
  await open()
  await expect.element(row('alpha')).toBeVisible()
  const titles = () =>
    [...grid().element().querySelectorAll('[role=columnheader]')].map(({ textContent }) => textContent)
  const saved = () =>
    (
      server.calls(savePreferences).at(-1)?.body as { agent_columns: MachineView['columns'] } | undefined
    )?.agent_columns.map(({ id }) => id) ?? []
  const before = titles()
  const site = before.indexOf('Site')
  expect(before.slice(site, site + 2)).toEqual(['Site', 'Hostname'])
  await page.getByRole('button', { name: 'Columns' }).click()
  const columns = page.getByRole('dialog', { name: 'Columns' })
  const press = (name: string) => columns.getByRole('button', { name, exact: true }).click()
  await press('Move Site right')
  await expect.poll(titles).toEqual(before.toSpliced(site, 2, 'Hostname', 'Site'))
  await expect.poll(() => saved().indexOf('site') - saved().indexOf('hostname')).toBe(1)
  await press('Move Hostname left')
  await press('Move Site left')
  await expect.poll(titles).toEqual(before.toSpliced(site - 1, 3, 'Hostname', 'Site', 'Client'))
  await expect.poll(() => saved().indexOf('client') - saved().indexOf('hostname')).toBe(2)
  const first = columns.getByRole('button', { name: /^Move .* left$/ }).first()
  await expect.element(first).toBeDisabled()
  await expect.element(columns.getByRole('button', { name: /^Move .* right$/ }).last()).toBeDisabled()
})

test('columns of values that the server lists by name are requested, sorted and saved only when they are chosen', async () => {
  const { server, open } = await givenDashboard()
  const [alpha, bravo] = MACHINES
  server.on(listAgentValues, ({ search }) =>
    answer(listAgentValues, [
      {
        agent_id: alpha!.agent_id,
        values: { time_zone: 'Europe/Zurich', ...(search.get('names')?.includes('load') && { load: 10.5 }) },
      },
      {
        agent_id: bravo!.agent_id,
        values: { time_zone: 'Asia/Tokyo', ...(search.get('names')?.includes('load') && { load: 9 }) },
      },
    ]),
  )
  const shown = () =>
    [...grid().element().querySelectorAll('[data-row]')].map((line) =>
      [...line.querySelectorAll('[role=gridcell]')].slice(-2).map(({ textContent }) => textContent),
    )
  await open()
  await expect.element(row('alpha')).toBeVisible()
  await page.getByRole('button', { name: 'Columns' }).click()
  const columns = page.getByRole('dialog', { name: 'Columns' })
  await expect.element(columns.getByRole('checkbox', { name: 'Missing patches' })).toBeVisible()
  expect(server.calls(listAgentValues)).toEqual([])
  await columns.getByRole('checkbox', { name: 'Time zone' }).click()
  await columns.getByRole('checkbox', { name: 'Load average' }).click()
  await title('Load average').getByRole('button').click()
  await expect.poll(shown).toEqual([
    ['', ''],
    ['9', 'Asia/Tokyo'],
    ['10.5', 'Europe/Zurich'],
  ])
  await title('Time zone').getByRole('button').click()
  await title('Time zone').getByRole('button').click()
  await expect.poll(shown).toEqual([
    ['10.5', 'Europe/Zurich'],
    ['9', 'Asia/Tokyo'],
    ['', ''],
  ])
  expect(server.calls(listAgentValues).at(-1)?.search.get('names')).toBe('load,time_zone')
  expect(server.calls(listLatestMetrics)).toEqual([])
  const saved = () =>
    (server.calls(savePreferences).at(-1)?.body as { agent_columns: MachineView['columns'] } | undefined)
      ?.agent_columns ?? []
  await expect
    .poll(() =>
      saved()
        .slice(-2)
        .map(({ id }) => id),
    )
    .toEqual(['value_load', 'value_time_zone'])
})

test("a chosen column is chosen at once, and stays so while an older answer about the user's settings comes", async () => {
  const { server, open } = await givenDashboard()
  const { queryClient } = await open()
  await page.getByRole('button', { name: 'Columns' }).click()
  const site = page.getByRole('dialog', { name: 'Columns' }).getByRole('checkbox', { name: 'Site' })
  const box = site.element() as HTMLInputElement
  let save = () => {}
  const saving = new Promise<void>((resolve) => (save = resolve))
  const before = givenDashInfo()
  server.on(getDashInfo, () => answer(getDashInfo, before))
  server.on(savePreferences, async () => {
    await saving
    return refuse('unavailable', 'The database does not respond.')
  })
  box.click()
  expect(box.checked).toBe(false)
  await expect.poll(() => server.calls(savePreferences).length).toBe(1)
  await queryClient.invalidateQueries(dashInfoQuery)
  await expect.element(title('Site')).not.toBeInTheDocument()
  expect(box.checked).toBe(false)
  save()
  await expect.element(page.getByText('The database does not respond.')).toBeVisible()
  await expect.poll(() => box.checked).toBe(true)
})

test('the menu of a title resets the width of its column, and hides it', async () => {
  const { server, open } = await givenDashboard()
  const columns = [
    { id: 'hostname', width: 300 },
    { id: 'serial_number', width: null },
  ]
  server.on(listViews, () => answer(listViews, [{ ...VIEW, columns }]))
  await open('/?view=7')
  const widthOf = (name: string) => (title(name).element() as HTMLElement).offsetWidth
  await expect.element(title('Hostname')).toBeVisible()
  expect(widthOf('Hostname')).toBe(300)
  const button = title('Hostname').getByRole('button').element() as HTMLElement
  button.focus()
  await userEvent.keyboard('{Shift>}{F10}{/Shift}')
  await item('Reset width').click()
  await expect.poll(() => widthOf('Hostname')).not.toBe(300)
  await expect.poll(() => document.activeElement).toBe(button)
  await title('Serial number').click({ button: 'right' })
  await item('Hide column').click()
  await expect.element(title('Serial number')).not.toBeInTheDocument()
})

test('processor load and memory in use are columns that sort, and are read only while shown', async () => {
  const { server, open } = await givenDashboard()
  const [alpha, bravo] = MACHINES
  const values: LatestMetrics[] = [
    { agent_id: alpha!.agent_id, cpu: 12.4, memory: 40 },
    { agent_id: bravo!.agent_id, cpu: 91.6, memory: null },
  ]
  server.on(listLatestMetrics, () => answer(listLatestMetrics, values))
  const shown = () =>
    [...grid().element().querySelectorAll('[data-row]')].map((line) =>
      [...line.querySelectorAll('[role=gridcell]')].slice(-2).map(({ textContent }) => textContent),
    )
  await open()
  await expect.element(row('alpha')).toBeVisible()
  expect(server.calls(listLatestMetrics)).toEqual([])
  await page.getByRole('button', { name: 'Columns' }).click()
  const columns = page.getByRole('dialog', { name: 'Columns' })
  await columns.getByRole('checkbox', { name: 'CPU load' }).click()
  await columns.getByRole('checkbox', { name: 'Memory in use' }).click()
  await title('CPU load').getByRole('button').click()
  await expect.poll(shown).toEqual([
    ['', ''],
    ['12 %', '40 %'],
    ['92 %', ''],
  ])
  await expect.element(title('CPU load')).toHaveAttribute('aria-sort', 'ascending')
  await title('CPU load').getByRole('button').click()
  await expect.poll(() => shown()[0]).toEqual(['92 %', ''])
})

test('the counts filter the table, and a second click shows all machines again', async () => {
  const { server, open } = await givenDashboard()
  const [alpha, bravo, charlie] = MACHINES
  const rows = [
    alpha!,
    { ...bravo!, status: 'overdue' as const, connected: false },
    { ...charlie!, connected: true },
  ]
  server.on(listAgents, (received) => answerMachines(received, rows))
  const { at } = await open()
  const counts = page.getByRole('group', { name: 'Machines that need attention' })
  await counts.getByRole('button', { name: '1 overdue' }).click()
  await expect.element(row('alpha')).not.toBeInTheDocument()
  await expect.poll(at).toBe('/?search=is:overdue')
  await counts.getByRole('button', { name: '1 reboot needed' }).click()
  await expect.poll(at).toBe('/?search=is:overdue+is:rebootneeded')
  await expect.element(page.getByText(/^No machines match/)).toBeVisible()
  await counts.getByRole('button', { name: '1 overdue' }).click()
  await expect.element(row('charlie')).toBeVisible()
  await counts.getByRole('button', { name: '1 reboot needed' }).click()
  await expect.poll(at).toBe('/')
})
