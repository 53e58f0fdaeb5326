import { getHistoryOutput } from '@muster/contract/api/runs'
import {
  editPatch,
  getPatchPolicy,
  getPatchStatus,
  installPatches,
  listPatches,
  type MachinePatch,
  type MachinePatchPolicy,
  type PatchStatus,
  scanPatches,
  setOwnPatchPolicy,
} from '@muster/contract/api/patches'
import { expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'
import { readProgress } from '../runs/RunView.tsx'
import { testRun } from '../runs/test-run.ts'
import { testPatch } from './test-patches.ts'

const PATCHES = [
  testPatch('tzdata'),
  testPatch('libc6', { security: true, needs_reboot: true }),
  testPatch('<img src=x onerror=alert(1)>', { security: true, severity: 'Critical' }),
]
const STATUS: PatchStatus = {
  looked_at: '2026-11-22T10:00:00.000Z',
  changed_at: '2026-11-22T10:00:00.000Z',
  problem: null,
  left_out: 0,
  last_install: null,
}
const RUN = testRun({ id: 7, type: 'patch_install', command: 'Install 3 patches', state: 'running' })

const NO_POLICY: MachinePatchPolicy = {
  sections: [],
  own: {},
  next: null,
  time_zone: 'UTC',
  ring: 1,
  verdicts: [],
  last: null,
}

async function openPane({ status = STATUS, patches = PATCHES, policy = NO_POLICY } = {}) {
  const given = await givenDashboard()
  const { server } = given
  server.on(listPatches, () => answer(listPatches, patches))
  server.on(getPatchStatus, () => answer(getPatchStatus, status))
  server.on(getPatchPolicy, () => answer(getPatchPolicy, policy))
  const chunks = [{ seq: 1, stream: 'stdout' as const, text: 'Get:1 tzdata\nProgress: 45 %\n' }]
  server.on(getHistoryOutput, () => answer(getHistoryOutput, { history: RUN, chunks }))
  await given.open('/agents/alpha0000000?pane=patches')
  return server
}

const row = (name: string) => page.getByRole('row').filter({ hasText: name })
const button = (name: string) => page.getByRole('button', { name, exact: true })

test('patches are listed by severity, searched, and installed with progress', async () => {
  const server = await openPane()
  server.on(installPatches, () => answer(installPatches, { patches: 2, run: RUN }))
  await expect.element(page.getByText('3 patches, 2 security')).toBeVisible()
  await expect.element(row('libc6').getByText('Security', { exact: true })).toBeVisible()
  const first = page.getByRole('grid', { name: 'Patches' }).getByRole('row').nth(1)
  await expect
    .element(first)
    .toHaveTextContent('Critical<img src=x onerror=alert(1)>1.0 → 2.0Debian:12/stable')
  await page.getByRole('textbox', { name: 'Search patches' }).fill('tz')
  await expect.element(page.getByText('1 of 3 patches, 2 security')).toBeVisible()
  await button('Install security patches').click()
  await expect.element(page.getByRole('heading', { name: 'Install 2 patches on alpha?' })).toBeVisible()
  await button('Install').click()
  await expect
    .element(page.getByRole('region', { name: 'Output' }))
    .toHaveTextContent('Get:1 tzdata Progress: 45 %')
  await expect
    .element(page.getByRole('progressbar', { name: 'Installation' }))
    .toHaveAttribute('aria-valuenow', '45')
  expect(button('Cancel').query()).toBeNull()
  expect(server.calls(installPatches)[0]?.body).toEqual({ guids: ['libc6', '<img src=x onerror=alert(1)>'] })
  await userEvent.keyboard('{Escape}')
  server.on(installPatches, () => refuse('conflict', 'alpha is installing something already, for bob.'))
  await button('Install all').click()
  await button('Install').click()
  await expect.element(page.getByText('alpha is installing something already, for bob.')).toBeVisible()
  expect(server.calls(installPatches)[1]?.body).toEqual({
    guids: ['tzdata', 'libc6', '<img src=x onerror=alert(1)>'],
  })
})

test('a patch is approved or ignored in its menu, and the approved ones are installed', async () => {
  let patches = [
    testPatch('tzdata', { id: 11 }),
    testPatch('libc6', { id: 12 }),
    testPatch('bash', { id: 13 }),
  ]
  const server = await openPane()
  server.on(listPatches, () => answer(listPatches, patches))
  server.on(editPatch, ({ path, body }) => {
    const { action } = body as Pick<MachinePatch, 'action'>
    patches = patches.map((one) => (path.endsWith(`/${one.id}/`) ? { ...one, action } : one))
    return answer(editPatch, testPatch('any', { action }))
  })
  server.on(installPatches, () => answer(installPatches, { patches: 1, run: RUN }))
  await expect.element(button('Install approved')).toBeDisabled()
  const choose = async (name: string, entry: string) => {
    await row(name).click({ button: 'right' })
    await page.getByRole('menuitem', { name: entry }).click()
  }
  await choose('tzdata', 'Approve')
  await expect.element(row('tzdata').getByText('Approved')).toBeVisible()
  await choose('libc6', 'Ignore')
  await expect.element(row('libc6').getByText('Ignored')).toBeVisible()
  await choose('bash', 'Do nothing by policy')
  await expect.element(row('bash').getByText('Manual')).toBeVisible()
  await expect.element(page.getByText('3 patches, 1 approved, 1 ignored')).toBeVisible()
  await button('Install approved').click()
  await expect.element(page.getByRole('heading', { name: 'Install tzdata on alpha?' })).toBeVisible()
  await button('Install').click()
  await expect.poll(() => server.calls(installPatches)[0]?.body).toEqual({ guids: ['tzdata'] })
})

test('installed patches are a list of their own, newest first, and cannot be installed', async () => {
  const at = (day: number) => ({ installed: true, date_installed: `2026-11-${day}T10:00:00.000Z` })
  await openPane({
    patches: [
      ...PATCHES,
      testPatch('old', { id: 1, ...at(10) }),
      testPatch('tzdata', { id: 2, version: '2026a', ...at(20) }),
    ],
  })
  await expect.element(page.getByText('3 patches, 2 security')).toBeVisible()
  await page.getByText('Installed', { exact: true }).click()
  const grid = page.getByRole('grid', { name: 'Installed patches' })
  await expect.element(grid.getByRole('row').nth(1).getByText('2026a')).toBeVisible()
  await expect.element(grid.getByRole('row').nth(2).getByText('old')).toBeVisible()
  await expect.element(page.getByText('2 patches', { exact: true })).toBeVisible()
  expect(button('Install all').query()).toBeNull()
  await page.getByRole('textbox', { name: 'Search patches' }).fill('tz')
  await expect.element(page.getByText('1 of 2 patches', { exact: true })).toBeVisible()
  await page.getByText('Pending', { exact: true }).click()
  await expect.element(row('tzdata').getByText('1.0 → 2.0')).toBeVisible()
})

test('a machine without known installed patches says so', async () => {
  await openPane()
  await page.getByText('Installed', { exact: true }).click()
  await expect.element(page.getByText(/^No installed patches are known/)).toBeVisible()
})

test('the scan error is above the list, and installing is disabled', async () => {
  const problem = 'The lists of packages may be old: no answer.'
  const server = await openPane({ status: { ...STATUS, problem, last_install: RUN } })
  await expect.element(page.getByText(problem)).toBeVisible()
  await expect.element(button('Install all')).toBeDisabled()
  await expect.element(page.getByText(/^Installing, for ada/)).toBeVisible()
  await button('Show output').click()
  await expect
    .element(page.getByRole('region', { name: 'Output' }))
    .toHaveTextContent('Get:1 tzdata Progress: 45 %')
  await userEvent.keyboard('{Escape}')
  server.on(scanPatches, () => refuse('agent_refused', 'alpha: there is no apt.'))
  await button('Scan for patches').click()
  await expect.element(page.getByText('alpha: there is no apt.')).toBeVisible()
})

test('after a failed scan an empty list does not say that nothing is pending', async () => {
  const problem = 'Windows Update failed: PowerShell printed nothing.'
  await openPane({ status: { ...STATUS, problem }, patches: [] })
  await expect.element(page.getByText(problem)).toBeVisible()
  await expect.element(page.getByText('No pending patches are known.')).toBeVisible()
  await expect.element(page.getByText('0 patches')).not.toBeInTheDocument()
})

test('a machine without a scan offers one', async () => {
  const server = await openPane({ status: { ...STATUS, looked_at: null }, patches: [] })
  server.on(scanPatches, () => answer(scanPatches, { ...STATUS, looked_at: null }))
  await button('Start scan').click()
  await expect.poll(() => server.calls(scanPatches)).toHaveLength(1)
})

test.each([
  ['', undefined],
  ['Progress: 5 %\nUnpacking\nProgress: 10 %\nSetting up', 10],
  ['Progress: 999 %\n', 100],
  ['say Progress: 5 %\n', undefined],
])('progress is read off the output: %j', (text, percent) => {
  expect(readProgress(text)).toBe(percent)
})

test('More info opens only the first web page of a patch, in a new window', async () => {
  const patches = [
    testPatch('KB1', { more_info_urls: ['javascript:alert(1)', 'https://support.microsoft.com/help/1'] }),
    testPatch('KB2', { more_info_urls: ['file:///etc/passwd'] }),
  ]
  await openPane({ patches })
  const open = vi.spyOn(window, 'open').mockReturnValue(null)
  onTestFinished(() => open.mockRestore())
  await row('KB1').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'More info' }).click()
  expect(open.mock.calls).toEqual([['https://support.microsoft.com/help/1', '_blank', 'noopener,noreferrer']])
  await expect.element(page.getByRole('menu')).not.toBeInTheDocument()
  await row('KB2').click({ button: 'right' })
  await expect.element(page.getByText('No page available')).toBeVisible()
})

