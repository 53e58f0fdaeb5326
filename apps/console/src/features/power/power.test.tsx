import { rebootAgent, shutdownAgent, wakeAgent } from '@muster/contract/api/power'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../app/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'

const row = (name: string) => page.getByRole('grid', { name: 'Machines' }).getByText(name, { exact: true })
const item = (name: RegExp) => page.getByRole('menuitem', { name })
const dialog = () => page.getByRole('dialog')

test('AMENU-15, Reboot now asks first, and says what the machine refused', async () => {
  const { server, open } = await givenDashboard()
  server.on(rebootAgent, () => refuse('agent_refused', 'alpha: The system refused: Access denied'))
  await open()
  await row('alpha').click({ button: 'right' })
  await item(/^Reboot now/).click()
  await expect.element(dialog()).toHaveAccessibleName('Reboot alpha?')
  await dialog().getByRole('button', { name: 'Reboot' }).click()
  await expect.element(dialog().getByText('alpha: The system refused: Access denied')).toBeVisible()
  server.on(rebootAgent, () => answer(rebootAgent, { answered: true }))
  await dialog().getByRole('button', { name: 'Reboot' }).click()
  await expect.element(page.getByText('alpha is restarting.')).toBeVisible()
  expect(server.calls(rebootAgent).at(-1)?.path).toBe('/agents/alpha0000000/reboot/')
})

test('AMENU-16, Shut down wants the name of the machine typed', async () => {
  const { server, open } = await givenDashboard()
  server.on(shutdownAgent, () => answer(shutdownAgent, { answered: false }))
  await open()
  await row('alpha').click({ button: 'right' })
  await item(/^Shut down/).click()
  const button = dialog().getByRole('button', { name: 'Shut down' })
  await expect.element(button).toBeDisabled()
  await dialog().getByRole('textbox', { name: 'Type alpha to go on' }).fill('alpha')
  await button.click()
  await expect
    .element(page.getByText('alpha went without an answer: most likely it is shutting down.'))
    .toBeVisible()
  expect(server.calls(shutdownAgent)).toHaveLength(1)
})

test('AMENU-14, Wake up says which machines sent the packet, and that one is awake', async () => {
  const { server, open } = await givenDashboard()
  server.on(wakeAgent, () => answer(wakeAgent, { sent_by: ['alpha', 'bravo'] }))
  await open()
  await row('alpha').click({ button: 'right' })
  await expect.element(item(/Wake up.*alpha is awake/)).toBeDisabled()
  await expect.element(item(/^Reboot now/)).toBeEnabled()
  await userEvent.keyboard('{Escape}')
  await row('charlie').click({ button: 'right' })
  await expect.element(item(/Reboot now.*charlie is not connected/)).toBeDisabled()
  await item(/^Wake up/).click()
  await expect
    .element(page.getByText('The wake-up packet for charlie was sent by alpha, bravo.'))
    .toBeVisible()
})

test('AMENU-14 to AMENU-16, who may not is told so', async () => {
  const permissions = ['can_list_agents', 'can_list_clients'] as const
  const { open } = await givenDashboard({ me: { is_superuser: false, permissions: [...permissions] } })
  await open()
  await row('alpha').click({ button: 'right' })
  for (const name of ['Wake up', 'Reboot now', 'Shut down'])
    await expect.element(item(new RegExp(`${name}.*Your role does not allow it`))).toBeDisabled()
})
