import { getAgent } from '@muster/contract/api/agents'
import {
  cancelPendingAction,
  listAgentPendingActions,
  listPendingActions,
  type PendingAction,
} from '@muster/contract/api/pending-actions'
import {
  lockScreen,
  planReboot,
  rebootAgent,
  shutdownAgent,
  signOutUser,
  wakeAgent,
} from '@muster/contract/api/power'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'

const row = (name: string) => page.getByRole('grid', { name: 'Machines' }).getByText(name, { exact: true })
const item = (name: RegExp) => page.getByRole('menuitem', { name })
const dialog = () => page.getByRole('dialog')

test('Reboot now asks first, and shows the error of the machine', async () => {
  const { server, open } = await givenDashboard()
  server.on(rebootAgent, () => refuse('agent_refused', 'alpha: The system refused: Access denied'))
  await open()
  await row('alpha').click({ button: 'right' })
  await item(/^Power$/).click()
  await item(/^Reboot now/).click()
  await expect.element(dialog()).toHaveAccessibleName('Reboot alpha?')
  await dialog().getByRole('button', { name: 'Reboot' }).click()
  await expect.element(dialog().getByText('alpha: The system refused: Access denied')).toBeVisible()
  server.on(rebootAgent, () => answer(rebootAgent, { answered: true, planned: null }))
  await dialog().getByRole('button', { name: 'Reboot' }).click()
  await expect.element(page.getByText('alpha is restarting.')).toBeVisible()
  expect(server.calls(rebootAgent).at(-1)?.path).toBe('/agents/alpha0000000/reboot/')
})

test('a warning is planned with a message, a time and leave to postpone, or it is done at once', async () => {
  const { server, open } = await givenDashboard()
  server.on(signOutUser, () =>
    answer(signOutUser, { answered: true, planned: { ...PLANNED, action_type: 'schedsignout' } }),
  )
  const { at } = await open('/?dialog=sign-out&item=alpha0000000')
  await expect.element(dialog()).toHaveAccessibleName('Sign out the user of alpha?')
  await dialog().getByRole('textbox', { name: 'Message to the user' }).fill(' Please save. ')
  const minutes = dialog().getByRole('textbox', { name: 'Warning time' })
  await expect.element(minutes).toHaveValue('5 min')
  await minutes.fill('0')
  await expect.element(dialog().getByText('Enter 1 to 1440 minutes.')).toBeVisible()
  const button = dialog().getByRole('button', { name: 'Sign out user' })
  await expect.element(button).toBeDisabled()
  await minutes.fill('20')
  await dialog()
    .getByRole('checkbox', { name: /^The user may postpone it/ })
    .click()
  await button.click()
  await expect.poll(at).toBe('/')
  await expect.element(page.getByText(/^alpha signs its user out at /)).toBeVisible()
  expect(server.calls(signOutUser)[0]?.body).toEqual({
    message: 'Please save.',
    delay_minutes: 20,
    may_postpone: false,
  })
  await open('/?dialog=sign-out&item=alpha0000000')
  await dialog().getByRole('checkbox', { name: 'At once, without a warning' }).click()
  await expect.element(dialog().getByRole('textbox', { name: 'Message to the user' })).toBeDisabled()
  await dialog().getByRole('button', { name: 'Sign out user' }).click()
  await expect.poll(() => server.calls(signOutUser)[1]?.body).toEqual({ now: true })
})

test('Lock screen locks it without a question', async () => {
  const { server, open } = await givenDashboard()
  server.on(lockScreen, () => answer(lockScreen, { answered: true }))
  await open()
  await row('alpha').click({ button: 'right' })
  await item(/^Power$/).click()
  await item(/^Lock screen/).click()
  await expect.element(page.getByText('Screen of alpha locked.')).toBeVisible()
})

test('Shut down requires the typed name of the machine', async () => {
  const { server, open } = await givenDashboard()
  server.on(shutdownAgent, () => answer(shutdownAgent, { answered: false, planned: null }))
  await open()
  await row('alpha').click({ button: 'right' })
  await item(/^Power$/).click()
  await item(/^Shut down/).click()
  const button = dialog().getByRole('button', { name: 'Shut down' })
  await expect.element(button).toBeDisabled()
  await dialog().getByRole('textbox', { name: 'Type "alpha" to confirm' }).fill('alpha')
  await button.click()
  await expect.element(page.getByText('No response from alpha. Probably it is shutting down.')).toBeVisible()
  expect(server.calls(shutdownAgent)).toHaveLength(1)
})

