import {
  decidePatches,
  findPatches,
  type FleetPatch,
  getPatchSummary,
  listPatchFailures,
  listPatchMachines,
  scanPatches,
} from '@muster/contract/api/patches'
import { planFleetJob } from '@muster/contract/api/fleet-jobs'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'

const SSL = 'a'.repeat(32)
const AT = '2026-11-22T10:00:00.000Z'
const known = (title: string, more: Partial<FleetPatch> = {}): FleetPatch => ({
  guid: title,
  source: 'apt',
  title,
  kb: '',
  version: '2.0',
  severity: '',
  security: false,
  needs_reboot: false,
  patch: title.padEnd(32, '0').replaceAll(/[^0-9a-f]/g, '0'),
  first_seen: AT,
  machines: 2,
  approved: 0,
  ignored: 0,
  ...more,
})
const PATCHES = [
  known('openssl', { patch: SSL, severity: 'Critical', security: true, needs_reboot: true, machines: 41 }),
  known('<b>tzdata</b>', { approved: 1, ignored: 1 }),
]

async function openPatches(rows: FleetPatch[], scanned = 50) {
  const { server, open } = await givenDashboard()
  server.on(findPatches, () =>
    answer(findPatches, { total: rows.length, page: 1, page_size: 200, results: rows }),
  )
  server.on(getPatchSummary, () =>
    answer(getPatchSummary, {
      machines: 60,
      scanned,
      up_to_date: 9,
      failed_scans: 1,
      severities: [{ severity: 'Critical', security: true, patches: 1, machines: 41 }],
      days: [
        { day: '2026-11-21', scanned: 50, up_to_date: 40 },
        { day: '2026-11-22', scanned: 50, up_to_date: 9 },
      ],
    }),
  )
  const alpha = { agent_id: 'alpha0000000', hostname: 'alpha', client: 'Acme', site: 'Berlin' }
  const machine = {
    ...alpha,
    plat: 'linux',
    action: 'inherit',
    current_version: '1.0',
    looked_at: AT,
  } as const
  server.on(listPatchMachines, () => answer(listPatchMachines, [machine]))
  const reason = 'Another program holds the lock.'
  server.on(listPatchFailures, () =>
    answer(listPatchFailures, [{ ...alpha, connected: true, kind: 'scan', reason, at: AT, run: null }]),
  )
  server.on(decidePatches, () => answer(decidePatches, { machines: 41 }))
  const status = { looked_at: null, changed_at: null, problem: null, left_out: 0, last_install: null }
  server.on(scanPatches, () => answer(scanPatches, status))
  return { server, ...(await open('/patches')) }
}

const row = (name: string) => page.getByRole('row').filter({ hasText: name })

test('patches of all machines are listed with the compliance of the fleet', async () => {
  const { server, at } = await openPatches(PATCHES)
  await expect.element(page.getByText('9 of 50 scanned machines up to date (18 %)')).toBeVisible()
  await expect.element(page.getByText('41 machines miss critical security patches')).toBeVisible()
  await expect.element(page.getByText('10 not scanned yet')).toBeVisible()
  await expect.element(row('openssl').getByText('41')).toBeVisible()
  await expect.element(row('<b>tzdata</b>').getByText('1 approved, 1 ignored')).toBeVisible()
  await page.getByRole('combobox', { name: 'Severity' }).click()
  await page.getByRole('option', { name: 'Critical' }).click()
  await expect.poll(() => server.calls(findPatches).at(-1)?.search.get('severity')).toBe('Critical')
  expect(at()).toBe('/patches?severity=Critical')
})

test('checked patches are approved on all machines that can install them', async () => {
  const { server } = await openPatches(PATCHES)
  await page.getByRole('checkbox', { name: 'Select openssl' }).click()
  await expect.element(page.getByText('1 selected')).toBeVisible()
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect.element(page.getByText('Approved on 41 machines.')).toBeVisible()
  expect(server.calls(decidePatches).at(-1)?.body).toEqual({ patches: [SSL], action: 'approve' })
  await expect.element(page.getByText('Select patches to decide')).toBeVisible()
})

test('a selected patch shows its machines, and failures show their reason and can be retried', async () => {
  const { server, at } = await openPatches(PATCHES)
  await row('openssl').click()
  await expect.element(row('alpha').getByText('Acme, Berlin')).toBeVisible()
  expect(at()).toBe(`/patches?patch=${SSL}`)
  await page.getByRole('button', { name: 'Show failures' }).click()
  await expect.element(page.getByText('Another program holds the lock.')).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.element(page.getByText('alpha scans for patches.')).toBeVisible()
  expect(server.calls(scanPatches)).toHaveLength(1)
})

test('a fleet without pending patches says so', async () => {
  await openPatches([], 60)
  await expect
    .element(page.getByText('No machine has a pending patch. Agents scan every six hours.'))
    .toBeVisible()
})

test('without a pending patch, the machines that are not scanned yet are counted and can be scanned', async () => {
  const { server } = await openPatches([])
  server.on(planFleetJob, () => refuse('invalid', 'No plan in this test.'))
  await expect
    .element(page.getByText('10 machines are not scanned for patches yet. The others have no pending patch.'))
    .toBeVisible()
  await page.getByRole('button', { name: 'Scan these machines' }).click()
  const dialog = page.getByRole('dialog', { name: 'New job' })
  await dialog.getByRole('button', { name: 'Plan' }).click()
  await expect
    .poll(() => server.calls(planFleetJob)[0]?.body)
    .toMatchObject({
      action: { type: 'scan_patches' },
      target: { by: 'search', search: 'patch:unscanned' },
    })
})
