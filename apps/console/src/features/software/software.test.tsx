import { getAgent } from '@muster/contract/api/agents'
import {
  findSoftware,
  getSoftware,
  listSoftwareMachines,
  refreshSoftware,
  type Software,
  type SoftwareMachine,
  type SoftwareTitle,
} from '@muster/contract/api/software'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
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
  ...more,
})
const SCANNED = { looked_at: '2026-11-22T10:00:00.000Z', changed_at: '2026-11-22T10:00:00.000Z', left_out: 0 }
const NOTHING: Software = { software: [], looked_at: null, changed_at: null, left_out: 0 }
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
})

const row = (grid: string, name: string) =>
  page.getByRole('grid', { name: grid, exact: true }).getByRole('row').filter({ hasText: name })

async function openPane(software = SOFTWARE) {
  const given = await givenDashboard()
  given.server.on(getSoftware, () => answer(getSoftware, software))
  await given.open('/agents/alpha0000000?pane=software')
  return given.server
}

async function openFleet(path = '/software', titles: SoftwareTitle[] = [TITLE]) {
  const given = await givenDashboard()
  given.server.on(findSoftware, ({ search }) => {
    const found = titles.filter(({ name }) => name.includes(search.get('search') ?? ''))
    return answer(findSoftware, { total: found.length, page: 1, page_size: 100, results: found })
  })
  given.server.on(listSoftwareMachines, () =>
    answer(listSoftwareMachines, [machine('alpha', '3.0.1'), machine('bravo', '3.0.2')]),
  )
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