const POLICY: MachinePatchPolicy = {
  sections: [
    {
      section: 'approval',
      what: 'Approve critical at once',
      policy: { id: 3, name: '<b>Base</b>' },
    },
    { section: 'schedule', what: 'Install every day at 03:00', policy: null },
  ],
  own: {
    schedule: { recurs: 'weekly', weekdays: [1, 6], month_days: [], time: '03:00', late_hours: 24 },
  },
  next: { at: '2026-11-29T02:00:00.000Z', until: '2026-11-30T02:00:00.000Z' },
  time_zone: 'Europe/Zurich',
  ring: 2,
  verdicts: [{ id: 1, decision: 'wait', at: null, why: 'waits for an installation in ring 1' }],
  last: {
    due_at: '2026-11-22T02:00:00.000Z',
    until: '2026-11-23T02:00:00.000Z',
    step: 'install',
    state: 'failed',
    reason: 'dpkg is locked.',
    patches: 2,
    finished_at: '2026-11-22T02:10:00.000Z',
  },
}

test('the effective policy of a machine shows the next installation and its sources', async () => {
  const patches = [testPatch('openssl', { action: 'approve', by_policy: true })]
  await openPane({ policy: POLICY, patches })
  const note = page.getByRole('note', { name: 'Patch policy' })
  await expect
    .poll(() => note.element().textContent)
    .toContain('(Europe/Zurich). Ring 2. Installation by policy')
  expect(note.element().textContent).toContain('failed. dpkg is locked.')
  await expect.element(page.getByRole('row', { name: /openssl.*Approved by policy/ })).toBeVisible()
  await note.getByRole('button', { name: 'Details' }).click()
  await expect.element(note.getByText(/policy <b>Base<.b>/).first()).toBeVisible()
  await expect.element(note.getByText(/1 patch waits for approval/).first()).toBeVisible()
})

test('a machine gets its own schedule, and the policy is shown again', async () => {
  const server = await openPane({ policy: POLICY })
  server.on(setOwnPatchPolicy, () => answer(setOwnPatchPolicy, NO_POLICY))
  await page.getByRole('button', { name: 'Own policy' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'Monday' }).click()
  await dialog.getByRole('checkbox', { name: 'Saturday' }).click()
  await expect.element(dialog.getByText('Choose a day of the week.')).toBeVisible()
  await expect.element(dialog.getByRole('button', { name: 'Apply' })).toBeDisabled()
  await dialog.getByRole('checkbox', { name: 'Sunday' }).click()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await expect.element(page.getByText(/^No patch policy/)).toBeVisible()
  expect(server.calls(setOwnPatchPolicy)[0]?.body).toEqual({
    approval: null,
    ring: null,
    schedule: { recurs: 'weekly', weekdays: [0], month_days: [], time: '03:00', late_hours: 24 },
    reboot: null,
    alert: null,
  })
})
