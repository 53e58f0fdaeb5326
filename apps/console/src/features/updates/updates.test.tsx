import { getAgent } from '@muster/contract/api/agents'
import {
  type AgentVersionRow,
  getRollout,
  getUpdateSettings,
  listAgentVersions,
  resumeRollout,
  type Rollout,
  setUpdateSettings,
  type TargetUpdateSettings,
  updateAgents,
} from '@muster/contract/api/updates'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'

const row = (name: string) => page.getByRole('grid', { name: 'Machines' }).getByText(name, { exact: true })
const item = (name: RegExp) => page.getByRole('menuitem', { name })
const dialog = () => page.getByRole('dialog')

function testVersion(hostname: string, more: Partial<AgentVersionRow> = {}): AgentVersionRow {
  return {
    agent_id: `${hostname}0000000`,
    hostname,
    client: 'Acme',
    site: 'Berlin',
    version: '1.0.0',
    connected: true,
    can_update: true,
    mode: 'automatic',
    pinned_version: null,
    update: null,
    ...more,
  }
}

const ROLLOUT: Rollout = {
  version: '2.0.0',
  state: 'running',
  wave: 1,
  waves: [1, 10, 100],
  reason: null,
  counts: { total: 200, waiting: 180, in_progress: 5, confirmed: 15, failed: 0, rolled_back: 0 },
}

const SETTINGS: TargetUpdateSettings = {
  name: 'Berlin',
  settings: { mode: null, version: null, waves: null, max_rollbacks: null },
  inherited: { mode: 'automatic', version: null, waves: [1, 10, 100], max_rollbacks: 3 },
  modified: 'm1',
}

test('the menu of a machine orders the update of its agent', async () => {
  const { server, open } = await givenDashboard()
  server.on(updateAgents, () => answer(updateAgents, 'ok'))
  await open()
  await row('charlie').click({ button: 'right' })
  await item(/^Manage$/).click()
  await expect.element(item(/Update agent.*back online/)).toBeEnabled()
  await item(/^Update agent/).click()
  await expect.element(page.getByText('Agent update of charlie ordered.')).toBeVisible()
  expect(server.calls(updateAgents)[0]?.body).toEqual({ agent_ids: ['charlie00000'] })
})

test('a role without permission sees the reason', async () => {
  const permissions = ['can_list_agents', 'can_list_clients'] as const
  const { open } = await givenDashboard({ me: { is_superuser: false, permissions: [...permissions] } })
  await open()
  await row('alpha').click({ button: 'right' })
  await item(/^Manage$/).click()
  await expect.element(item(/Update agent.*Your role does not allow this/)).toBeDisabled()
})

test('several agents are chosen by a search and updated together', async () => {
  const { server, open } = await givenDashboard()
  const agents = [
    testVersion('alpha'),
    testVersion('beta', { update: failedUpdate('The machine rolled back.') }),
    testVersion('old', { can_update: false }),
    testVersion('new', { version: '2.0.0' }),
    testVersion('web', { site: 'Munich', connected: false, mode: 'paused' }),
  ]
  server.on(listAgentVersions, () => answer(listAgentVersions, { versions: ['2.0.0'], agents }))
  server.on(updateAgents, () => refuse('unavailable', 'The agent has not been built.'))
  await open('/?dialog=update-agents')
  const box = (name: string) => dialog().getByRole('checkbox', { name })
  await expect.element(dialog().getByText(/^Without version 2\.0\.0: 4 of 5\./)).toBeVisible()
  await expect.element(dialog().getByText('Cannot update themselves: 1')).toBeVisible()
  await expect
    .element(dialog().getByText(/Rolled back from 2\.0\.0\. The machine rolled back\./))
    .toBeVisible()
  await expect.element(box('old')).toBeDisabled()
  await expect.element(box('new')).not.toBeInTheDocument()
  await dialog().getByRole('textbox', { name: 'Search machines' }).fill('berlin')
  await expect.element(box('web')).not.toBeInTheDocument()
  await box('All 2 shown').click()
  await dialog().getByRole('button', { name: 'Update 2 agents' }).click()
  await expect.element(dialog().getByText('The agent has not been built.')).toBeVisible()
  server.on(updateAgents, () => answer(updateAgents, 'ok'))
  await dialog().getByRole('button', { name: 'Update 2 agents' }).click()
  await expect.element(page.getByText('Update of 2 agents ordered.')).toBeVisible()
  expect(server.calls(updateAgents).at(-1)?.body).toEqual({ agent_ids: ['alpha0000000', 'beta0000000'] })
})

