import {
  listAssignedPolicies,
  planAssignedPolicies,
  setAssignedPolicies,
} from '@muster/contract/api/policies'
import type { PolicyPlan } from '@muster/contract/policies/assigned-policies'
import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { answer } from '../../testing/test-server.ts'
import { givenPolicies, testPolicy } from './test-policies.ts'

beforeEach(() => givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' }))

const PLAN: PolicyPlan = {
  token: 'token 1',
  agents_count: 2,
  lines: [{ kind: 'checks', change: 'changed', what: 'CPU load', agents_count: 2 }],
  agents: [],
}
const listed = (id: number, name: string) => ({
  id,
  name,
  active: true,
  enforced: false,
  monitoring_type: null,
})
const dialog = () => page.getByRole('dialog')
const namesInOrder = () =>
  dialog()
    .getByRole('listitem')
    .elements()
    .map((row) => row.querySelector('bdi')?.textContent)

test('policies of a client are ordered by keyboard, added, and saved after their plan', async () => {
  const server = givenPolicies([testPolicy(), testPolicy({ id: 3, name: 'Third' })])
  const assignment = { name: 'Acme', policies: [listed(1, 'Base'), listed(2, 'Second')], modified: 'm1' }
  server.on(listAssignedPolicies, () => answer(listAssignedPolicies, assignment))
  server.on(planAssignedPolicies, () => answer(planAssignedPolicies, PLAN))
  server.on(setAssignedPolicies, () => answer(setAssignedPolicies, assignment))
  await openConsole('/policies?dialog=assign-policies&item=client-1')
  await expect.element(dialog().getByText('Policies of Acme')).toBeVisible()
  await expect.element(dialog().getByRole('button', { name: 'Review and save' })).toBeDisabled()
  await expect.element(dialog().getByRole('combobox', { name: 'Add policy' })).toHaveFocus()
  const up = dialog().getByRole('button', { name: 'Move Second up' })
  const button = up.element()
  if (button instanceof HTMLElement) button.focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(namesInOrder).toEqual(['Second', 'Base'])
  // At the top, where the way up is over, the focus stays with what was moved.
  await expect.element(dialog().getByRole('button', { name: 'Move Second down' })).toHaveFocus()
  await dialog().getByRole('combobox', { name: 'Add policy' }).click()
  await page.getByRole('option', { name: 'Third' }).click()
  await dialog().getByRole('button', { name: 'Remove Base' }).click()
  await expect.poll(namesInOrder).toEqual(['Second', 'Third'])
  await dialog().getByRole('button', { name: 'Review and save' }).click()
  await expect.element(dialog().getByText('2 machines')).toBeVisible()
  expect(server.calls(setAssignedPolicies)).toEqual([])
  await dialog().getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(() => server.calls(setAssignedPolicies)[0]?.body)
    .toEqual({
      policies: [
        { id: 2, monitoring_type: null },
        { id: 3, monitoring_type: null },
      ],
      plan: 'token 1',
      modified: 'm1',
    })
})

test('a role without can_manage_policies sees the refusal', async () => {
  givenPolicies([], { is_superuser: false, permissions: ['can_list_automation_policies'] })
  await openConsole('/policies?dialog=assign-policies&item=client-1')
  await expect.element(dialog().getByText('Your role does not allow this action.')).toBeVisible()
})
