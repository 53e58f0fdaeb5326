import type { MachineService } from '@muster/contract/agent/services'
import { type AgentDetail, getAgent } from '@muster/contract/api/agents'
import { controlService, getServiceLog, listServices, setStartType } from '@muster/contract/api/services'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../../dashboard/test-dashboard.ts'

const SSH: MachineService = {
  name: 'ssh.service',
  display_name: 'ssh',
  description: 'OpenBSD Secure Shell server',
  status: 'running',
  detail: 'running',
  start_type: 'auto',
  autodelay: false,
  pid: 712,
  username: '',
  binpath: '/usr/sbin/sshd -D',
}
const BACKUP: MachineService = {
  ...SSH,
  name: 'backup.service',
  display_name: 'backup',
  description: 'Nightly',
  status: 'failed',
  pid: 0,
}

const grid = () => page.getByRole('grid', { name: 'Services' })
const row = (name: string) => grid().getByRole('row').filter({ hasText: name })
const dialog = () => page.getByRole('dialog')

async function openServices(more: Partial<AgentDetail> = {}) {
  const given = await givenDashboard()
  given.server.on(getAgent, () => answer(getAgent, testDetail(more)))
  given.server.on(listServices, () => answer(listServices, [SSH, BACKUP]))
  await given.open('/agents/alpha0000000?pane=services')
  return given.server
}

test('services are listed, searched by all words, and sorted by failures', async () => {
  await openServices()
  await expect.element(row('Secure Shell')).toBeVisible()
  await expect.element(page.getByText('2 services, 1 running')).toBeVisible()
  await grid().getByRole('button', { name: 'State' }).click()
  await expect.element(grid().getByRole('row').nth(1).getByText('backup')).toBeVisible()
  await page.getByRole('textbox', { name: 'Search services' }).fill('shell RUNNING')
  await expect.element(row('Nightly')).not.toBeInTheDocument()
  await expect.element(row('Secure Shell')).toBeVisible()
})

test('stopping asks first, names service and machine, and shows the error of the machine', async () => {
  const server = await openServices()
  server.on(controlService, () => refuse('agent_refused', 'alpha: systemd refused: Access denied'))
  await row('Secure Shell').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Stop' }).click()
  await expect.element(dialog()).toHaveAccessibleName('Stop ssh on alpha?')
  await dialog().getByRole('button', { name: 'Stop' }).click()
  await expect.element(dialog().getByText('alpha: systemd refused: Access denied')).toBeVisible()
  server.on(controlService, () => answer(controlService, { ...SSH, status: 'stopped' }))
  await dialog().getByRole('button', { name: 'Stop' }).click()
  await expect.element(page.getByText('ssh is stopped.')).toBeVisible()
  expect(server.calls(controlService).at(-1)?.body).toEqual({ sv_action: 'stop' })
})

test('its start is changed, and Enter reads its log', async () => {
  const server = await openServices()
  server.on(setStartType, () => answer(setStartType, { ...SSH, start_type: 'manual' }))
  server.on(getServiceLog, () => answer(getServiceLog, { lines: ['10:00 <b>one</b>', '10:01 two'] }))
  await row('Secure Shell').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Start type' }).click()
  await page.getByRole('combobox', { name: 'Start type' }).click()
  await page.getByRole('option', { name: 'Manual' }).click()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Start type of ssh changed.')).toBeVisible()
  expect(server.calls(setStartType)[0]?.body).toEqual({ startType: 'manual' })
  await row('Secure Shell').click()
  await userEvent.keyboard('{Enter}')
  await expect.element(dialog().getByText(/<b>one<.b>/)).toBeVisible()
})

test('a service of Windows has no log of its own: opening it shows its start type', async () => {
  await openServices({ plat: 'windows' })
  await row('Secure Shell').click({ button: 'right' })
  await expect.element(page.getByRole('menuitem', { name: /^Start type/ })).toBeVisible()
  await expect.element(page.getByRole('menuitem', { name: /^Log/ })).not.toBeInTheDocument()
  await userEvent.keyboard('{Escape}')
  await row('Secure Shell').dblClick()
  await expect.element(dialog()).toHaveAccessibleName('Start type of ssh on alpha')
})