test('the page of a machine shows an update that was rolled back, with its reason', async () => {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail({ update: failedUpdate('It ended 3 times.') })))
  await open('/agents/alpha0000000')
  await expect.element(page.getByText('Rolled back from 2.0.0. It ended 3 times.')).toBeVisible()
})

test('a site is pinned to a version, and gets waves of its own', async () => {
  const { server, open } = await givenDashboard()
  server.on(getUpdateSettings, () => answer(getUpdateSettings, SETTINGS))
  server.on(setUpdateSettings, () => answer(setUpdateSettings, SETTINGS))
  await open('/?dialog=agent-updates&item=site-1')
  await expect.element(dialog()).toHaveAccessibleName('Agent updates of Berlin')
  const mode = dialog().getByRole('combobox', { name: 'New versions' })
  await expect.element(mode).toHaveValue('Inherited: automatic, in waves')
  await mode.click()
  await page.getByRole('option', { name: 'Pinned to a version' }).click()
  await dialog().getByRole('textbox', { name: 'Version', exact: true }).fill('latest')
  await expect.element(dialog().getByText('Enter a version, such as 1.4.0.')).toBeVisible()
  await dialog().getByRole('textbox', { name: 'Version', exact: true }).fill('1.4.0')
  const waves = dialog().getByRole('textbox', { name: 'Waves' })
  await expect.element(waves).toHaveAttribute('placeholder', 'Inherited: 1, 10, 100')
  await waves.fill('50')
  await expect.element(dialog().getByText(/^Enter growing percentages/)).toBeVisible()
  await waves.fill('50, 100')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Update settings saved.')).toBeVisible()
  expect(server.calls(setUpdateSettings)[0]).toMatchObject({
    path: '/agents/updates/settings/site/1/',
    body: { mode: 'pinned', version: '1.4.0', waves: [50, 100], max_rollbacks: null, modified: 'm1' },
  })
})

test('an update that is held at a client says so, and is resumed', async () => {
  const { server, open } = await givenDashboard()
  server.on(getUpdateSettings, () => answer(getUpdateSettings, { ...SETTINGS, name: '' }))
  const reason = 'Most machines of 1 client did not confirm version 2.0.0, so its other machines wait.'
  server.on(getRollout, () => answer(getRollout, { ...ROLLOUT, reason }))
  server.on(resumeRollout, () => answer(resumeRollout, ROLLOUT))
  await open('/?dialog=agent-updates')
  const main = page.getByRole('main')
  await expect.element(main.getByText('The update to 2.0.0 is held for some machines')).toBeVisible()
  await expect.element(main.getByText(/^Most machines of 1 client did not confirm/)).toBeVisible()
  await main.getByRole('button', { name: 'Resume update' }).click()
  await expect.element(main.getByText('is held for some machines')).not.toBeInTheDocument()
})

test('the settings of all machines show the waves, and a halted update is resumed', async () => {
  const { server, open } = await givenDashboard()
  server.on(getUpdateSettings, () => answer(getUpdateSettings, { ...SETTINGS, name: '' }))
  server.on(setUpdateSettings, () => answer(setUpdateSettings, SETTINGS))
  server.on(getRollout, () =>
    answer(getRollout, { ...ROLLOUT, state: 'halted', reason: '4 machines rolled version 2.0.0 back.' }),
  )
  server.on(resumeRollout, () => answer(resumeRollout, ROLLOUT))
  await open('/?dialog=agent-updates')
  await expect
    .element(page.getByRole('main').getByText(/^4 machines rolled version 2\.0\.0 back\./))
    .toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Resume update' }).click()
  await expect
    .element(
      page
        .getByRole('main')
        .getByText('15 of 200 machines confirmed version 2.0.0, 5 in progress. Wave 2 of 3.'),
    )
    .toBeVisible()
  const waves = page.getByRole('main').getByRole('textbox', { name: 'Waves' })
  await waves.fill('10, 5')
  await expect.element(page.getByRole('main').getByText(/^Enter growing percentages/)).toBeVisible()
  await waves.fill('5, 50, 100')
  await page.getByRole('main').getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Update settings saved.')).toBeVisible()
  expect(server.calls(setUpdateSettings)[0]?.body).toMatchObject({ mode: 'automatic', waves: [5, 50, 100] })
})

function failedUpdate(reason: string) {
  return {
    version: '2.0.0',
    state: 'rolled_back' as const,
    reason,
    username: null,
    changed_at: '2026-11-22T12:00:00.000Z',
  }
}