test('Wake up says which machines sent the packet, and that one is awake', async () => {
  const { server, open } = await givenDashboard()
  server.on(wakeAgent, () => answer(wakeAgent, { sent_by: ['alpha', 'bravo'] }))
  await open()
  await row('alpha').click({ button: 'right' })
  await item(/^Power$/).click()
  await expect.element(item(/Wake up.*alpha is online/)).toBeDisabled()
  await expect.element(item(/^Reboot now/)).toBeEnabled()
  await userEvent.keyboard('{Escape}')
  await userEvent.keyboard('{Escape}')
  await row('charlie').click({ button: 'right' })
  await item(/^Power$/).click()
  await expect.element(item(/Reboot now.*charlie is offline/)).toBeDisabled()
  await item(/^Wake up/).click()
  await expect.element(page.getByText('Wake-up packet for charlie sent by alpha, bravo.')).toBeVisible()
})

test('a role without permission sees the reason', async () => {
  const permissions = ['can_list_agents', 'can_list_clients'] as const
  const { open } = await givenDashboard({ me: { is_superuser: false, permissions: [...permissions] } })
  await open()
  await row('alpha').click({ button: 'right' })
  await item(/^Power$/).click()
  for (const name of ['Wake up', 'Reboot now', 'Shut down'])
    await expect.element(item(new RegExp(`${name}.*Your role does not allow this`))).toBeDisabled()
})

const PLANNED: PendingAction = {
  id: 4,
  action_type: 'schedreboot',
  status: 'pending',
  due: '2999-01-02T18:35:00.000Z',
  description: 'Reboot',
  agent_id: 'alpha0000000',
  hostname: 'alpha',
  client: 'Acme',
  site: 'Berlin',
  username: 'bob',
  entry_time: '2026-11-22T12:00:00.000Z',
  details: { output: '', on_machine: false },
}

test('Reboot later offers the next reminder, in the time of the machine as well', async () => {
  const { server, open } = await givenDashboard()
  server.on(planReboot, ({ body }) =>
    answer(planReboot, { ...PLANNED, time: Object(body).datetime, agent: 'alpha' }),
  )
  const { at } = await open('/?dialog=reboot-later&item=alpha0000000')
  const field = dialog().getByLabelText('Date and time')
  await expect.element(field).toHaveValue(expect.stringMatching(/^\w{3}-\d{2}-\d{4} - \d{2}:35$/))
  await expect
    .element(dialog().getByText(/On the machine: \w{3}-\d{2}-\d{4} - \d{2}:\d{2} \(Europe\/Berlin\)\./))
    .toBeVisible()
  await field.fill('2001-01-01T10:00')
  await expect.element(dialog().getByText('Choose a time in the future.')).toBeVisible()
  await expect.element(dialog().getByRole('button', { name: 'Plan reboot' })).toBeDisabled()
  await field.fill('2999-01-02T18:35')
  await dialog().getByRole('button', { name: 'Plan reboot' }).click()
  await expect.poll(at).toBe('/')
  await expect.element(page.getByText(/^alpha restarts at /)).toBeVisible()
  expect(server.calls(planReboot)[0]?.body).toEqual({
    datetime: new Date('2999-01-02T18:35').toISOString(),
    message: '',
    delay_minutes: 5,
    may_postpone: true,
  })
})

test('a planned reboot is shown at the machine and in a list, and can be cancelled', async () => {
  const { server, open } = await givenDashboard()
  const over = {
    ...PLANNED,
    id: 3,
    status: 'completed',
    details: { output: 'Restarted.', on_machine: true },
  } as const
  server.on(listPendingActions, () => answer(listPendingActions, [PLANNED, over]))
  server.on(cancelPendingAction, () => answer(cancelPendingAction, null))
  await open('/?dialog=pending-actions')
  const rows = dialog().getByRole('listitem')
  await expect.element(rows.filter({ hasText: 'Reboot of alpha' })).toBeVisible()
  await expect.element(rows.filter({ hasText: 'Acme / Berlin, planned by bob' })).toBeVisible()
  await dialog().getByRole('switch', { name: 'Show 1 completed' }).click()
  await expect.element(dialog().getByText(/Restarted\.$/)).toBeVisible()
  server.on(listPendingActions, () => answer(listPendingActions, []))
  await dialog().getByRole('button', { name: 'Cancel the reboot of alpha' }).click()
  await expect.element(page.getByText('Reboot of alpha cancelled.')).toBeVisible()
  await expect.element(dialog().getByText(/No pending actions\./)).toBeVisible()
  expect(server.calls(cancelPendingAction)[0]?.path).toBe('/logs/pendingactions/4/')
})

