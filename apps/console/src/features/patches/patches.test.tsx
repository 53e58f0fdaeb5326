import { getHistoryOutput } from '@muster/contract/api/runs'
import {
  editPatch,
  getPatchStatus,
  installPatches,
  listPatches,
  type MachinePatch,
  type PatchStatus,
  scanPatches,
} from '@muster/contract/api/patches'
import { expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'
import { readProgress } from '../runs/RunView.tsx'
import { testRun } from '../runs/test-run.ts'

const patch = (guid: string, more: Partial<MachinePatch> = {}): MachinePatch => ({
  guid,
  source: 'apt',
  title: guid,
  kb: '',
  version: '2.0',
  current_version: '1.0',
  severity: '',
  security: false,
  categories: ['Debian:12/stable'],
  description: '',
  more_info_urls: [],
  size: null,
  downloaded: false,
  needs_reboot: false,
  id: 0,
  action: 'inherit',
  installed: false,
  ...more,
})
const PATCHES = [
  patch('tzdata'),
  patch('libc6', { security: true, needs_reboot: true }),
  patch('<img src=x onerror=alert(1)>', { security: true, severity: 'Critical' }),
]
const STATUS: PatchStatus = {
  looked_at: '2026-11-22T10:00:00.000Z',
  changed_at: '2026-11-22T10:00:00.000Z',
  problem: null,
  left_out: 0,
  last_install: null,
}
const RUN = testRun({ id: 7, type: 'patch_install', command: 'Install 3 patches', state: 'running' })

async function openPane({ status = STATUS, patches = PATCHES } = {}) {
  const given = await givenDashboard()
  const { server } = given
  server.on(listPatches, () => answer(listPatches, patches))
  server.on(getPatchStatus, () => answer(getPatchStatus, status))
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
  let patches = [patch('tzdata', { id: 11 }), patch('libc6', { id: 12 }), patch('bash', { id: 13 })]
  const server = await openPane()
  server.on(listPatches, () => answer(listPatches, patches))
  server.on(editPatch, ({ path, body }) => {
    const { action } = body as Pick<MachinePatch, 'action'>
    patches = patches.map((one) => (path.endsWith(`/${one.id}/`) ? { ...one, action } : one))
    return answer(editPatch, patch('any', { action }))
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
  await expect.element(page.getByText('3 patches, 1 approved, 1 ignored')).toBeVisible()
  await button('Install approved').click()
  await expect.element(page.getByRole('heading', { name: 'Install tzdata on alpha?' })).toBeVisible()
  await button('Install').click()
  await expect.poll(() => server.calls(installPatches)[0]?.body).toEqual({ guids: ['tzdata'] })
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
    patch('KB1', { more_info_urls: ['javascript:alert(1)', 'https://support.microsoft.com/help/1'] }),
    patch('KB2', { more_info_urls: ['file:///etc/passwd'] }),
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
