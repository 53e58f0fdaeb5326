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
  lines: [{ kind: 'checks', change: 'removed', what: 'CPU load', agents_count: 3 }],
  agents: [],
}
const dialog = () => page.getByRole('dialog')
const effect = () => page.getByRole('region', { name: 'If you save' })
const save = () => page.getByRole('button', { name: 'Save this plan' })

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
  await expect.element(screen.getByText('No unsaved changes')).toBeVisible()
  await expect.element(save()).toBeDisabled()
  await screen.getByRole('checkbox', { name: 'Active' }).click()
  await expect.element(effect().getByText('3 machines')).toBeVisible()
  await expect.element(effect().getByRole('row', { name: /Remove.*CPU load.*3/ })).toBeVisible()
  expect(server.calls(editPolicy)).toEqual([])
  await save().click()
  await expect
    .poll(() => server.calls(editPolicy)[0]?.body)
    .toMatchObject({
      active: false,
      plan: 'token 1',
      modified: '2026-11-21T10:00:00.000Z',
    })
  await expect.element(effect()).not.toBeInTheDocument()
})

test('the plan follows the draft, and discarding removes both', async () => {
  const server = givenPolicies([])
  server.on(getPolicy, () => answer(getPolicy, testPolicy()))
  server.on(planPolicy, ({ body }) =>
    answer(planPolicy, {
      ...PLAN,
      agents_count: (body as { policy: { active: boolean } }).policy.active ? 2 : 3,
    }),
  )
  const { screen } = await openConsole('/policies/1')
  await screen.getByRole('checkbox', { name: 'Active' }).click()
  await expect.element(effect().getByText('3 machines')).toBeVisible()
  await screen.getByRole('checkbox', { name: 'Active' }).click()
  await expect.element(effect()).not.toBeInTheDocument()
  await screen.getByRole('checkbox', { name: 'Enforced' }).click()
  await expect.element(effect().getByText('2 machines')).toBeVisible()
  await screen.getByRole('button', { name: 'Discard' }).click()
  await expect.element(effect()).not.toBeInTheDocument()
  await expect.element(screen.getByRole('checkbox', { name: 'Enforced' })).not.toBeChecked()
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
  await save().click()
  await expect.element(effect().getByText('Something has changed since this plan was made.')).toBeVisible()
  await expect.element(effect().getByText('1 machine', { exact: true })).toBeVisible()
})

test('a user who sees only a part of a policy cannot change it', async () => {
  const server = givenPolicies([])
  server.on(getPolicy, () => answer(getPolicy, testPolicy({ is_whole: false })))
  const { screen } = await openConsole('/policies/1')
  await expect.element(screen.getByText(/also applies to hidden machines/)).toBeVisible()
  await expect.element(screen.getByRole('textbox', { name: 'Name' })).toBeDisabled()
  expect(screen.getByRole('button', { name: 'Save this plan' }).elements()).toEqual([])
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
  await expect.element(effect().getByRole('row', { name: /Change to alert template Night 3/ })).toBeVisible()
  await save().click()
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

test('rules for patches are set up in a dialog, shown as words, and saved with the policy', async () => {
  const server = givenPolicies([])
  server.on(getPolicy, () => answer(getPolicy, testPolicy()))
  server.on(planPolicy, () => answer(planPolicy, PLAN))
  server.on(editPolicy, () => answer(editPolicy, testPolicy({ version: 2 })))
  const { screen } = await openConsole('/policies/1')
  await expect.element(screen.getByText('No rules for patches')).toBeVisible()
  await screen.getByRole('button', { name: 'Set up' }).click()
  const part = (name: string) => dialog().getByRole('checkbox', { name, exact: true })
  await part('Approval').click()
  await part('Restart').click()
  await dialog().getByRole('textbox', { name: 'Critical, days' }).fill('2')
  await dialog().getByRole('textbox', { name: 'Postponements' }).fill('1')
  await dialog().getByRole('button', { name: 'Apply' }).click()
  const list = screen.getByRole('list', { name: 'Patches of the policy' })
  await expect.poll(() => list.element().textContent).toContain('Approve critical after 2 days')
  expect(list.element().textContent).toContain('up to 1 postponement by 60 minutes')
  await save().click()
  await expect
    .poll(() => server.calls(editPolicy)[0]?.body)
    .toMatchObject({
      content: {
        patches: {
          approval: { critical: { action: 'approve', after_days: 2 }, other: { action: 'manual' } },
          ring: null,
          reboot: { when: 'warn', postponements: 1, deadline_hours: 24 },
        },
      },
    })
})

test('a policy wants a package in its newest version on chosen systems', async () => {
  const server = givenPolicies([])
  const platforms = ['linux' as const]
  const software = [{ names: ['telnet'], state: 'absent' as const, platforms, in_windows: true }]
  server.on(getPolicy, () =>
    answer(getPolicy, testPolicy({ content: { ...testPolicy().content, software } })),
  )
  server.on(planPolicy, () => answer(planPolicy, PLAN))
  const { screen } = await openConsole('/policies/1')
  const list = screen.getByRole('list', { name: 'Software of the policy' })
  await expect.element(list.getByText('telnet: not installed, in maintenance windows')).toBeVisible()
  await screen.getByRole('button', { name: 'Add software' }).click()
  const add = dialog().getByRole('button', { name: 'Add', exact: true })
  await dialog().getByRole('textbox', { name: 'Package' }).fill('TELNET')
  await expect.element(add).toBeDisabled()
  await dialog().getByRole('textbox', { name: 'Package' }).fill('firefox, Mozilla.Firefox')
  await dialog().getByRole('combobox', { name: 'Wanted' }).click()
  await page.getByRole('option', { name: 'Installed, in the newest version' }).click()
  await dialog().getByRole('checkbox', { name: 'macOS' }).click()
  await dialog()
    .getByRole('checkbox', { name: /^Only while a maintenance window is open/ })
    .click()
  await add.click()
  const wanted = 'firefox or Mozilla.Firefox: newest version, in maintenance windows'
  await expect.element(list.getByText(wanted)).toBeVisible()
  await list.getByRole('button', { name: 'Remove telnet: not installed, in maintenance windows' }).click()
  await expect
    .poll(() => server.calls(planPolicy).at(-1)?.body)
    .toMatchObject({
      policy: {
        content: {
          software: [
            {
              names: ['firefox', 'Mozilla.Firefox'],
              state: 'latest',
              platforms: ['windows', 'linux'],
              in_windows: true,
            },
          ],
        },
      },
    })
})
