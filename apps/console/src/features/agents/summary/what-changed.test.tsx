import type { AgentDetail } from '@muster/contract/api/agents'
import { listAlerts } from '@muster/contract/api/alerts'
import { getPatchStatus, listPatches } from '@muster/contract/api/patches'
import { listMachineChanges, type TimelineEntry } from '@muster/contract/api/timeline'
import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../../testing/test-server.ts'
import { testAlert } from '../../alerts/test-alerts.ts'
import { AGENT, givenChecks, testCheck, testSamples } from '../../checks/test-checks.ts'
import { formatDate } from '../../../ui/layout/date-format.ts'
import { describeChange, markersOf, rangeSince } from './what-changed.ts'

const NOW = Math.floor(Date.now() / 1000)
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

const entry = (from: number, more: Partial<TimelineEntry>): TimelineEntry => ({
  kind: 'change',
  from,
  to: from,
  text: '',
  severity: null,
  by: '',
  id: null,
  ...more,
})

/** Newest first, as the server sends them. */
const CHANGES = [
  entry(NOW - 300, { kind: 'run', id: 9, text: 'systemctl status nginx', by: 'ines' }),
  entry(NOW - 3500, { kind: 'change', id: 5, text: 'Restarted service nginx', by: 'ada' }),
  entry(NOW - 3650, { kind: 'system', text: 'Software: updated nginx 1.22 → 1.24' }),
]

const FAILING = testCheck(
  { id: 7 },
  { status: 'failing', alert_severity: 'error', failing_since: iso(NOW - 3600), more_info: '95 % in use' },
)

async function givenChanged(changes: TimelineEntry[], checks = [FAILING], agent: Partial<AgentDetail> = {}) {
  const given = await givenChecks({ checks, agent, samples: testSamples([20, 95, 96]) })
  given.server.on(listMachineChanges, () => answer(listMachineChanges, { changes, next: null }))
  await given.open(`/agents/${AGENT}`)
  return given
}

test('the curve of a disk goes on to the day on which it is full', async () => {
  const settings = {
    check_type: 'diskspace',
    disk: '/',
    threshold_unit: 'percent',
    warning_threshold: 15,
    error_threshold: 10,
  } as const
  const disk = testCheck(
    { id: 7, settings, readable_desc: 'Disk /' },
    { status: 'failing', alert_severity: 'error', failing_since: iso(NOW - 3600) },
  )
  // 1 % less each day; 5 % are left.
  const points = Array.from({ length: 7 * 24 }, (_, hour): [number, number, number, number] => {
    const free = 5 + (7 * 24 - 1 - hour) / 24
    return [NOW - (7 * 24 - 1 - hour) * 3600, free, free, free]
  })
  const { server, open } = await givenChecks({
    checks: [disk],
    samples: testSamples([], { resolution: 3600, series: [{ name: 'free_percent', unit: '%', points }] }),
  })
  server.on(listMachineChanges, () => answer(listMachineChanges, { changes: [], next: null }))
  await open(`/agents/${AGENT}`)
  const day = formatDate(NOW + 5 * 86_400, 'ddd, MMM D')
  await expect.element(section('What changed').getByText(`Forecast: full on ${day}`)).toBeInTheDocument()
})

const section = (name: string) => page.getByRole('region', { name })

test('changes since the worst failing check was healthy stand beside its curve, the oldest first', async () => {
  const { server } = await givenChanged(CHANGES)
  const changed = section('What changed')
  await expect.element(changed.getByText('since CPU load was healthy')).toBeVisible()
  await expect.element(changed.getByRole('slider', { name: /CPU load/ })).toBeVisible()
  const texts = changed
    .getByRole('listitem')
    .elements()
    .map(({ textContent }) => textContent)
  expect(texts).toHaveLength(3)
  expect(texts[0]).toMatch(/^1Software: updated nginx 1.22 → 1.24/)
  expect(texts[1]).toMatch(/^2Restarted service nginx.*, by ada$/)
  expect(texts[2]).toMatch(/^3Ran systemctl status nginx.*, by ines$/)
  // A third of the failure before it, so that the healthy curve is visible.
  const from = Number(
    server
      .calls(listMachineChanges)
      .find(({ search }) => search.get('limit') === '50')
      ?.search.get('from'),
  )
  expect(NOW - 3600 - from).toBeGreaterThanOrEqual(1199)
  await changed.getByRole('button', { name: 'Ran systemctl status nginx' }).click()
  await expect.element(page.getByRole('tab', { name: 'History', selected: true })).toBeVisible()
})

