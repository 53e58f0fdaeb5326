import { listAgents } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { getDashInfo, getVersion } from '@muster/contract/api/system'
import {
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  editMaintenanceWindow,
  endMaintenanceWindow,
  listMaintenanceWindows,
  type MaintenanceWindow,
} from '@muster/contract/api/maintenance'
import { type Me, getMe } from '@muster/contract/api/users'
import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenDashInfo, givenMe, givenSession, openConsole } from '../../testing/test-console.tsx'
import { answer, fakeServer, refuse } from '../../testing/test-server.ts'
import { testWindow } from './test-windows.ts'

beforeEach(() => givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' }))

const QUIET = {
  agent_count: 3,
  maintenance_mode: false,
  maintenance_count: 0,
  failing_checks: { error: false, warning: false },
  block_policy_inheritance: false,
  custom_fields: [],
  tags: [],
  alert_template: null,
  server_policy: null,
  workstation_policy: null,
}

function givenServer(windows: MaintenanceWindow[], me: Partial<Me> = {}) {
  const server = fakeServer()
  const site = { id: 1, name: 'Berlin', client: 1, client_name: 'Acme', ...QUIET }
  const bodies: unknown[] = []
  server.on(getMe, () => answer(getMe, givenMe(me)))
  server.on(getVersion, () => answer(getVersion, '0.1.0'))
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo()))
  server.on(listClients, () => answer(listClients, [{ id: 1, name: 'Acme', sites: [site], ...QUIET }]))
  server.on(listAgents, () => answer(listAgents, []))
  server.on(listMaintenanceWindows, () => answer(listMaintenanceWindows, windows))
  const keep = ({ body }: { body: unknown }) => {
    bodies.push(body)
    return answer(createMaintenanceWindow, { ...testWindow(), taken_over: 0 })
  }
  server.on(createMaintenanceWindow, keep)
  server.on(editMaintenanceWindow, keep)
  server.on(endMaintenanceWindow, keep)
  server.on(deleteMaintenanceWindow, () => answer(deleteMaintenanceWindow, null))
  return { server, bodies }
}

test('on now until the next reminder is two keys away', async () => {
  const { bodies } = givenServer([])
  const { screen, at } = await openConsole('/?dialog=maintenance&item=site-1')
  await expect.element(screen.getByText(/Starts now, ends/)).toBeVisible()
  await expect
    .element(screen.getByLabelText('Until', { exact: true }))
    .toHaveValue(expect.stringMatching(/:35$/))
  await screen.getByRole('button', { name: 'Start maintenance' }).click()
  await expect.poll(at).not.toMatch(/dialog/)
  expect(bodies).toEqual([
    {
      reason: '',
      targets: [{ type: 'site', id: 1 }],
      schedule: expect.objectContaining({ recurs: 'once', minutes: expect.any(Number) }),
    },
  ])
})

test('a recurring window shows its preview; errors are shown at their fields', async () => {
  const { bodies } = givenServer([testWindow()])
  const { screen } = await openConsole('/?dialog=edit-maintenance&item=7')
  await expect.element(screen.getByText('Every Sunday at 02:00 for 2 hours (Europe/Zurich)')).toBeVisible()
  const times = screen.getByRole('list', { name: 'Next times' })
  await expect.poll(() => times.getByRole('listitem').elements().length).toBe(3)
  await screen.getByRole('checkbox', { name: 'Sunday' }).click()
  await expect.element(screen.getByText('Choose at least one day of the week.')).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Save' })).toBeDisabled()
  await screen.getByRole('checkbox', { name: 'Monday' }).click()
  await expect.element(screen.getByText(/^Every Monday at 02:00/)).toBeVisible()
  await screen.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => bodies).toHaveLength(1)
  expect(bodies[0]).toMatchObject({ modified: '2026-11-21T10:00:00.000Z', schedule: { weekdays: [1] } })
})

test('an error of the server is shown, and the form keeps its values', async () => {
  const { server } = givenServer([])
  server.on(createMaintenanceWindow, () =>
    refuse('not_found', 'This site does not exist, or you may not see it.'),
  )
  const { screen } = await openConsole('/?dialog=maintenance&item=site-1')
  await screen.getByLabelText('Reason').fill('Roof')
  await screen.getByRole('button', { name: 'Start maintenance' }).click()
  await expect.element(screen.getByText(/This site does not exist/)).toBeVisible()
  await expect.element(screen.getByLabelText('Reason')).toHaveValue('Roof')
})

test('the list shows active windows, and ends one by the keyboard', async () => {
  const { bodies } = givenServer([testWindow({ active: true, active_until: '2099-11-22T03:00:00.000Z' })])
  const { screen } = await openConsole('/maintenance')
  await expect.element(screen.getByText('1 of 1 active')).toBeVisible()
  await expect.element(screen.getByText(/^Active until Nov-22-2099/)).toBeVisible()
  await userEvent.keyboard('{ArrowDown}{Shift>}{F10}{/Shift}')
  const end = page.getByRole('menuitem', { name: /^End now/ })
  await expect.element(end).toBeVisible()
  // The pointer rests where an earlier test left it, and may hold a toast there.
  ;(end.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => bodies).toHaveLength(1)
})

test('the search finds windows by target, schedule, reason and user, and is in the address', async () => {
  givenServer([
    testWindow({ id: 1, reason: 'New disks', targets: [{ type: 'client', id: 1, name: 'Acme' }] }),
    testWindow({ id: 2, reason: 'Roof', targets: [{ type: 'site', id: 2, name: 'Oslo' }] }),
  ])
  const { screen, at } = await openConsole('/maintenance?find=oslo')
  await expect.element(screen.getByRole('row', { name: /Oslo/ })).toBeVisible()
  await expect.element(screen.getByRole('row', { name: /Acme/ })).not.toBeInTheDocument()
  const search = screen.getByRole('textbox', { name: 'Search maintenance windows' })
  await search.fill('sunday new')
  await expect.element(screen.getByRole('row', { name: /Acme/ })).toBeVisible()
  await expect.poll(at).toBe('/maintenance?find=sunday+new')
  await search.fill('nothing')
  await expect.element(screen.getByText('No maintenance windows match the search.')).toBeVisible()
  await search.fill('')
  await expect.element(screen.getByRole('row', { name: /Oslo/ })).toBeVisible()
})

test('an empty list offers to plan; a read-only role has no buttons', async () => {
  givenServer([])
  const { screen } = await openConsole('/maintenance')
  await expect.element(screen.getByText(/No maintenance planned/)).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Plan first maintenance' })).toBeVisible()
})

test('a role that may only read sees the list without buttons, and no dialog', async () => {
  givenServer([], { is_superuser: false, permissions: ['can_list_agents', 'can_list_clients'] })
  const { screen, router } = await openConsole('/maintenance')
  await expect.element(screen.getByText(/No maintenance planned/)).toBeVisible()
  await expect.element(screen.getByRole('button', { name: /^Plan/ })).not.toBeInTheDocument()
  await router.navigate({ to: '/', search: { dialog: 'maintenance', item: 'site-1' } })
  await expect.element(screen.getByText('Your role does not allow this action.')).toBeVisible()
})

test('a window that is gone is said to be', async () => {
  givenServer([])
  const { screen } = await openConsole('/?dialog=edit-maintenance&item=99')
  await expect.element(screen.getByText(/Maintenance window not found/)).toBeVisible()
})
