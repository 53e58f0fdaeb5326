import { getAgent } from '@muster/contract/api/agents'
import { listAlertTemplates } from '@muster/contract/api/alert-templates'
import { editPolicy, getEffectivePolicy, getPolicy, planPolicy } from '@muster/contract/api/policies'
import type { PolicyPlan } from '@muster/contract/policies/assigned-policies'
import { beforeEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { answer, refuse } from '../../testing/test-server.ts'
import { testTemplate } from '../alerts/templates/test-template.ts'
import { testDetail } from '../dashboard/test-dashboard.ts'
import { givenPolicies, testPolicy } from './test-policies.ts'

beforeEach(() => givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' }))

const PLAN: PolicyPlan = {
  token: 'token 1',
  agents_count: 3,
  lines: [{ kind: 'checks', change: 'removed', what: 'CPU Load Check', agents_count: 3 }],
  agents: [],
}
const dialog = () => page.getByRole('dialog')

test('the list shows assignments and opens a policy', async () => {
  // Rows, not cards.
  await page.viewport(1280, 800)
  const server = givenPolicies([testPolicy(), testPolicy({ id: 2, name: 'Off', active: false, targets: [] })])
  server.on(getPolicy, () => answer(getPolicy, testPolicy()))
  const { screen, at } = await openConsole('/policies')
  await expect.element(screen.getByRole('row', { name: /active.*Base.*Acme.*1 check.*3/ })).toBeVisible()
  await expect.element(screen.getByRole('row', { name: /inactive.*Off.*not assigned/ })).toBeVisible()
  const title = screen.getByRole('heading', { name: 'Policies' }).element()
  const lineHeight = title.getBoundingClientRect().height
  await page.viewport(390, 844)
  await expect.element(screen.getByRole('row', { name: /Base/ })).toBeVisible()
  expect(title.getBoundingClientRect().height).toBe(lineHeight)
  await screen.getByRole('row', { name: /Base/ }).dblClick()
  await expect.poll(at).toBe('/policies/1')
  await expect.element(screen.getByRole('heading', { name: 'Policies / Base' })).toBeVisible()
})

test('a policy is saved only after its plan was shown, with that plan', async () => {
  const server = givenPolicies([])
  server.on(getPolicy, () => answer(getPolicy, testPolicy()))
  server.on(planPolicy, () => answer(planPolicy, PLAN))
  server.on(editPolicy, () => answer(editPolicy, testPolicy({ version: 2, active: false })))
  const { screen } = await openConsole('/policies/1')
  await expect.element(screen.getByRole('button', { name: 'Review and save' })).toBeDisabled()
  await screen.getByRole('checkbox', { name: 'Active' }).click()
  await screen.getByRole('button', { name: 'Review and save' }).click()
  await expect.element(dialog().getByText('3 machines')).toBeVisible()
  await expect.element(dialog().getByRole('row', { name: /Remove.*CPU Load Check.*3/ })).toBeVisible()
  expect(server.calls(editPolicy)).toEqual([])
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect.element(screen.getByText('Policy saved. Machines are updated within seconds.')).toBeVisible()
  expect(server.calls(editPolicy)[0]?.body).toMatchObject({
    active: false,
    plan: 'token 1',
    modified: '2026-11-21T10:00:00.000Z',
  })
})

test('an outdated plan is reported, and the new one shown', async () => {
  const server = givenPolicies([])
  let plan = PLAN
  server.on(getPolicy, () => answer(getPolicy, testPolicy()))
  server.on(planPolicy, () => answer(planPolicy, plan))
  server.on(editPolicy, () => {
    plan = { ...PLAN, token: 'token 2', agents_count: 1 }
    return refuse('changed_meanwhile', 'Something has changed since this plan was made.')
  })
  const { screen } = await openConsole('/policies/1')
  await screen.getByRole('checkbox', { name: 'Enforced' }).click()
  await screen.getByRole('button', { name: 'Review and save' }).click()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect.element(dialog().getByText('Something has changed since this plan was made.')).toBeVisible()
  await expect.element(dialog().getByText('1 machine', { exact: true })).toBeVisible()
})

test('a user who sees only a part of a policy cannot change it', async () => {
  const server = givenPolicies([])
  server.on(getPolicy, () => answer(getPolicy, testPolicy({ is_whole: false })))
  const { screen } = await openConsole('/policies/1')
  await expect.element(screen.getByText(/also applies to hidden machines/)).toBeVisible()
  await expect.element(screen.getByRole('textbox', { name: 'Name' })).toBeDisabled()
  expect(screen.getByRole('button', { name: 'Review and save' }).elements()).toEqual([])
})

test('without permission the screen says so', async () => {
  givenPolicies([], { is_superuser: false, permissions: [] })
  const { screen } = await openConsole('/policies')
  await expect.element(screen.getByText('Your role does not allow you to see policies.')).toBeVisible()
})

test('a task of a policy has the form of tasks, and goes into the draft', async () => {
  const server = givenPolicies([])
  server.on(getPolicy, () => answer(getPolicy, testPolicy()))
  server.on(planPolicy, () => answer(planPolicy, PLAN))
  const { screen } = await openConsole('/policies/1')
  await screen.getByRole('button', { name: 'New task' }).click()
  await dialog().getByRole('textbox', { name: 'Name' }).fill('Tidy up')
  await dialog().getByRole('textbox', { name: 'Command' }).fill('true')
  await dialog().getByRole('checkbox', { name: 'Windows' }).click()
  await expect.element(dialog().getByText('Next, in the time zone of each machine')).toBeVisible()
  await dialog().getByRole('button', { name: 'Add task' }).click()
  const tasks = screen.getByRole('list', { name: 'Tasks of the policy' })
  await expect.element(tasks.getByText(/Every day.*Linux, macOS/)).toBeVisible()
  await screen.getByRole('button', { name: 'Review and save' }).click()
  await expect.poll(() => server.calls(planPolicy).length).toBe(1)
  expect(server.calls(planPolicy)[0]?.body).toMatchObject({
    policy: {
      content: {
        tasks: [
          {
            task: { name: 'Tidy up', task_type: 'daily', actions: [{ type: 'cmd', command: 'true' }] },
            task_supported_platforms: ['linux', 'darwin'],
          },
        ],
      },
    },
  })
})

test('an alert template is a part of a policy, which its plan and the machine say', async () => {
  const server = givenPolicies([])
  server.on(listAlertTemplates, () =>
    answer(listAlertTemplates, [testTemplate(), testTemplate({ id: 2, name: 'Off', is_active: false })]),
  )
  server.on(getPolicy, () => answer(getPolicy, testPolicy()))
  const lines: PolicyPlan['lines'] = [
    { kind: 'alert_template', change: 'overridden', what: 'Night', agents_count: 3 },
  ]
  server.on(planPolicy, () => answer(planPolicy, { ...PLAN, lines }))
  server.on(editPolicy, () => answer(editPolicy, testPolicy({ version: 2 })))
  const { screen } = await openConsole('/policies/1')
  await screen.getByRole('combobox', { name: 'Alert template' }).click()
  await expect.element(page.getByRole('option', { name: 'Off (off)' })).toBeVisible()
  await page.getByRole('option', { name: 'Night' }).click()
  await screen.getByRole('button', { name: 'Review and save' }).click()
  await expect.element(dialog().getByRole('row', { name: /Change to alert template Night 3/ })).toBeVisible()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => server.calls(editPolicy)[0]?.body).toMatchObject({ content: { alert_template: 1 } })
})

test('a machine says which alert template counts for it, and one click says why', async () => {
  const server = givenPolicies([])
  server.on(getAgent, () =>
    answer(
      getAgent,
      testDetail({
        applied_policies: [{ id: 1, name: 'Base', level: 'client', enforced: false }],
        effective_alert_template: {
          id: 1,
          name: 'Night',
          always_email: null,
          always_text: null,
          always_alert: true,
        },
      }),
    ),
  )
  server.on(getEffectivePolicy, () =>
    answer(getEffectivePolicy, {
      agent_id: 'alpha0000000',
      hostname: 'alpha',
      client_name: 'Acme',
      site_name: 'Berlin',
      monitoring_type: 'server',
      blocks: { agent: false, site: false, client: false },
      chain: [],
      items: [
        {
          kind: 'alert_template',
          key: 'alert_template',
          what: 'Night',
          check_id: null,
          task_id: null,
          source: { own: false, policy: 1, policy_name: 'Base', level: 'client' },
          overrode: [
            {
              what: 'Old',
              check_id: null,
              task_id: null,
              source: { own: true, place: 'client' },
              lost: 'nearer',
            },
            {
              what: 'Off',
              check_id: null,
              task_id: null,
              source: { own: true, place: 'site' },
              lost: 'inactive',
            },
          ],
        },
      ],
      unfit: [],
    }),
  )
  const { screen } = await openConsole('/agents/alpha0000000')
  const card = screen.getByRole('region', { name: 'Policies and alerts' })
  await expect.element(card.getByText('Base')).toBeVisible()
  await card.getByRole('button', { name: 'Why?' }).click()
  await expect.element(dialog().getByText(/the policy Base, assigned to its client/)).toBeVisible()
  await expect.element(dialog().getByText(/Old from its client/)).toBeVisible()
  await expect.element(dialog().getByText(/Off from its site.*Disabled/)).toBeVisible()
})
