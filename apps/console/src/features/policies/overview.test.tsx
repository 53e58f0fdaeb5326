import {
  getPolicy,
  getPolicyOverview,
  listAssignedPolicies,
  listPolicyChecks,
  listPolicyCheckStatus,
  listPolicyTasks,
  runPolicyTask,
} from '@muster/contract/api/policies'
import { TASK_DEFAULTS } from '@muster/contract/api/tasks'
import type { CheckOfPolicy, CheckOnMachine, TaskOfPolicy } from '@muster/contract/policies/policy-items'
import { beforeEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenPolicies, testPolicy } from './test-policies.ts'

beforeEach(async () => {
  givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' })
  await page.viewport(1280, 800)
})

const NO_SLOTS = { server_policy: null, workstation_policy: null }
const BASE = { id: 1, name: 'Base', active: true, enforced: false, monitoring_type: null }
const CPU: CheckOfPolicy = {
  id: 10_000_001,
  policy: 1,
  number: 1,
  settings: { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 },
  fails_b4_alert: 1,
  run_interval: 0,
  readable_desc: 'CPU load',
  assignedtasks: [{ id: 10_000_002, name: 'Restart' }],
  counts: { passing: 14, old: 0, info: 0, warning: 1, error: 2, pending: 0 },
}
const RESTART: TaskOfPolicy = {
  ...TASK_DEFAULTS,
  id: 10_000_002,
  policy: 1,
  number: 2,
  name: 'Restart',
  task_type: 'manual',
  actions: [{ type: 'cmd', command: 'true', shell: 'sh', custom_shell: null, timeout: 30 }],
  task_supported_platforms: ['linux'],
  schedule: 'Only manually',
  check_name: null,
  counts: { passing: 1, failing: 0, pending: 2 },
}

const ON_ALPHA: CheckOnMachine = {
  agent_id: 'alpha0000000',
  hostname: 'alpha',
  client_name: 'Acme',
  site_name: 'Berlin',
  check_id: 4,
  status: 'failing',
  alert_severity: 'error',
  more_info: '97 % in use',
  last_run: null,
  fresh_until: null,
  fail_count: 1,
  failing_since: null,
  stdout: '',
  stderr: '',
  retcode: null,
  execution_time: null,
}

function givenOverview(me = {}) {
  const server = givenPolicies([testPolicy()], me)
  server.on(getPolicyOverview, () =>
    answer(getPolicyOverview, [
      {
        id: 1,
        name: 'Acme',
        ...NO_SLOTS,
        policies: [BASE],
        sites: [{ id: 1, name: 'Berlin', ...NO_SLOTS, policies: [] }],
      },
    ]),
  )
  server.on(listAssignedPolicies, () =>
    answer(listAssignedPolicies, { name: '', policies: [], modified: '' }),
  )
  server.on(listPolicyChecks, () => answer(listPolicyChecks, [CPU]))
  server.on(listPolicyTasks, () => answer(listPolicyTasks, [RESTART]))
  return server
}

test('the overview shows locations with their policies, and the status of the selected one', async () => {
  givenOverview()
  const { screen, at } = await openConsole('/policies')
  await screen.getByRole('link', { name: 'Policy overview' }).click()
  await expect.element(screen.getByRole('treeitem', { name: 'Acme' })).toBeVisible()
  expect(screen.getByRole('treeitem', { name: 'Berlin' }).elements()).toEqual([])
  await screen.getByRole('checkbox', { name: 'Show locations without policies' }).click()
  await expect.element(screen.getByRole('treeitem', { name: 'Berlin' })).toBeVisible()
  await screen.getByRole('treeitem', { name: 'Base' }).click()
  await expect.poll(at).toBe('/policies/overview?at=client-1%2F1.0')
  const policy = screen.getByRole('region', { name: 'Policy Base' })
  await expect.element(policy.getByText('Applies to 3 machines.')).toBeVisible()
  const checks = policy.getByRole('list', { name: 'Checks of the policy' })
  await expect
    .poll(() => checks.element().textContent)
    .toMatch(/CPU load.*On failure: Restart.*2.*error.*1.*warning.*14.*passing/)
})

test('one click shows the status of a check on each machine', async () => {
  const server = givenOverview()
  server.on(listPolicyCheckStatus, () => answer(listPolicyCheckStatus, [ON_ALPHA]))
  const { screen, at } = await openConsole('/policies/overview?at=client-1/1.0')
  await screen.getByRole('button', { name: 'Machines of CPU load' }).click()
  const words = /failing · error.*alpha.*Acme, Berlin.*97 % in use.*never/
  const row = page.getByRole('dialog').getByRole('row', { name: words })
  await row.dblClick()
  await expect.poll(at).toBe('/agents/alpha0000000?pane=checks')
})

test('the page of a policy describes the saved version, also while it is edited', async () => {
  const server = givenOverview()
  server.on(getPolicy, () => answer(getPolicy, testPolicy()))
  server.on(listPolicyCheckStatus, () => answer(listPolicyCheckStatus, [ON_ALPHA]))
  const { screen, at } = await openConsole('/policies/1')
  const checks = screen.getByRole('list', { name: 'Checks of the policy' })
  await expect.element(checks.getByRole('button', { name: 'Machines of CPU load' })).toBeVisible()
  expect(checks.element().textContent).toMatch(/CPU load.*2.*error.*1.*warning.*14.*passing/)
  await screen.getByRole('checkbox', { name: 'Active' }).click()
  await checks.getByRole('button', { name: 'Machines of CPU load' }).click()
  await expect.poll(at).toBe('/policies/1?dialog=policy-status&item=check.10000001')
  await expect
    .element(page.getByRole('dialog').getByRole('row', { name: /alpha.*97 % in use/ }))
    .toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await expect.element(screen.getByRole('button', { name: 'Discard' })).toBeVisible()
})

test('a task runs on its machines after a question, and says how many were reached', async () => {
  const server = givenOverview()
  server.on(runPolicyTask, () => answer(runPolicyTask, { sent: 2, offline: 1 }))
  const { screen } = await openConsole('/policies/overview?at=client-1/1.0')
  await screen.getByRole('button', { name: 'Run Restart' }).click()
  expect(server.calls(runPolicyTask)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Run task' }).click()
  await expect.element(screen.getByText('Sent to 2 machines. 1 machine offline.')).toBeVisible()
})

test('without permission to run tasks there is no way to', async () => {
  givenOverview({ is_superuser: false, permissions: ['can_list_automation_policies', 'can_list_clients'] })
  const { screen } = await openConsole('/policies/overview?at=client-1/1.0')
  await expect.element(screen.getByRole('button', { name: 'Machines of Restart' })).toBeVisible()
  expect(screen.getByRole('button', { name: 'Run Restart' }).elements()).toEqual([])
})

test('a deleted check and an empty overview show a note', async () => {
  const server = givenOverview()
  server.on(listPolicyCheckStatus, () => refuse('not_found', 'no'))
  server.on(getPolicyOverview, () => answer(getPolicyOverview, []))
  const { screen } = await openConsole('/policies/overview?dialog=policy-status&item=check.7')
  await expect.element(page.getByRole('dialog').getByText(/Not found\./)).toBeVisible()
  await expect.element(screen.getByText('No policies assigned yet.')).toBeInTheDocument()
  await expect
    .element(screen.getByRole('link', { name: 'Go to policies' }))
    .toHaveAttribute('href', '/policies')
})
