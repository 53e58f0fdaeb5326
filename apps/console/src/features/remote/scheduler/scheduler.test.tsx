import type { SystemTask } from '@muster/contract/agent/scheduler'
import { getAgent } from '@muster/contract/api/agents'
import { changeSystemTask, listSystemTasks } from '@muster/contract/api/scheduler'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../../dashboard/test-dashboard.ts'

const DEFRAG: SystemTask = {
  name: String.raw`\Microsoft\Windows\Defrag\ScheduledDefrag`,
  description: 'Optimizes drives',
  state: 'ready',
  can_change: true,
  schedule: 'every week on Sunday at 01:00',
  command: 'defrag.exe -c',
  username: 'SYSTEM',
  last_run: null,
  last_result: '',
  next_run: null,
}
const BACKUP: SystemTask = {
  ...DEFRAG,
  name: String.raw`\Backup`,
  state: 'disabled',
  can_change: false,
  last_run: '2026-11-24T02:00:00.000Z',
  last_result: 'failed (0x1)',
}

const grid = () => page.getByRole('grid', { name: 'System tasks' })
const row = (name: string) => grid().getByRole('row').filter({ hasText: name })
const dialog = () => page.getByRole('dialog')
const item = (name: RegExp) => page.getByRole('menuitem', { name })

async function openScheduler() {
  const given = await givenDashboard()
  given.server.on(listSystemTasks, () => answer(listSystemTasks, [DEFRAG, BACKUP]))
  given.server.on(getAgent, () => answer(getAgent, testDetail({ plat: 'windows' })))
  await given.open('/agents/alpha0000000?pane=scheduler')
  return given.server
}

test('system tasks are listed, searched by all words, and sorted by their next run', async () => {
  await openScheduler()
  await expect.element(row('ScheduledDefrag').getByText('every week on Sunday at 01:00')).toBeVisible()
  await expect.element(page.getByText('2 system tasks, 1 disabled')).toBeVisible()
  await expect.element(row('Backup').getByText('failed (0x1)')).toBeVisible()
  await page.getByRole('textbox', { name: 'Search system tasks' }).fill('windows DEFRAG ready')
  await expect.element(row('Backup')).not.toBeInTheDocument()
})

test('running asks first, names the command, and shows the error of the machine', async () => {
  const server = await openScheduler()
  server.on(changeSystemTask, () => refuse('agent_refused', 'alpha: Windows refused: Access is denied.'))
  await row('ScheduledDefrag').click()
  await userEvent.keyboard('{Enter}')
  await expect.element(dialog()).toHaveAccessibleName('Run ScheduledDefrag on alpha?')
  await expect.element(dialog().getByText('defrag.exe -c')).toBeVisible()
  await dialog().getByRole('button', { name: 'Run' }).click()
  await expect.element(dialog().getByText('alpha: Windows refused: Access is denied.')).toBeVisible()
  server.on(changeSystemTask, () => answer(changeSystemTask, { ...DEFRAG, state: 'running' }))
  await dialog().getByRole('button', { name: 'Run' }).click()
  await expect.element(page.getByText('ScheduledDefrag was started.')).toBeVisible()
  expect(server.calls(changeSystemTask).at(-1)?.body).toEqual({ name: DEFRAG.name, action: 'run' })
})

test('a task is disabled, and one that the system manages says so', async () => {
  const server = await openScheduler()
  server.on(changeSystemTask, () => answer(changeSystemTask, { ...DEFRAG, state: 'disabled' }))
  await row('ScheduledDefrag').click({ button: 'right' })
  await expect.element(item(/Enable.*Already enabled/)).toBeDisabled()
  await item(/^Disable/).click()
  await dialog().getByRole('button', { name: 'Disable' }).click()
  await expect.element(page.getByText('ScheduledDefrag is disabled.')).toBeVisible()
  expect(server.calls(changeSystemTask).at(-1)?.body).toEqual({ name: DEFRAG.name, action: 'disable' })
  await row('Backup').click({ button: 'right' })
  await expect.element(item(/Enable.*Managed by the system/)).toBeDisabled()
})

test('a Mac has no pane for a scheduler', async () => {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail({ plat: 'darwin' })))
  await open('/agents/alpha0000000?pane=summary')
  await expect.element(page.getByRole('tab', { name: 'Services' })).toBeVisible()
  await expect.element(page.getByRole('tab', { name: 'Scheduler' })).not.toBeInTheDocument()
})
