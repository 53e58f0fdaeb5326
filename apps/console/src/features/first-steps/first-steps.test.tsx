import { type FirstSteps, getFirstSteps } from '@muster/contract/api/first-steps'
import { listAlertChannels } from '@muster/contract/api/alert-channels'
import { listInvitations } from '@muster/contract/api/invitations'
import { getOverview } from '@muster/contract/api/overview'
import { listRoles } from '@muster/contract/api/roles'
import { getDashInfo } from '@muster/contract/api/system'
import { savePreferences } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { queryKey } from '../../app/api/query-key.ts'
import { givenDashInfo } from '../../testing/test-console.tsx'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'
import { HEALTHY } from '../overview/test-overview.ts'

const OPEN: FirstSteps = { machine: false, policy: false, channel: false, user: false }

async function openSteps(steps: FirstSteps, path = '/overview') {
  const { server, open } = await givenDashboard({ info: { first_steps_hidden: false } })
  const state = { steps }
  server.on(getOverview, () => answer(getOverview, HEALTHY))
  server.on(getFirstSteps, () => answer(getFirstSteps, state.steps))
  return { server, state, ...(await open(path)) }
}

const heading = () => page.getByRole('heading', { name: 'First steps' })
const step = (name: string) => page.getByRole('listitem').filter({ hasText: name })

test('four steps have one action each, and show themselves done', async () => {
  const { state, queryClient, server, at } = await openSteps({ ...OPEN, user: true })
  server.on(listAlertChannels, () => answer(listAlertChannels, []))
  await expect.element(page.getByText('1 of 4 done')).toBeVisible()
  await expect.element(step('Invite a colleague').getByText(', done')).toBeInTheDocument()
  await expect.element(step('Invite a colleague').getByRole('button')).not.toBeInTheDocument()
  await expect
    .element(step('Connect a second machine').getByRole('button', { name: 'Install agent' }))
    .toBeVisible()
  await expect.element(step('Assign a policy').getByRole('button', { name: 'Choose policy' })).toBeVisible()
  state.steps = { ...OPEN, user: true, machine: true }
  // As the live link does it.
  await queryClient.invalidateQueries({ queryKey: queryKey(getFirstSteps) })
  await expect.element(page.getByText('2 of 4 done')).toBeVisible()
  state.steps = { machine: true, policy: true, channel: true, user: true }
  await queryClient.invalidateQueries({ queryKey: queryKey(getFirstSteps) })
  await expect.element(page.getByText('All done')).toBeVisible()
  state.steps = { ...state.steps, channel: false }
  await queryClient.invalidateQueries({ queryKey: queryKey(getFirstSteps) })
  await step('Get notified').getByRole('button', { name: 'Add channel' }).click()
  expect(at()).toContain('dialog=alert-channels')
})

test('a colleague is invited with a built-in role', async () => {
  const { server } = await openSteps(OPEN)
  server.on(listInvitations, () => answer(listInvitations, []))
  server.on(listRoles, () => answer(listRoles, []))
  await step('Invite a colleague').getByRole('button', { name: 'Invite user' }).click()
  await expect.element(page.getByRole('dialog', { name: 'Invite user' })).toBeVisible()
})

test('a role sees only the steps that it may take', async () => {
  await openSteps({ ...OPEN, policy: null, channel: null, user: null })
  await expect.element(page.getByText('0 of 1 done')).toBeVisible()
  expect(page.getByRole('listitem').filter({ hasText: 'Invite' }).elements()).toHaveLength(0)
})

test('hiding the steps is a preference of the user, and can be undone', async () => {
  const { server } = await openSteps(OPEN)
  let isHidden = false
  server.on(savePreferences, ({ body }) => {
    isHidden = (body as { first_steps_hidden: boolean }).first_steps_hidden
    const { dbl_click_action, ...rest } = givenDashInfo({ first_steps_hidden: isHidden })
    return answer(savePreferences, { ...rest, agent_dblclick_action: dbl_click_action })
  })
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo({ first_steps_hidden: isHidden })))
  await page.getByRole('button', { name: 'Hide' }).click()
  await expect.element(heading()).not.toBeInTheDocument()
  expect(server.calls(savePreferences)[0]?.body).toEqual({ first_steps_hidden: true })
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.element(heading()).toBeVisible()
})

test.each([
  ['all are done at the first visit', { machine: true, policy: true, channel: true, user: true }],
  ['the role may take none', { machine: null, policy: null, channel: null, user: null }],
])('nothing is shown if %s', async (_, steps) => {
  const { server } = await openSteps(steps)
  await expect.poll(() => server.calls(getFirstSteps).length).toBeGreaterThan(0)
  await expect.element(page.getByText('All 902 machines are healthy.')).toBeVisible()
  await expect.element(heading()).not.toBeInTheDocument()
})

test('the overview of one client shows no first steps', async () => {
  await openSteps(OPEN, '/overview?client=1')
  await expect.element(page.getByText('All 902 machines are healthy.')).toBeVisible()
  await expect.element(heading()).not.toBeInTheDocument()
})
