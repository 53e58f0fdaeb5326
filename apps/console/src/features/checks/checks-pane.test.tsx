import {
  createCheck,
  deleteCheck,
  listAgentChecks,
  resetAllChecks,
  resetCheck,
  runChecks,
} from '@muster/contract/api/checks'
import { listDroppedResults } from '@muster/contract/api/timeline'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { queryKey } from '../../app/api/query-key.ts'
import { answer, refuse } from '../../testing/test-server.ts'
import { testCounts } from '../agents/test-machines.ts'
import { AGENT, givenChecks, testCheck } from './test-checks.ts'

const AT = `/agents/${AGENT}?pane=checks`
const FULL = testCheck(
  {
    id: 2,
    readable_desc: 'Disk space of /srv',
    run_interval: 60,
    settings: {
      check_type: 'diskspace',
      disk: '/srv',
      threshold_unit: 'percent',
      warning_threshold: 25,
      error_threshold: 10,
    },
  },
  { status: 'failing', alert_severity: 'error', more_info: '1 GB of 20 GB free (5 %)' },
)
const PING = { check_type: 'ping', name: 'Router', ip: '192.0.2.1', alert_severity: 'error' } as const
const NEW = testCheck(
  {
    id: 3,
    readable_desc: 'Ping Router',
    settings: PING,
  },
  { status: 'pending', more_info: '', last_run: null },
)

test('each check shows state, result, last run and interval', async () => {
  await (await givenChecks({ checks: [testCheck(), FULL, NEW] })).open(AT)
  for (const name of [
    /^passing CPU load 12 % in use on average \d+ (seconds|minutes?) ago 2 min/,
    /^failing · error Disk space of .srv 1 GB of 20 GB free \(5 %\) \d+ (seconds|minutes?) ago 1 min/,
    /^no results Ping Router – never 2 min/,
  ]) {
    await expect.element(page.getByRole('row', { name })).toBeVisible()
  }
  await expect.element(page.getByText('1 failing, 1 without results, 1 passing')).toBeVisible()
})

test('a check that is not measured has a state of its own, which names the cure', async () => {
  const cure = 'Not measured: ping is missing on this machine. To install it: apt-get install iputils-ping'
  const lacking = testCheck(
    { id: 4, readable_desc: 'Ping Router', settings: PING },
    { status: 'not_measured', alert_severity: null, more_info: cure },
  )
  await (await givenChecks({ checks: [FULL, lacking] })).open(AT)
  await expect
    .element(page.getByRole('row', { name: /^not measured Ping Router Not measured: ping/ }))
    .toBeVisible()
  await expect.element(page.getByText('1 failing, 1 not measured')).toBeVisible()
})

test('a pass that is older than twice its interval is grey, with its age', async () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const old = testCheck({ id: 5 }, { last_run: ago(57), fresh_until: ago(53) })
  await (await givenChecks({ checks: [old, FULL] })).open(AT)
  await expect.element(page.getByRole('row', { name: /^old · 57 min CPU load/ })).toBeVisible()
  await expect.element(page.getByText('1 failing, 1 old')).toBeVisible()
})

test('a hostile description is text', async () => {
  const name = '<img src=x onerror=alert(1)>'
  await (
    await givenChecks({
      checks: [testCheck({ readable_desc: name, settings: { ...PING, name } }, { more_info: name })],
    })
  ).open(AT)
  await expect.element(page.getByRole('row', { name: /<img/ })).toBeVisible()
  expect(document.querySelector('[role=grid] img')).toBeNull()
})

