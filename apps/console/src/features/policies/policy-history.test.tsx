import {
  editPolicy,
  getEffectivePolicy,
  getPolicy,
  listPolicyVersions,
  planPolicy,
} from '@muster/contract/api/policies'
import { beforeEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { answer } from '../../testing/test-server.ts'
import { documentOf } from './policy-draft.ts'
import { givenPolicies, testPolicy } from './test-policies.ts'

beforeEach(() => givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' }))

const dialog = () => page.getByRole('dialog')

test('the changes of a save are listed, and an earlier version is restored after its plan', async () => {
  const now = testPolicy({ version: 2, name: 'Servers' })
  const server = givenPolicies([now])
  server.on(getPolicy, () => answer(getPolicy, now))
  server.on(planPolicy, () =>
    answer(planPolicy, { token: 'token 1', agents_count: 3, lines: [], agents: [] }),
  )
  server.on(editPolicy, () => answer(editPolicy, testPolicy({ version: 3 })))
  const at = '2026-11-21T10:00:00.000Z'
  server.on(listPolicyVersions, () =>
    answer(listPolicyVersions, [
      { version: 2, at, by: 'ada', reason: 'A better name', policy: documentOf(now) },
      { version: 1, at, by: 'bob', reason: '', policy: documentOf(testPolicy()) },
    ]),
  )
  const { screen } = await openConsole('/policies/1')
  const versions = screen.getByRole('list', { name: 'Versions of the policy' })
  await expect.element(versions.getByText('A better name')).toBeVisible()
  await versions.getByRole('button', { name: 'Show changes' }).first().click()
  await expect.element(dialog().getByText(/"name": "Base"/)).toBeVisible()
  await expect.element(dialog().getByText(/"name": "Servers"/)).toBeVisible()
  await page.getByRole('button', { name: 'Close' }).first().click()
  await versions.getByRole('button', { name: 'Revert to this version' }).click()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => server.calls(editPolicy)[0]?.body)
    .toMatchObject({ name: 'Base', plan: 'token 1', reason: 'Reverted to version 1' })
})

test('the origin of a check lists the chain and the overridden items', async () => {
  const server = givenPolicies([])
  server.on(getEffectivePolicy, () =>
    answer(getEffectivePolicy, {
      agent_id: 'alpha0000000',
      hostname: 'alpha',
      client_name: 'Acme',
      site_name: 'Berlin',
      monitoring_type: 'server',
      blocks: { agent: false, site: false, client: false },
      chain: [
        { ...LINK, policy: 1, policy_name: 'Base', level: 'site', outcome: 'applies' },
        { ...LINK, policy: 2, policy_name: 'Company', level: 'default', outcome: 'applies' },
        { ...LINK, policy: 3, policy_name: 'Old', level: 'default', outcome: 'inactive' },
      ],
      items: [
        {
          kind: 'checks',
          key: '["cpuload"]',
          what: 'CPU load: error at 70 %',
          check_id: 12,
          task_id: null,
          source: { own: false, policy: 1, policy_name: 'Base', level: 'site' },
          overrode: [
            {
              what: 'CPU load: error at 95 %',
              check_id: null,
              task_id: null,
              source: { own: false, policy: 2, policy_name: 'Company', level: 'default' },
              lost: 'nearer',
            },
          ],
        },
      ],
      unfit: [],
    }),
  )
  await openConsole('/?dialog=why-check&item=alpha0000000.12')
  await expect.element(dialog().getByText(/^From .*Base/)).toBeVisible()
  await expect.element(dialog().getByText(/^Instead of .*95 %/)).toBeVisible()
  for (const name of ['Company', 'Old']) await expect.element(dialog().getByText(name).first()).toBeVisible()
})

const LINK = { enforced: false, search: null, monitoring_type: null }