test('without a failing check the changes of seven days are shown with the processor', async () => {
  await givenChanged([], [testCheck({ id: 1 })])
  await expect.element(section('What changed').getByText('in the last 7 days')).toBeVisible()
  await expect.element(section('What changed').getByText('No known changes.')).toBeVisible()
})

test('another period can be chosen', async () => {
  const { server } = await givenChanged(CHANGES)
  const changed = section('What changed')
  await changed.getByRole('combobox', { name: 'Period' }).click()
  await page.getByRole('option', { name: 'Last day' }).click()
  await expect.element(changed.getByText('in the last day')).toBeVisible()
  await vi.waitFor(() => {
    const froms = server.calls(listMachineChanges).map(({ search }) => Number(search.get('from')))
    expect(froms.some((from) => Math.abs(NOW - 86_400 - from) < 3600)).toBe(true)
  })
})

test('the last actions are those of users', async () => {
  await givenChanged(CHANGES)
  const actions = section('Last actions').getByRole('listitem')
  await expect.element(actions.nth(1)).toBeVisible()
  expect(actions.elements().map(({ textContent }) => textContent)).toEqual([
    'Ran systemctl status nginxines5 minutes ago',
    expect.stringMatching(/^Restarted service nginxada(58|59) minutes ago$/),
  ])
})

test('open alerts, missing patches and a needed reboot stand at the right', async () => {
  const given = await givenChecks({ agent: { needs_reboot: true } })
  const patch = {
    id: 1,
    guid: 'a',
    source: 'apt' as const,
    title: 'openssl',
    kb: '',
    version: '3',
    description: '',
    severity: 'Critical' as const,
    security: true,
    size: null,
    needs_reboot: false,
    action: 'inherit' as const,
    by_policy: false,
    installed: false as const,
  }
  given.server.on(listPatches, () => Response.json([patch, { ...patch, id: 2, severity: null }]))
  given.server.on(getPatchStatus, () =>
    answer(getPatchStatus, {
      looked_at: iso(NOW),
      changed_at: iso(NOW),
      problem: null,
      left_out: 0,
      last_install: null,
    }),
  )
  given.server.on(listAlerts, ({ body }) =>
    answer(listAlerts, {
      alerts_count: 'agentFilter' in Object(body) ? 1 : 0,
      worst: 'error',
      alerts: [testAlert({ acknowledged_by: 'ines' })],
    }),
  )
  await given.open(`/agents/${AGENT}`)
  await expect
    .element(section('Open alerts').getByRole('button', { name: /^Disk space of \/srv/ }))
    .toBeVisible()
  await expect.element(section('Open alerts').getByText('Acknowledged by ines')).toBeVisible()
  await vi.waitFor(() =>
    expect(section('Patches and reboot').element().textContent).toBe(
      'Patches and rebootPatchesPatches2 missing, 1 criticalRebootneeded',
    ),
  )
})

test('the range begins before the failure; without a failure it is seven days', () => {
  expect(rangeSince({ check: { ...FAILING, check_result: { ...FAILING.check_result, failing_since: iso(9000) } } }, undefined, 12_000)).toEqual({ from: 8000, to: 12_000 }) // prettier-ignore
  expect(rangeSince({ check: { ...FAILING, check_result: { ...FAILING.check_result, failing_since: iso(11_940) } } }, undefined, 12_000)).toEqual({ from: 11_040, to: 12_000 }) // prettier-ignore
  expect(rangeSince({ metric: 'cpu' }, undefined, 700_000)).toEqual({ from: 95_200, to: 700_000 })
  expect(rangeSince({ check: FAILING }, 'hour', 700_000)).toEqual({ from: 696_400, to: 700_000 })
})

test('markers that would overlap are one', () => {
  const changes = [entry(0, {}), entry(20, {}), entry(500, {}), entry(2000, {})]
  expect(markersOf(changes, { from: 0, to: 1000 }).map(({ label, left }) => [label, left])).toEqual([
    ['1–2', 0],
    ['3', 50],
    ['4', 100],
  ])
})

test('a change is a sentence', () => {
  expect(describeChange(entry(0, { kind: 'run', text: 'make\nall' }))).toBe('Ran make')
  expect(describeChange(entry(0, { kind: 'run', text: 'make', severity: 'error' }))).toBe(
    'Failed to run make',
  )
  expect(describeChange(entry(0, { kind: 'reboot', text: 'Started' }))).toBe('System started')
})
