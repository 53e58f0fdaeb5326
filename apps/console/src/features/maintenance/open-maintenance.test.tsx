import { listAgents, setMaintenance } from '@muster/contract/api/agents'
import {
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  endMaintenanceWindow,
  listMaintenanceWindows,
  listOpenMaintenance,
  type OpenMaintenance,
} from '@muster/contract/api/maintenance'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame, testClient } from '../../testing/test-frame.ts'
import { answer } from '../../testing/test-server.ts'
import { testWindow } from './test-windows.ts'

beforeEach(async () => {
  await page.viewport(1280, 800)
  givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' })
})

// Notifications of one test would cover the buttons of the next.
afterEach(() => {
  for (const button of page.getByRole('button', { name: 'Dismiss' }).elements())
    (button as HTMLElement).click()
})

const OF_ACME: OpenMaintenance = {
  window_id: null,
  targets: [{ type: 'client', id: 1, name: 'Acme' }],
  agent_count: 57,
  since: '2026-11-21T10:00:00.000Z',
  reason: '',
  created_by: '',
}
const OF_WINDOW: OpenMaintenance = {
  window_id: 7,
  targets: [
    { type: 'site', id: 2, name: 'Borealis, Office' },
    { type: 'agent', id: 'abcdefgh12', name: 'web-01' },
  ],
  agent_count: 4,
  since: '2026-11-21T10:00:00.000Z',
  reason: 'New disks',
  created_by: 'ben',
}

interface Given {
  open?: OpenMaintenance[]
  permissions?: ('can_list_agents' | 'can_list_clients')[]
  takenOver?: number
}

function givenServer({ open = [], permissions, takenOver = 0 }: Given = {}) {
  const server = givenFrame({
    info: { open_maintenance: open.length > 0 },
    clients: [testClient(1, 'Acme', { 1: 'Berlin' }, 57)],
    ...(permissions === undefined ? {} : { me: { is_superuser: false, permissions } }),
  })
  let entries = open
  const end = () => {
    entries = []
  }
  server.on(listAgents, () => answer(listAgents, []))
  server.on(listMaintenanceWindows, () => answer(listMaintenanceWindows, []))
  server.on(listOpenMaintenance, () => answer(listOpenMaintenance, entries))
  server.on(createMaintenanceWindow, () =>
    answer(createMaintenanceWindow, { ...testWindow({ active: true }), taken_over: takenOver }),
  )
  server.on(deleteMaintenanceWindow, () => answer(deleteMaintenanceWindow, null))
  server.on(endMaintenanceWindow, () => {
    end()
    return answer(endMaintenanceWindow, testWindow())
  })
  server.on(setMaintenance, () => {
    end()
    return answer(setMaintenance, { changed: 57 })
  })
  return server
}

const banner = () => page.getByRole('status').filter({ hasText: 'Maintenance without end time' })

test('maintenance of a client opens the dialog, which demands an end or "no end time"', async () => {
  const server = givenServer()
  const { screen, at } = await openConsole('/')
  await screen.getByRole('treeitem', { name: /^Acme/ }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: /^Start or plan maintenance/ }).click()
  await expect.poll(at).toMatch(/dialog=maintenance&item=client-1/)
  expect(server.calls(setMaintenance)).toEqual([])
  const until = screen.getByLabelText('Until', { exact: true })
  await expect.element(until).toHaveValue(expect.stringMatching(/:35$/))
  await until.fill('')
  await expect.element(screen.getByRole('button', { name: 'Start maintenance' })).toBeDisabled()
  await screen.getByRole('checkbox', { name: 'No end time' }).click()
  await screen.getByRole('button', { name: 'Start maintenance' }).click()
  await expect.poll(() => server.calls(createMaintenanceWindow)).toHaveLength(1)
  expect(server.calls(createMaintenanceWindow)[0]?.body).toMatchObject({
    targets: [{ type: 'client', id: 1 }],
    schedule: { minutes: null },
  })
})

test('maintenance that was just started can be undone', async () => {
  const server = givenServer()
  const { screen } = await openConsole('/?dialog=maintenance&item=site-1')
  await screen.getByRole('button', { name: 'Start maintenance' }).click()
  await expect.element(screen.getByText('Maintenance of Acme, Berlin has started.')).toBeVisible()
  await screen.getByRole('button', { name: 'Undo' }).click()
  await expect.element(screen.getByText('Maintenance of Acme, Berlin cancelled.')).toBeVisible()
  expect(server.calls(deleteMaintenanceWindow).map(({ path }) => path)).toEqual(['/maintenance/7/'])
})

test('maintenance that took over machines without an end offers no Undo and names them', async () => {
  givenServer({ takenOver: 2 })
  const { screen } = await openConsole('/?dialog=maintenance&item=site-1')
  await screen.getByRole('button', { name: 'Start maintenance' }).click()
  await expect.element(screen.getByText('Also sets the end time of 2 machines without one.')).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Undo' })).not.toBeInTheDocument()
})

test('a banner names the client without an end, plans one, and ends it', async () => {
  const server = givenServer({ open: [OF_ACME] })
  const { at } = await openConsole('/')
  await expect.element(banner().getByText(/Acme \(57 machines\)/)).toBeVisible()
  await expect
    .element(banner().getByRole('link', { name: 'Acme' }))
    .toHaveAttribute('href', '/?node=Client|1')
  await banner().getByRole('button', { name: 'Set end time' }).click()
  await expect.poll(at).toMatch(/dialog=maintenance&item=client-1/)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await banner().getByRole('button', { name: 'End now' }).click()
  await expect.element(banner()).not.toBeInTheDocument()
  expect(server.calls(setMaintenance)[0]?.body).toEqual({ type: 'Client', id: 1, action: false })
})

test('several are named in the banner, and the dialog ends each', async () => {
  const server = givenServer({ open: [OF_WINDOW, OF_ACME] })
  const { screen, at } = await openConsole('/')
  for (const name of ['Borealis, Office', 'web-01', 'Acme']) {
    await expect.element(banner().getByRole('link', { name })).toBeVisible()
  }
  await banner().getByRole('button', { name: 'Show all' }).click()
  const list = screen.getByRole('list', { name: 'Maintenance without end time' })
  await expect.element(list.getByText(/4 machines, since .*, by ben: New disks/)).toBeVisible()
  await list.getByRole('button', { name: 'End now: Borealis, Office and 1 more' }).click()
  await expect
    .poll(() => server.calls(endMaintenanceWindow).map(({ path }) => path))
    .toEqual(['/maintenance/7/end/'])
  await expect.element(screen.getByText(/^All maintenance has an end time/)).toBeVisible()
  expect(at()).toMatch(/dialog=open-maintenance/)
})

test('a role that may only read sees the banner without buttons that change something', async () => {
  givenServer({ open: [OF_ACME], permissions: ['can_list_agents', 'can_list_clients'] })
  await openConsole('/')
  await expect.element(banner().getByText(/Acme \(57 machines\)/)).toBeVisible()
  await expect.element(banner().getByRole('button')).not.toBeInTheDocument()
})

test('without maintenance of that kind nothing is asked for', async () => {
  const server = givenServer()
  const { screen } = await openConsole('/')
  await expect.element(screen.getByRole('treeitem', { name: /^Acme/ })).toBeVisible()
  expect(server.calls(listOpenMaintenance)).toEqual([])
})
