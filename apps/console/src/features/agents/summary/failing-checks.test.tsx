import { runChecks } from '@muster/contract/api/checks'
import { controlService } from '@muster/contract/api/services'
import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../../testing/test-server.ts'
import { AGENT, givenChecks, testCheck } from '../../checks/test-checks.ts'
import { describeThreshold, findFailing } from './failing-checks.ts'

const HOUR = 3_600_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const failing = (more: object = {}) => ({ status: 'failing' as const, failing_since: ago(HOUR), ...more })

const SERVICE = {
  check_type: 'service' as const,
  svc_name: 'nginx',
  restart_if_stopped: false,
  pass_if_start_pending: false,
  pass_if_svc_not_exist: false,
  alert_severity: 'warning' as const,
}
const DISK = {
  check_type: 'diskspace' as const,
  disk: '/srv',
  threshold_unit: 'percent' as const,
  warning_threshold: 25,
  error_threshold: 10,
}
const SCRIPT = {
  check_type: 'script' as const,
  script: 3,
  script_args: [],
  env_vars: [],
  timeout: 60,
  info_return_codes: [],
  warning_return_codes: [],
  success_return_codes: [3],
  metric_thresholds: [],
}

/** A service, a disk and a script that fail, and a processor that passes. */
const CHECKS = [
  testCheck({ id: 1 }),
  testCheck(
    { id: 2, settings: SERVICE },
    failing({ alert_severity: 'warning', more_info: 'nginx is stopped' }),
  ),
  testCheck(
    { id: 3, settings: DISK },
    failing({ alert_severity: 'error', more_info: '1 GB of 20 GB free (5 %)', failing_since: ago(2 * HOUR) }),
  ),
  testCheck(
    { id: 4, settings: SCRIPT, script_name: 'Nightly backup' },
    failing({ alert_severity: 'error', more_info: 'exit code 2: not enough space' }),
  ),
]

const section = () => page.getByRole('region', { name: /^(Failing checks|Checks)$/ })
const button = (name: string) => section().getByRole('button', { name })

async function givenSummary(more: Parameters<typeof givenChecks>[0] = { checks: CHECKS }) {
  const given = await givenChecks(more)
  given.server.on(controlService, () =>
    answer(controlService, {
      name: 'nginx',
      display_name: 'nginx',
      description: '',
      status: 'running',
      detail: '',
      start_type: 'auto',
      autodelay: false,
      pid: 7,
      username: 'root',
      binpath: '',
    }),
  )
  await given.open(`/agents/${AGENT}`)
  return given
}

test('the worst check comes first, with its value, its threshold and the time since when it fails', async () => {
  await givenSummary()
  await expect.element(button('Run again: Script Nightly backup')).toBeVisible()
  const rows = section().getByRole('listitem').elements()
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'ErrorDisk space of /srv1 GB of 20 GB free (5 %)fails below 10 %for 2 hOpen filesRun check',
    'ErrorScript Nightly backupexit code 2: not enough spacefails unless exit code 0, 3for 1 hOutputRun again',
    'WarningService nginxnginx is stoppedwarns unless runningfor 1 hRestart serviceRun check',
  ])
  await expect.element(section().getByText('3 of 4')).toBeVisible()
})

test('the actions stay within a pane as narrow as the lower one of the dashboard', async () => {
  await page.viewport(1112, 900)
  await givenSummary()
  await expect.element(button('Run again: Script Nightly backup')).toBeVisible()
  const end = section().element().getBoundingClientRect().right
  const buttons = section().getByRole('listitem').getByRole('button').elements()
  expect(buttons.filter((one) => one.getBoundingClientRect().right > end)).toEqual([])
})

test('a service is restarted and its check run again', async () => {
  const { server, state } = await givenSummary()
  await button('Restart service: Service nginx').click()
  await vi.waitFor(() => expect(server.calls(runChecks)[0]?.body).toEqual({ ids: [2] }))
  expect(server.calls(controlService)).toMatchObject([
    { path: `/services/${AGENT}/nginx/`, body: { sv_action: 'restart' } },
  ])
  await expect.element(page.getByText('Restarted service nginx on alpha.')).toBeVisible()
  state.checks = [testCheck({ id: 1 }), testCheck({ id: 2, settings: SERVICE })]
})

test('a disk leads to its files, a script to its output and to another run', async () => {
  const { server } = await givenSummary()
  const openWindow = vi.spyOn(window, 'open').mockReturnValue(null)
  await button('Open files: Disk space of /srv').click()
  expect(openWindow.mock.calls[0]?.[0]).toBe(`/remotebackground/${AGENT}?tool=files&at=%2Fsrv`)
  openWindow.mockRestore()
  await button('Run again: Script Nightly backup').click()
  await vi.waitFor(() => expect(server.calls(runChecks)[0]?.body).toEqual({ ids: [4] }))
  await button('Output: Script Nightly backup').click()
  await expect.element(page.getByRole('dialog')).toBeVisible()
})

test('an offline machine keeps its values, and each action says why it has to wait', async () => {
  const { server } = await givenSummary({ checks: CHECKS, agent: { connected: false } })
  const restart = button('Restart service: Service nginx')
  await expect.element(restart).toHaveAttribute('aria-disabled', 'true')
  await restart.click({ force: true })
  await expect.element(page.getByRole('tooltip', { name: 'alpha is offline.' })).toBeVisible()
  expect(server.calls(controlService)).toEqual([])
})

test('a role without the permissions sees values but no actions', async () => {
  await givenSummary({
    checks: CHECKS,
    me: { is_superuser: false, permissions: ['can_list_agents', 'can_list_checks'] },
  })
  await expect.element(section().getByText('nginx is stopped')).toBeVisible()
  await expect
    .element(section().getByRole('button', { name: /Restart|Run|Open files/ }))
    .not.toBeInTheDocument()
})

test('passing checks are one line', async () => {
  await givenSummary({ checks: [testCheck({ id: 1 }), testCheck({ id: 2, settings: SERVICE })] })
  await expect.element(section().getByText('All 2 checks pass.')).toBeVisible()
})

test('without checks a policy can be assigned', async () => {
  await givenSummary({ checks: [] })
  await expect.element(section().getByText('No checks yet.')).toBeVisible()
  await button('Assign policy').click()
  await expect.element(page.getByRole('dialog')).toBeVisible()
})

test('the longest failing check of one severity comes first; old results are no failure', () => {
  const now = Date.now()
  const old = testCheck({ id: 9 }, { fresh_until: ago(HOUR) })
  const young = testCheck({ id: 8 }, failing({ alert_severity: 'error', failing_since: ago(60_000) }))
  expect(findFailing([old, ...CHECKS, young], now).map(({ id }) => id)).toEqual([3, 4, 8, 2])
})

test('thresholds are words', () => {
  const words = (settings: Parameters<typeof testCheck>[0], alert_severity: 'error' | 'warning') =>
    describeThreshold(testCheck(settings, { alert_severity }))
  expect(words({}, 'error')).toBe('fails above 90 %')
  expect(words({}, 'warning')).toBe('warns above 70 %')
  expect(words({ settings: { ...DISK, threshold_unit: 'gigabytes' } }, 'error')).toBe('fails below 10 GB')
})
