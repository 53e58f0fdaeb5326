import { getAgent } from '@muster/contract/api/agents'
import {
  findSoftware,
  getSoftware,
  installSoftware,
  listSoftwareMachines,
  refreshSoftware,
  type Software,
  type SoftwareMachine,
  type SoftwareTitle,
  uninstallSoftware,
} from '@muster/contract/api/software'
import { planFleetJob } from '@muster/contract/api/fleet-jobs'
import {
  addPackageFilePart,
  createPackageFile,
  finishPackageFile,
  listPackageFiles,
  type PackageFile,
  PART_BYTES,
} from '@muster/contract/api/package-files'
import { getHistoryOutput } from '@muster/contract/api/runs'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { testRun } from '../runs/test-run.ts'
import { givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'
import type { PackageRow } from './software-rows.ts'

const SSL = 'a'.repeat(32)
const known = (name: string, version: string, more: Partial<PackageRow> = {}): PackageRow => ({
  title: SSL,
  name,
  version,
  publisher: 'Debian OpenSSL Team',
  source: 'dpkg',
  size: 2_000_000,
  install_date: '2026-11-02',
  uninstall: null,
  available: null,
  states: [],
  package_name: name,
  ...more,
})
const SCANNED = {
  looked_at: '2026-11-22T10:00:00.000Z',
  changed_at: '2026-11-22T10:00:00.000Z',
  left_out: 0,
  upgrades_problem: null,
}
const NOTHING: Software = { ...SCANNED, software: [], looked_at: null, changed_at: null }
const SOFTWARE: Software = {
  ...SCANNED,
  software: [
    known('openssl', '3.0.1'),
    known('zsh', '5.9', { title: 'b'.repeat(32), publisher: '<b>Z</b>' }),
  ],
}
const TITLE: SoftwareTitle = {
  title: SSL,
  name: 'openssl',
  publisher: 'Debian OpenSSL Team',
  source: 'dpkg',
  machines: 3,
  upgradable: 1,
  versions: [
    { version: '3.0.2', machines: 2 },
    { version: '3.0.1', machines: 1 },
  ],
}
const machine = (hostname: string, version: string): SoftwareMachine => ({
  agent_id: `${hostname}0000000`,
  hostname,
  plat: 'linux',
  client: 'Acme',
  site: 'Berlin',
  name: 'openssl',
  version,
  publisher: '',
  install_date: null,
  available: null,
  package_name: 'openssl',
})

const row = (grid: string, name: string) =>
  page.getByRole('grid', { name: grid, exact: true }).getByRole('row').filter({ hasText: name })

async function openPane(software = SOFTWARE) {
  const given = await givenDashboard()
  given.server.on(getSoftware, () => answer(getSoftware, software))
  await given.open('/agents/alpha0000000?pane=software')
  return given.server
}

async function openFleet(
  path = '/software',
  titles: SoftwareTitle[] = [TITLE],
  machines = [machine('alpha', '3.0.1'), machine('bravo', '3.0.2')],
) {
  const given = await givenDashboard()
  given.server.on(findSoftware, ({ search }) => {
    const found = titles.filter(({ name }) => name.includes(search.get('search') ?? ''))
    return answer(findSoftware, { total: found.length, page: 1, page_size: 100, results: found })
  })
  given.server.on(listSoftwareMachines, () => answer(listSoftwareMachines, machines))
  return { server: given.server, ...(await given.open(path)) }
}

test('the software of a machine is listed with its age, searched and sorted', async () => {
  await openPane()
  await expect.element(row('Software', 'openssl').getByText('1.91 MB')).toBeVisible()
  await expect.element(page.getByText('2 packages')).toBeVisible()
  await expect.element(page.getByText(/^scanned/)).toBeVisible()
  await page.getByRole('button', { name: 'Name' }).click()
  await expect.element(page.getByRole('row').nth(1).getByText('zsh')).toBeVisible()
  await page.getByRole('textbox', { name: 'Search software' }).fill('<B> 5.9')
  await expect.element(page.getByText('1 of 2 packages')).toBeVisible()
  await expect.element(row('Software', 'openssl')).not.toBeInTheDocument()
  await page.getByRole('textbox', { name: 'Search software' }).fill('nothing')
  await expect.element(page.getByText('No packages match the search.')).toBeVisible()
})

test('a scan can be started, and its error is shown', async () => {
  const server = await openPane(NOTHING)
  await expect.element(page.getByText('alpha has not reported its software yet.')).toBeVisible()
  server.on(refreshSoftware, () => refuse('agent_refused', 'alpha: There is neither dpkg nor rpm.'))
  await page.getByRole('button', { name: 'Scan software' }).click()
  await expect.element(page.getByText('alpha: There is neither dpkg nor rpm.')).toBeVisible()
  server.on(refreshSoftware, () => answer(refreshSoftware, SOFTWARE))
  await page.getByRole('button', { name: 'Scan software' }).click()
  await expect.element(row('Software', 'openssl')).toBeVisible()
  await expect.element(page.getByText('Software of alpha refreshed.')).toBeVisible()
})

test('an offline machine shows its last list and cannot be scanned', async () => {
  const given = await givenDashboard()
  given.server.on(getAgent, () => answer(getAgent, testDetail({ connected: false })))
  given.server.on(getSoftware, () => answer(getSoftware, { ...SOFTWARE, left_out: 7 }))
  await given.open('/agents/alpha0000000?pane=software')
  await expect.element(page.getByText('2 packages, 7 more not stored')).toBeVisible()
  await expect.element(page.getByText(/offline now/)).toBeVisible()
  await page.getByRole('button', { name: 'Scan software' }).click({ force: true })
  expect(given.server.calls(refreshSoftware)).toEqual([])
})

test('a role without permission sees the refusal on both screens', async () => {
  const given = await givenDashboard({ me: { is_superuser: false, permissions: ['can_list_agents'] } })
  await given.open('/agents/alpha0000000?pane=software')
  const sentence = 'Your role does not allow you to see the software of machines.'
  await expect.element(page.getByText(sentence)).toBeVisible()
  await given.open('/software')
  await expect.element(page.getByText(sentence)).toBeVisible()
})

test('a package is searched over the whole fleet, and its machines are shown beside it', async () => {
  const { server, at } = await openFleet()
  await expect
    .element(row('Software of all machines', 'openssl').getByText('3.0.2 (2), 3.0.1 (1)'))
    .toBeVisible()
  await page.getByRole('textbox', { name: 'Search software of all machines' }).fill('openssl')
  await expect.poll(() => server.calls(findSoftware).at(-1)?.search.get('search')).toBe('openssl')
  await row('Software of all machines', 'openssl').click()
  await expect.element(row('Machines', 'alpha')).toBeVisible()
  await expect.element(page.getByText('2 machines', { exact: true })).toBeVisible()
  await page.getByRole('combobox', { name: 'Version' }).click()
  await page.getByRole('option', { name: '3.0.2' }).click()
  await expect.element(row('Machines', 'alpha')).not.toBeInTheDocument()
  expect(at()).toBe(`/software?search=openssl&title=${SSL}`)
  await page.getByRole('button', { name: 'Close machines' }).click()
  await expect.element(row('Machines', 'bravo')).not.toBeInTheDocument()
  await page.getByRole('textbox', { name: 'Search software of all machines' }).fill('nginx')
  await expect.element(page.getByText('No packages match "nginx".')).toBeVisible()
})

test('a package of a machine leads to the other machines that have it', async () => {
  const server = await openPane()
  server.on(findSoftware, () => answer(findSoftware, { total: 1, page: 1, page_size: 100, results: [TITLE] }))
  server.on(listSoftwareMachines, () => answer(listSoftwareMachines, [machine('bravo', '3.0.2')]))
  await row('Software', 'openssl').click()
  await userEvent.keyboard('{Enter}')
  await expect.element(row('Machines', 'bravo')).toBeVisible()
  await expect
    .element(page.getByRole('textbox', { name: 'Search software of all machines' }))
    .toHaveValue('openssl')
})

test('before the first report the screen shows a note; an error can be retried', async () => {
  const { server } = await openFleet('/software', [])
  await expect.element(page.getByText(/No software reported yet/)).toBeVisible()
  server.on(findSoftware, () => refuse('internal', 'Something went wrong on the server.'))
  await page.getByRole('textbox', { name: 'Search software of all machines' }).fill('x')
  await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible()
})

test('a package of a machine is upgraded and removed from its row', async () => {
  const server = await openPane({
    ...SOFTWARE,
    upgrades_problem: 'apt failed to list newer versions: locked.',
    software: [
      known('openssl', '3.0.1', { available: '3.0.2' }),
      known('Paint', '1', { publisher: 'Paint Ltd', package_name: null }),
    ],
  })
  await expect.element(page.getByText('2 packages, 1 with a newer version')).toBeVisible()
  await expect.element(page.getByText(/apt failed to list newer versions: locked/)).toBeVisible()
  const run = testRun({ id: 7, type: 'package_install', command: 'Upgrade the package openssl' })
  server.on(installSoftware, () => answer(installSoftware, run))
  server.on(getHistoryOutput, () => answer(getHistoryOutput, { history: run, chunks: [] }))
  await row('Software', '3.0.1').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Upgrade to 3.0.2' }).click()
  await page.getByRole('button', { name: 'Upgrade', exact: true }).click()
  await expect.poll(() => server.calls(installSoftware)).toHaveLength(1)
  expect(server.calls(installSoftware)[0]?.body).toEqual({ do: 'upgrade', name: 'openssl' })
  await page.getByRole('button', { name: 'Close' }).last().click()
  await row('Software', 'Paint Ltd').click({ button: 'right' })
  await expect.element(page.getByRole('menuitem', { name: /Remove/ })).toBeDisabled()
})

test('a program is removed by its own command, made silent', async () => {
  const more = { source: 'windows' as const, package_name: null, uninstall: 'MsiExec.exe /I{23170F69}' }
  const server = await openPane({ ...SOFTWARE, software: [known('7-Zip', '24', more)] })
  const run = testRun({ id: 7, type: 'cmd_run', command: 'MsiExec.exe /X{23170F69} /qn /norestart' })
  server.on(uninstallSoftware, () => answer(uninstallSoftware, run))
  server.on(getHistoryOutput, () => answer(getHistoryOutput, { history: run, chunks: [] }))
  await row('Software', '7-Zip').click({ button: 'right' })
  await page.getByRole('menuitem', { name: /Remove/ }).click()
  await expect
    .element(page.getByRole('textbox', { name: 'Command' }))
    .toHaveValue('MsiExec.exe /X{23170F69} /qn /norestart')
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect.poll(() => server.calls(uninstallSoftware)).toHaveLength(1)
  expect(server.calls(uninstallSoftware)[0]?.body).toEqual({
    name: '7-Zip',
    command: 'MsiExec.exe /X{23170F69} /qn /norestart',
    run_as_user: false,
    timeout: 1800,
  })
})

test('outdated machines of a package are updated by a job that is planned first', async () => {
  const { server } = await openFleet(
    `/software?title=${SSL}`,
    [TITLE],
    [
      { ...machine('alpha', '3.0.1'), available: '3.0.2' },
      { ...machine('bravo', '3.0.1'), available: '3.0.2', package_name: 'ShiningLight.OpenSSL' },
      machine('carol', '3.0.2'),
    ],
  )
  await page.getByRole('checkbox', { name: 'Outdated only' }).click()
  await expect.poll(() => server.calls(findSoftware).at(-1)?.search.get('upgradable')).toBe('true')
  await page.getByRole('button', { name: 'Update all 2' }).click()
  await expect.element(page.getByText('2 machines with a newer version of openssl')).toBeVisible()
  server.on(planFleetJob, () => refuse('invalid', 'Not today.'))
  await page.getByRole('button', { name: 'Plan' }).click()
  await expect.element(page.getByText('Not today.')).toBeVisible()
  expect(server.calls(planFleetJob).at(-1)?.body).toMatchObject({
    target: { by: 'agents', agents: ['alpha0000000', 'bravo0000000'] },
    action: { type: 'software', do: 'upgrade', names: ['openssl', 'ShiningLight.OpenSSL'] },
  })
})

test('a package file is uploaded in parts with its arguments and its detection', async () => {
  const { server } = await openFleet()
  const file: PackageFile = {
    id: 3,
    name: '7-Zip',
    file_name: '7z2408.msi',
    format: 'msi',
    bytes: PART_BYTES + 10,
    sha256: null,
    args: '',
    detection: null,
    created_by: 'ada',
    created_at: SCANNED.looked_at,
    modified: SCANNED.looked_at,
  }
  const files: PackageFile[] = []
  server.on(listPackageFiles, () => answer(listPackageFiles, files))
  server.on(createPackageFile, () => answer(createPackageFile, file))
  server.on(addPackageFilePart, () => answer(addPackageFilePart, null))
  server.on(finishPackageFile, () => {
    files.push({ ...file, sha256: 'f'.repeat(64) })
    return answer(finishPackageFile, file)
  })
  await page.getByRole('button', { name: 'Package files' }).click()
  await expect.element(page.getByText(/^No package files yet/)).toBeVisible()
  await page.getByRole('button', { name: 'Upload a file' }).click()
  const submit = page.getByRole('button', { name: 'Upload', exact: true })
  await expect.element(submit).toBeDisabled()
  const content = new File([new Uint8Array(file.bytes)], file.file_name)
  const input = document.querySelector<HTMLInputElement>('input[type=file]')
  await userEvent.upload(page.elementLocator(input ?? document.body), content)
  await expect.element(page.getByRole('textbox', { name: 'Name' })).toHaveValue('7z2408')
  await page.getByRole('textbox', { name: 'Silent arguments' }).fill('ADDLOCAL=All')
  await page.getByRole('combobox', { name: 'Detection' }).click()
  await page.getByRole('option', { name: 'A file on the machine' }).click()
  await page.getByRole('textbox', { name: 'Path' }).fill('C:\\7z\\7z.exe')
  await submit.click()
  await expect.element(page.getByText('uploaded by ada', { exact: false })).toBeVisible()
  expect(server.calls(createPackageFile)[0]?.body).toEqual({
    name: '7z2408',
    file_name: '7z2408.msi',
    bytes: PART_BYTES + 10,
    args: 'ADDLOCAL=All',
    detection: { by: 'file', path: 'C:\\7z\\7z.exe' },
  })
  const parts = server.calls(addPackageFilePart).map(({ body }) => (body as { data: string }).data)
  expect(parts.map((data) => atob(data).length)).toEqual([PART_BYTES, 10])
})
