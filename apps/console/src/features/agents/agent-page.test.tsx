import { approveDefinitions, listWaitingDefinitions } from '@muster/contract/api/tasks'
import { listAlerts } from '@muster/contract/api/alerts'
import { getPatchStatus, listPatches } from '@muster/contract/api/patches'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { AGENT, givenChecks, testCheck } from '../checks/test-checks.ts'
import { testDetail } from '../dashboard/test-dashboard.ts'
import { testPatch } from '../patches/test-patches.ts'

test('on a phone the actions of a machine are a bar below its Summary, large enough for a finger', async () => {
  const { open } = await givenChecks({ checks: [testCheck()] })
  await page.viewport(390, 844)
  await open(`/agents/${AGENT}`)
  const bar = page.getByRole('group', { name: 'Actions' })
  const names = ['Terminal', 'Run script', 'More'] as const
  for (const name of names) await expect.element(bar.getByRole('button', { name })).toBeVisible()
  const boxes = names.map((name) => bar.getByRole('button', { name }).element().getBoundingClientRect())
  for (const { height, width } of boxes) {
    expect(height).toBe(44)
    expect(width).toBeGreaterThanOrEqual(44)
  }
  const edge = bar.element().getBoundingClientRect()
  expect(edge.bottom).toBeCloseTo(844, 0)
  // Nothing of the Summary is below the bar.
  expect(page.getByRole('tabpanel').element().getBoundingClientRect().bottom).toBeLessThanOrEqual(edge.top)
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
  await bar.getByRole('button', { name: 'More' }).click()
  await expect.element(page.getByRole('menuitem', { name: /^Take control/ })).toBeInViewport()
  await page.viewport(1440, 900)
  await expect.element(page.getByRole('button', { name: 'Actions' })).toBeVisible()
  expect(bar.elements()).toHaveLength(0)
})

test('the head has the description, the tags and the three most used actions', async () => {
  const { open } = await givenChecks({ agent: { description: 'File server', tags: ['imaging'] } })
  await open(`/agents/${AGENT}`)
  const main = page.getByRole('main')
  await expect.element(main.getByText('File server')).toBeVisible()
  await expect.element(main.getByRole('link', { name: 'Machines with tag imaging' })).toBeVisible()
  const names = () =>
    main
      .getByRole('button')
      .elements()
      .slice(0, 4)
      .map(({ textContent }) => textContent)
  await expect.poll(names).toEqual(['Take control', 'Terminal', 'Run script', 'Actions'])
  // The Summary does not repeat them.
  expect(page.getByText('File server').elements()).toHaveLength(1)
})

test('tabs count failing checks, missing patches and open alerts, whichever is open', async () => {
  const checks = {
    ...testDetail().checks,
    total: 5,
    passing: 3,
    failing: 1,
    warning: 1,
    info: 0,
    has_failing_checks: true,
  }
  const { server, open } = await givenChecks({ agent: { checks, has_patches_pending: true } })
  const patches = [
    testPatch('tzdata'),
    testPatch('libc6', { severity: 'Critical' }),
    testPatch('vim', { action: 'ignore' }),
    testPatch('bash', { installed: true }),
  ]
  server.on(listPatches, () => answer(listPatches, patches))
  server.on(getPatchStatus, () =>
    answer(getPatchStatus, {
      looked_at: '2026-11-22T10:00:00.000Z',
      changed_at: null,
      problem: null,
      left_out: 0,
      last_install: null,
    }),
  )
  server.on(listAlerts, () => new Response(JSON.stringify({ alerts_count: 3, worst: 'warning', alerts: [] })))
  await open(`/agents/${AGENT}?pane=notes`)
  const tab = (name: string) => page.getByRole('tab', { name, exact: true })
  await expect.element(tab('Checks 2 failing')).toBeVisible()
  await expect.element(tab('Patches 2 missing')).toBeVisible()
  await expect.element(tab('Alerts 3 open')).toBeVisible()
  await page.getByRole('tab', { name: 'Summary' }).click()
  await expect.element(page.getByText('2 missing, 1 critical')).toBeVisible()
})

const WAITING = [{ kind: 'task' as const, id: 7, name: 'Tidy up', revision: 'r1', policy_name: 'Linux' }]

test('on the machine of the server a user who is no superuser sees why nothing can be done there', async () => {
  const me = { is_superuser: false, permissions: [...PERMISSIONS] }
  const { server, open } = await givenChecks({ agent: { server_machine: true }, me })
  server.on(listWaitingDefinitions, () => answer(listWaitingDefinitions, WAITING))
  await open(`/agents/${AGENT}`)
  await expect.element(page.getByRole('note').getByText(/^This is the machine of the server/)).toBeVisible()
  await expect
    .element(page.getByText(/^Not running here until a superuser approves: task Tidy up/))
    .toBeVisible()
  expect(page.getByRole('button', { name: 'Approve' }).elements()).toHaveLength(0)
  await page.getByRole('button', { name: 'Actions' }).click()
  for (const name of [/^Take control/, /^Send command/, /^Run script/, /^Edit /, /^Remove machine/])
    await expect.element(page.getByRole('menuitem', { name })).toBeDisabled()
})

test('a superuser approves what waits for the machine of the server', async () => {
  const { server, open } = await givenChecks({ agent: { server_machine: true } })
  let waiting = WAITING
  server.on(listWaitingDefinitions, () => answer(listWaitingDefinitions, waiting))
  const sent: unknown[] = []
  server.on(approveDefinitions, ({ body }) => {
    sent.push(body)
    waiting = []
    return answer(approveDefinitions, { approved: 1 })
  })
  await open(`/agents/${AGENT}`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect.element(page.getByText(/^Not running here/)).not.toBeInTheDocument()
  expect(sent).toEqual([{ definitions: [{ kind: 'task', id: 7, revision: 'r1' }] }])
})
