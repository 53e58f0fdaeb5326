import { createPolicy, listPolicies, planPolicy } from '@muster/contract/api/policies'
import { RECOMMENDED_POLICIES } from '@muster/contract/policies/recommended-policies'
import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { answer } from '../../testing/test-server.ts'
import { givenPolicies, testPolicy } from './test-policies.ts'

beforeEach(() => givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' }))

const AT = '/policies?dialog=recommended-policies'

test('a recommended policy is created after its plan was shown, and is then offered to open', async () => {
  await page.viewport(1280, 800)
  const policies = [testPolicy()]
  const server = givenPolicies(policies)
  server.on(listPolicies, () => answer(listPolicies, policies))
  server.on(planPolicy, () =>
    answer(planPolicy, {
      token: 'token 1',
      agents_count: 2,
      lines: [{ kind: 'checks', change: 'added', what: 'CPU load', agents_count: 2 }],
      agents: [],
    }),
  )
  const saved = testPolicy({ id: 9, ...RECOMMENDED_POLICIES.server })
  server.on(createPolicy, () => {
    policies.push(saved)
    return answer(createPolicy, saved)
  })
  const { screen } = await openConsole(AT)
  await expect
    .element(screen.getByText('Disk space of every fixed disk: warns below 20 %, fails below 10 %'))
    .toBeVisible()
  await expect
    .element(screen.getByText('CPU load: warns above 80 %, fails above 95 %, after 5 runs in a row'))
    .toBeVisible()
  await screen.getByRole('button', { name: 'Review and create Recommended for servers' }).click()
  const plan = page.getByRole('dialog', { name: 'Create the policy Recommended for servers?' })
  await expect.element(plan.getByText('2 machines')).toBeVisible()
  expect(server.calls(createPolicy)).toEqual([])
  await plan.getByRole('button', { name: 'Save' }).click()
  await expect.element(screen.getByText('Policy created. Machines are updated within seconds.')).toBeVisible()
  expect(server.calls(createPolicy)[0]?.body).toEqual({
    ...RECOMMENDED_POLICIES.server,
    plan: 'token 1',
    reason: '',
  })
  await expect
    .element(screen.getByRole('link', { name: 'Open policy' }))
    .toHaveAttribute('href', '/policies/9')
})

test('an empty list of policies offers the recommended ones', async () => {
  await page.viewport(1280, 800)
  givenPolicies([])
  const { screen, at } = await openConsole('/policies')
  // Without the frame's height, the list covers it.
  const choose = screen.getByRole('button', { name: 'Choose a recommended policy' })
  await expect.element(choose).toBeInTheDocument()
  ;(choose.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(at).toContain('dialog=recommended-policies')
  await expect.element(screen.getByRole('dialog', { name: 'Recommended policies' })).toBeVisible()
})

test('a role that may not create policies is refused', async () => {
  givenPolicies([testPolicy()], { is_superuser: false, permissions: ['can_list_automation_policies'] })
  const { screen } = await openConsole(AT)
  await expect.element(screen.getByText(/Your role does not allow/)).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Recommended policies' })).not.toBeInTheDocument()
})
