import { runChecks, runNodeChecks } from '@muster/contract/api/checks'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard } from './test-dashboard.ts'

const line = (name: RegExp) => page.getByRole('treeitem', { name })
const row = (name: string) => page.getByRole('grid', { name: 'Machines' }).getByText(name, { exact: true })
const item = (name: RegExp) => page.getByRole('menuitem', { name })

test.each([
  ['client', 1, /Acme/, { sent: 2, offline: 1 }, 'Checks started on 2 machines of Acme. 1 offline.'],
  ['site', 2, /Munich/, { sent: 1, offline: 0 }, 'Checks started on 1 machine of Munich.'],
] as const)('Run checks of a %s', async (level, id, name, reached, words) => {
  const { server, open } = await givenDashboard()
  server.on(runNodeChecks, () => answer(runNodeChecks, reached))
  await open()
  await line(name).click({ button: 'right' })
  await item(/^Run checks/).click()
  await expect.element(page.getByText(words)).toBeVisible()
  expect(server.calls(runNodeChecks).map(({ path }) => path)).toEqual([`/checks/${level}/${id}/csbulkrun/`])
})

test('where there are no machines nothing can be run', async () => {
  const { open } = await givenDashboard()
  await open()
  await line(/Borealis/).click({ button: 'right' })
  await expect.element(item(/Run checks.*No machines here/)).toBeDisabled()
})

test('Run checks of a machine runs all of them', async () => {
  const { server, open } = await givenDashboard()
  server.on(runChecks, () => answer(runChecks, null))
  await open()
  await row('alpha').click({ button: 'right' })
  await item(/^Run checks/).click()
  await expect.element(page.getByText('Checks started on alpha.')).toBeVisible()
  expect(server.calls(runChecks)).toMatchObject([{ path: '/checks/alpha0000000/run/', body: {} }])
})

test('a role without permission cannot run checks', async () => {
  const permissions = ['can_list_agents', 'can_list_clients'] as const
  const { open } = await givenDashboard({ me: { is_superuser: false, permissions: [...permissions] } })
  await open()
  await row('charlie').click({ button: 'right' })
  await expect.element(item(/Run checks.*Your role does not allow this/)).toBeDisabled()
})

test('a machine that is away cannot run its checks now', async () => {
  const { open } = await givenDashboard()
  await open()
  await row('charlie').click({ button: 'right' })
  await expect.element(item(/Run checks.*charlie is offline/)).toBeDisabled()
})