test('a pending agent update is listed and can be cancelled', async () => {
  const { server, open } = await givenDashboard()
  const update = { ...PLANNED, action_type: 'agentupdate' as const, description: 'Agent update' }
  server.on(listPendingActions, () => answer(listPendingActions, [update]))
  server.on(cancelPendingAction, () => answer(cancelPendingAction, null))
  await open('/?dialog=pending-actions')
  await dialog().getByRole('button', { name: 'Cancel the agent update of alpha' }).click()
  await expect.element(page.getByText('Agent update of alpha cancelled.')).toBeVisible()
})

test('the summary of a machine says when it restarts, and who planned it', async () => {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail({ pending_actions_count: 1 })))
  server.on(listAgentPendingActions, () => answer(listAgentPendingActions, [PLANNED]))
  server.on(cancelPendingAction, () => answer(cancelPendingAction, null))
  await open('/agents/alpha0000000')
  const note = page.getByRole('note')
  await expect.element(note.getByText(/^Restarts .*, planned by bob\.$/)).toBeVisible()
  await note.getByRole('button', { name: 'Cancel reboot' }).click()
  await expect.element(page.getByText('Reboot of alpha cancelled.')).toBeVisible()
})

test('a plan on an offline machine says that it is still to be cancelled there', async () => {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail({ pending_actions_count: 1 })))
  server.on(listAgentPendingActions, () => answer(listAgentPendingActions, [PLANNED]))
  const output = 'Cancelled, but alpha is offline: it forgets the plan when it connects.'
  const kept = { ...PLANNED, status: 'cancelling' as const, details: { output, on_machine: true } }
  server.on(cancelPendingAction, () => answer(cancelPendingAction, kept))
  await open('/agents/alpha0000000')
  const note = page.getByRole('note')
  await expect.element(note).toBeVisible()
  server.on(listAgentPendingActions, () => answer(listAgentPendingActions, [kept]))
  await note.getByRole('button', { name: 'Cancel reboot' }).click()
  await expect
    .element(page.getByText('Reboot of alpha will be cancelled when the machine connects.'))
    .toBeVisible()
  await expect
    .element(note.getByText(/alpha is offline: it forgets the plan when it connects\.$/))
    .toBeVisible()
  await expect.element(note.getByRole('button', { name: 'Cancel reboot' })).not.toBeInTheDocument()
  await open('/?dialog=pending-actions&item=alpha0000000')
  await expect
    .element(dialog().getByText(/alpha is offline: it forgets the plan when it connects\.$/))
    .toBeVisible()
  await expect.element(dialog().getByRole('button', { name: /^Cancel the reboot/ })).not.toBeInTheDocument()
})

test('the summary says that the user postponed a shutdown, which can be done now', async () => {
  const { server, open } = await givenDashboard()
  const shutdown = {
    ...PLANNED,
    action_type: 'schedshutdown' as const,
    description: 'Shutdown',
    details: { output: 'Postponed once by the user.', on_machine: true },
  }
  server.on(getAgent, () => answer(getAgent, testDetail({ pending_actions_count: 1 })))
  server.on(listAgentPendingActions, () => answer(listAgentPendingActions, [shutdown]))
  const { at } = await open('/agents/alpha0000000')
  const note = page.getByRole('note')
  await expect.element(note.getByText(/^Shuts down .* by bob\. Postponed once by the user\.$/)).toBeVisible()
  await expect.element(note.getByRole('button', { name: 'Cancel shutdown' })).toBeVisible()
  await note.getByRole('button', { name: 'Shut down now' }).click()
  await expect.poll(at).toContain('dialog=shut-down')
})