test("without checks the pane offers the types of the machine's system", async () => {
  const { open } = await givenChecks()
  const { at } = await open(AT)
  await expect.element(page.getByText(/alpha has no checks yet/)).toBeVisible()
  await page.getByRole('button', { name: 'New check' }).click()
  await expect.element(page.getByRole('menuitem', { name: 'Disk space' })).toBeVisible()
  expect(
    page
      .getByRole('menu')
      .last()
      .getByRole('menuitem')
      .elements()
      .map((item) => item.textContent),
  ).toEqual([
    'Disk space',
    'CPU load',
    'Memory',
    'Ping',
    'Service',
    'Process',
    'File',
    'Journal',
    'Script',
    'HTTP',
    'TCP port',
    'DNS',
  ])
  await page.getByRole('menuitem', { name: 'CPU load' }).click()
  await expect.element(page.getByRole('dialog', { name: 'New check of alpha: CPU load' })).toBeVisible()
  expect(at()).toContain(`dialog=add-check&item=${AGENT}.cpuload`)
})

test('a failing server shows the error and a retry button', async () => {
  const { server, open } = await givenChecks()
  server.on(listAgentChecks, () => refuse('invalid', 'The checks cannot be read.'))
  await open(AT)
  await expect.element(page.getByText('The checks cannot be read.')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible()
})

test('a role without permission sees the refusal, and nothing is requested', async () => {
  const { server, open } = await givenChecks({
    me: { is_superuser: false, permissions: ['can_list_agents', 'can_list_clients'] },
  })
  await open(AT)
  await expect.element(page.getByText('Your role does not allow you to see checks.')).toBeVisible()
  expect(server.calls(listAgentChecks)).toEqual([])
})

test('a read-only role opens the history and changes nothing', async () => {
  const { open } = await givenChecks({
    checks: [testCheck()],
    me: { is_superuser: false, permissions: ['can_list_agents', 'can_list_clients', 'can_list_checks'] },
  })
  await open(AT)
  await expect.element(page.getByRole('row', { name: /CPU load/ })).toBeVisible()
  await expect.element(page.getByRole('button', { name: /New check|Clear all/ })).not.toBeInTheDocument()
  await expect
    .element(page.getByRole('button', { name: 'Run checks now' }))
    .toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('row', { name: /CPU load/ }).dblClick()
  await expect.element(page.getByRole('dialog', { name: /CPU load on alpha/ })).toBeVisible()
})

test('an offline machine continues its checks; none can be run now', async () => {
  const { server, open } = await givenChecks({ checks: [testCheck()], agent: { connected: false } })
  await open(AT)
  await expect.element(page.getByText(/alpha is offline. Checks continue/)).toBeVisible()
  const run = page.getByRole('button', { name: 'Run checks now' })
  await run.click({ force: true })
  await expect.element(run).toHaveAttribute('aria-disabled', 'true')
  expect(server.calls(runChecks)).toEqual([])
})

test('checks are walked, opened and acted on by the keyboard', async () => {
  const { server, open } = await givenChecks({ checks: [testCheck(), FULL] })
  const { at } = await open(AT)
  await expect.element(page.getByRole('row', { name: /Disk space/ })).toBeVisible()
  page.getByRole('grid', { name: 'Checks' }).element().focus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  expect(at()).toContain('entry=2')
  await userEvent.keyboard('{Shift>}{F10}{/Shift}')
  const menu = page.getByRole('menu', { name: 'Actions on Disk space of /srv' })
  await expect.element(menu).toBeVisible()
  await menu.getByRole('menuitem', { name: 'Run check' }).click()
  await expect.element(page.getByText('Started Disk space of /srv on alpha.')).toBeVisible()
  expect(server.calls(runChecks)[0]?.body).toEqual({ ids: [2] })
  page.getByRole('grid', { name: 'Checks' }).element().focus()
  await userEvent.keyboard('{Home}{Enter}')
  await expect.element(page.getByRole('dialog', { name: 'Edit CPU load' })).toBeVisible()
})

test('all checks run at once; clearing all statuses asks first', async () => {
  const { server, open } = await givenChecks({ checks: [testCheck(), FULL] })
  await open(AT)
  await page.getByRole('button', { name: 'Run checks now' }).click()
  await expect.element(page.getByText('Checks started on alpha.')).toBeVisible()
  expect(server.calls(runChecks)[0]?.body).toEqual({})
  await page.getByRole('button', { name: 'Clear all statuses' }).click()
  expect(server.calls(resetAllChecks)).toEqual([])
  await page
    .getByRole('dialog', { name: 'Clear the status of all checks on alpha?' })
    .getByRole('button', { name: 'Clear statuses' })
    .click()
  await expect.element(page.getByText('2 checks are pending until the next run.')).toBeVisible()
  expect(server.calls(resetAllChecks)).toHaveLength(1)
})

test('one status is cleared at once, a check deleted after a question', async () => {
  const { server, open } = await givenChecks({ checks: [testCheck()] })
  await open(AT)
  const row = page.getByRole('row', { name: /CPU load/ })
  await row.click({ button: 'right' })
  await page.getByRole('menuitem', { name: /^Clear status/ }).click()
  await expect.element(page.getByText('CPU load is pending until its next run.')).toBeVisible()
  expect(server.calls(resetCheck)).toHaveLength(1)
  await row.click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const question = page.getByRole('dialog', { name: 'Delete this check?' })
  expect(server.calls(deleteCheck)).toEqual([])
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect.element(page.getByText('Check deleted.')).toBeVisible()
})

test('new results are shown and counted in the tab', async () => {
  const { state, open } = await givenChecks({
    checks: [testCheck()],
    agent: {
      checks: testCounts({ total: 3, passing: 1, failing: 1, warning: 1, has_failing_checks: true }),
    },
  })
  const { queryClient } = await open(AT)
  await expect.element(page.getByRole('tab', { name: 'Checks 2 failing' })).toBeVisible()
  await expect.element(page.getByRole('row', { name: /passing/ })).toBeVisible()
  state.checks = [testCheck({}, { status: 'failing', alert_severity: 'warning' })]
  await queryClient.invalidateQueries({ queryKey: queryKey(listAgentChecks) })
  await expect.element(page.getByRole('row', { name: /failing · warning/ })).toBeVisible()
})

test('in a narrow window checks are cards with the same actions', async () => {
  const { open } = await givenChecks({ checks: [FULL] })
  await page.viewport(390, 844)
  await open(AT)
  await expect.element(page.getByText('1 GB of 20 GB free (5 %)')).toBeVisible()
  await page.getByRole('button', { name: 'Actions on Disk space of /srv' }).click()
  await page.getByRole('menuitem', { name: 'Show history' }).click()
  await expect.element(page.getByRole('dialog', { name: /Disk space of \/srv on alpha/ })).toBeVisible()
})

test('opening a dialog creates nothing', async () => {
  const { server, open } = await givenChecks({ checks: [FULL] })
  await open(`${AT}&dialog=add-check&item=${AGENT}.nonsense`)
  await expect.element(page.getByText('Unknown check type')).toBeVisible()
  expect(server.calls(createCheck)).toEqual([])
})

test('a row shows its dependency and that alerts are suppressed while it fails', async () => {
  const dependency = { id: 7, agent_id: AGENT, hostname: 'GW-1', readable_desc: 'Ping Router' }
  const failing = { status: 'failing', alert_severity: 'error' } as const
  const { open } = await givenChecks({
    checks: [
      testCheck({ depends_on: 7, dependency: { ...dependency, status: 'failing' } }, failing),
      testCheck({ id: 2, depends_on: 8, dependency: null }),
    ],
  })
  await open(AT)
  const marked = (name: string) => page.getByRole('img', { name, exact: true })
  await expect
    .element(marked('Depends on Ping Router of GW-1, which is failing: alerts are suppressed'))
    .toBeVisible()
  await expect.element(marked('Depends on a check that you may not see')).toBeVisible()
})

test('dropped results are reported with number and time', async () => {
  const { server, open } = await givenChecks({ checks: [testCheck()] })
  server.on(listDroppedResults, () =>
    answer(listDroppedResults, [
      { from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T11:00:00.000Z', count: 30 },
      { from: '2026-11-18T10:00:00.000Z', to: '2026-11-18T11:00:00.000Z', count: 12 },
    ]),
  )
  await open(`/agents/${AGENT}?pane=checks`)
  await expect.element(page.getByText(/42 results are missing/)).toBeVisible()
})
