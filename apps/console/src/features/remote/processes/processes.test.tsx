import { getAgent } from '@muster/contract/api/agents'
import { endProcess, type LiveProcesses, setPriority, watchProcesses } from '@muster/contract/api/processes'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../../dashboard/test-dashboard.ts'
import { testLook, testProcess } from './test-processes.ts'

const ADDRESS = '/agents/alpha0000000?pane=processes'
const INIT = testProcess({
  pid: 1,
  parent_pid: 0,
  name: 'systemd',
  username: 'root',
  membytes: 9 * 1024 ** 2,
})
const SHELL = testProcess({ pid: 20, parent_pid: 1, name: 'bash', cpu_percent: 5 })
const SLEEP = testProcess({
  pid: 3,
  start: '77',
  parent_pid: 20,
  name: 'sleep',
  command: 'sleep 1000',
  cpu_percent: 1,
})

const grid = () => page.getByRole('grid', { name: 'Processes' })
const row = (name: string) => grid().getByRole('row').filter({ hasText: name })
const shownNames = () =>
  grid()
    .getByRole('row')
    .elements()
    .slice(1)
    .map((element) => element.querySelector('[role=gridcell]')?.textContent)

async function openProcesses(first: Partial<LiveProcesses> = {}) {
  const given = await givenDashboard()
  const { server } = given
  const looks: Partial<LiveProcesses>[] = [{ processes: [INIT, SHELL, SLEEP], ...first }]
  let sent = 0
  server.on(watchProcesses, () => {
    const look = looks.shift()
    sent += 1
    return answer(watchProcesses, testLook({ whole: sent === 1, next: `epoch.${sent}`, ...look }))
  })
  const opened = await given.open(ADDRESS)
  return { server, push: (look: Partial<LiveProcesses>) => void looks.push(look), ...opened }
}

test('processes are sorted, searched with all words, and stand as a tree', async () => {
  const { server } = await openProcesses()
  await expect.element(row('sleep')).toBeVisible()
  expect(shownNames()).toEqual(['bash', 'sleep', 'systemd'])
  await expect.element(page.getByText('CPU 12.5 %')).toBeVisible()
  await expect.element(page.getByText('Memory 4 GB of 16 GB')).toBeVisible()
  await grid().getByRole('button', { name: 'Memory' }).click()
  await expect.poll(shownNames).toEqual(['systemd', 'sleep', 'bash'])
  const search = page.getByRole('textbox', { name: 'Search processes' })
  await search.fill('sleep 1000 user:ada')
  await expect.poll(shownNames).toEqual(['sleep'])
  await search.fill('sleep root')
  await expect.element(page.getByText('No processes match the search.')).toBeVisible()
  await search.fill('')
  await page.getByRole('switch', { name: 'Tree' }).click({ force: true })
  await expect.poll(shownNames).toEqual(['systemd', 'bash', 'sleep'])
  await expect.poll(() => server.calls(watchProcesses).at(-1)?.search.get('after')).toMatch(/^epoch\.\d+$/)
})

test('rows keep their order during use, and go when their process has ended', async () => {
  const { push } = await openProcesses()
  await row('bash').click()
  await page.getByRole('textbox', { name: 'Search processes' }).hover()
  const added = testProcess({ pid: 4, name: 'new', cpu_percent: 99 })
  push({ processes: [{ ...SLEEP, cpu_percent: 80 }, added], gone: [1] })
  await expect.poll(shownNames).toEqual(['bash', 'sleep', 'new'])
  await expect.element(row('sleep').getByText('80.0 %')).toBeVisible()
  // The keyboard has the table since the click.
  await userEvent.keyboard('{Escape}')
  await expect.poll(shownNames).toEqual(['new', 'sleep', 'bash'])
})

test('ending asks first; a process that continues can be killed', async () => {
  const { server } = await openProcesses()
  const dialog = page.getByRole('dialog')
  await row('sleep').click()
  await userEvent.keyboard('{Enter}')
  await expect.element(dialog).toHaveAccessibleName('End sleep on alpha?')
  await expect.element(dialog.getByText(/Process 3 of ada/)).toBeVisible()
  server.on(endProcess, () => answer(endProcess, { ended: 0, left: [3] }))
  await dialog.getByRole('button', { name: 'End' }).click()
  await expect.element(dialog.getByText('sleep did not end. You can kill it.')).toBeVisible()
  server.on(endProcess, () => refuse('agent_refused', 'alpha: Process 3 has already ended.'))
  await dialog.getByRole('button', { name: 'Kill' }).click()
  await expect.element(dialog.getByText('alpha: Process 3 has already ended.')).toBeVisible()
  server.on(endProcess, () => answer(endProcess, { ended: 1, left: [] }))
  await dialog.getByRole('button', { name: 'Kill' }).click()
  await expect.element(page.getByText('sleep ended.')).toBeVisible()
  const asked = server
    .calls(endProcess)
    .map(({ path, search }) => [path, search.get('start'), search.get('force')])
  expect(asked).toEqual([
    ['/agents/alpha0000000/processes/3/', '77', 'false'],
    ['/agents/alpha0000000/processes/3/', '77', 'true'],
    ['/agents/alpha0000000/processes/3/', '77', 'true'],
  ])
})

test('the menu offers the tree and the priority', async () => {
  const { server } = await openProcesses()
  server.on(setPriority, () => answer(setPriority, { pid: 20, nice: 10 }))
  server.on(endProcess, () => answer(endProcess, { ended: 2, left: [] }))
  await row('bash').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Priority' }).click()
  await page.getByRole('combobox', { name: 'Priority' }).click()
  await page.getByRole('option', { name: 'Below normal (10)' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Priority of bash changed.')).toBeVisible()
  expect(server.calls(setPriority)[0]?.body).toEqual({ start: '1', nice: 10 })
  await row('bash').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Kill process tree' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Kill' }).click()
  await expect.element(page.getByText('bash and 1 more ended.')).toBeVisible()
  expect(server.calls(endProcess)[0]?.search.get('tree')).toBe('true')
})

test('nothing is requested while paused', async () => {
  const { server } = await openProcesses()
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect.element(page.getByText('Paused')).toBeVisible()
  const asked = server.calls(watchProcesses).length
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect.poll(() => server.calls(watchProcesses).length).toBeGreaterThan(asked)
})

test('offline machines, missing permissions and server errors have different states', async () => {
  const given = await givenDashboard()
  given.server.on(getAgent, () => answer(getAgent, testDetail({ connected: false })))
  const away = await given.open(ADDRESS)
  await expect.element(page.getByText('alpha is offline. Processes appear when it reconnects.')).toBeVisible()
  expect(given.server.calls(watchProcesses)).toEqual([])
  await away.screen.unmount()
  const poor = await givenDashboard({ me: { is_superuser: false, permissions: ['can_list_agents'] } })
  const forbidden = await poor.open(ADDRESS)
  await expect.element(page.getByText(/does not allow you to see the processes/)).toBeVisible()
  await forbidden.screen.unmount()
  const broken = await givenDashboard()
  broken.server.on(watchProcesses, () => refuse('unavailable', 'The server is starting.'))
  await broken.open(ADDRESS)
  await expect.element(page.getByText('The server is starting.').first()).toBeVisible()
})

test('the Remote Background window has the same list', async () => {
  const { server, open } = await givenDashboard()
  server.on(watchProcesses, () => answer(watchProcesses, testLook({ processes: [SLEEP] })))
  await open('/remotebackground/alpha0000000')
  await page.getByRole('tab', { name: 'Processes' }).click()
  await expect.element(row('sleep')).toBeVisible()
})
