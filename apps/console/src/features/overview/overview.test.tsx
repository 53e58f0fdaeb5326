import { getOverview, type Overview } from '@muster/contract/api/overview'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'
import { HEALTHY, testCause, TROUBLE } from './test-overview.ts'

async function openOverview(overview: Overview, path = '/overview') {
  const { server, open } = await givenDashboard()
  server.on(getOverview, () => answer(getOverview, overview))
  return { server, ...(await open(path)) }
}

const link = (name: string) => page.getByRole('link', { name, exact: true })

test('the sentence names the worst problems, and leads to their machines', async () => {
  const { at } = await openOverview(TROUBLE)
  const sentence = page.getByRole('heading', { level: 1 })
  await expect
    .element(sentence)
    .toHaveTextContent('6 machines overdue, 41 machines failing Service spooler, 1 disk full in 3 days.')
  await expect.element(page.getByText('885 of 902 machines connected')).toBeVisible()
  expect(document.title).toBe('Overview | Muster')
  await link('6 machines overdue').first().click()
  expect(at()).toBe('/?tab=mixed&search=is:overdue+not:maintenance')
  await expect.poll(() => document.title).toBe('Dashboard | Muster')
})

test('each part of the fleet bar opens its machines, of the chosen client alone', async () => {
  const { server, at } = await openOverview(TROUBLE, '/overview?client=1')
  await expect.element(link('724 machines healthy')).toBeVisible()
  expect(server.calls(getOverview).at(-1)?.search.get('client')).toBe('1')
  await link('78 in maintenance').click()
  expect(at()).toBe('/?tab=mixed&search=is:maintenance&node=Client|1')
})

test('a chosen client is in the address', async () => {
  const { server, at } = await openOverview(TROUBLE)
  await page.getByRole('combobox', { name: 'Client' }).click()
  await page.getByRole('option', { name: 'Borealis' }).click()
  await expect.poll(() => at()).toBe('/overview?client=2')
  await expect.poll(() => server.calls(getOverview).at(-1)?.search.get('client')).toBe('2')
})

test('a healthy fleet says so, and sections without content are absent', async () => {
  await openOverview(HEALTHY)
  await expect.element(page.getByText('All 902 machines are healthy.')).toBeVisible()
  expect(page.getByRole('heading', { level: 2 }).elements()).toHaveLength(0)
})

test('a fleet without checks is not healthy: the page says so and offers a policy', async () => {
  const counts = { ...HEALTHY.counts, healthy: 0, unchecked: 902 }
  const { at } = await openOverview({ ...HEALTHY, counts }, '/overview?client=2')
  await expect
    .element(page.getByRole('heading', { level: 1 }))
    .toHaveTextContent('Nothing is checked on 902 machines.')
  expect(link('902 machines').element().getAttribute('href')).toBe(
    '/?tab=mixed&search=is:online+checks:0+not:maintenance&node=Client|2',
  )
  await expect.element(link('902 not checked')).toBeVisible()
  await page.getByRole('button', { name: 'Assign policy' }).click()
  expect(at()).toBe('/overview?client=2&dialog=assign-policies&item=client-2')
})

test('some machines without checks are named below the sentence', async () => {
  const counts = { ...TROUBLE.counts, healthy: 700, unchecked: 24 }
  await openOverview({ ...TROUBLE, counts })
  await expect.element(page.getByText('Nothing is checked on 24 machines.')).toBeVisible()
  await expect.element(link('6 machines overdue').first()).toBeVisible()
})

test('a healthy fleet shows what comes next', async () => {
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000 + 5000).toISOString()
  const next: Overview['next'] = [
    { kind: 'job', at: inMinutes(30), name: 'Restart tonight', job: 8 },
    {
      kind: 'maintenance',
      at: inMinutes(120),
      targets: [{ type: 'client', id: 1, name: 'Acme' }],
      machines: 592,
    },
    { kind: 'patches', at: inMinutes(60 * 24), machines: 31 },
  ]
  await openOverview({ ...HEALTHY, next })
  const lines = page.getByRole('region', { name: 'Next' }).getByRole('listitem')
  await expect.element(lines.nth(2)).toBeVisible()
  expect(lines.elements().map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Restart tonightin \d+ minutes$/),
    expect.stringMatching(/^Maintenance of Acme 592 machinesin \d hours?$/),
    expect.stringMatching(/^Patch installation 31 machinesin /),
  ])
  expect(link('Restart tonight').element().getAttribute('href')).toBe('/jobs/8')
})

const row = (name: string) => page.getByRole('row').filter({ hasText: name })

test('causes show machines, age and who has acknowledged them, and open their alerts', async () => {
  const { at } = await openOverview(TROUBLE)
  await expect.element(page.getByText('13 open, 4 not acknowledged')).toBeVisible()
  await expect.element(link('3 new causes')).toBeVisible()
  expect(link('5 resolved').element().getAttribute('href')).toBe('/alerts?state=resolved&days=1')
  const overdue = row('Machine overdue')
  await expect.element(overdue.getByText('2 servers')).toBeVisible()
  await expect.element(overdue.getByText('Borealis 4, Acme 2')).toBeVisible()
  await expect.element(overdue.getByText(/^Next notification in \d+ minutes$/)).toBeVisible()
  await expect.element(row('Service cron').getByText('Acme, alpha')).toBeVisible()
  await expect.element(link('Show 10 more causes')).toBeVisible()
  const spooler = row('Service spooler')
  await expect.element(spooler.getByText('Acknowledged by mina')).toBeVisible()
  await expect.element(spooler.getByText('2 h')).toBeVisible()
  await spooler.getByRole('link', { name: 'Service spooler', exact: true }).click()
  expect(at()).toBe('/alerts?group=check:error:Service+spooler')
})

test('a cause without a machine counts none', async () => {
  const shown = [testCause({ name: 'Job J-2 ended', machines: 0, servers: 0, hostname: '', clients: [] })]
  await openOverview({ ...TROUBLE, causes: { ...TROUBLE.causes!, shown } })
  await expect.element(row('Job J-2 ended').getByText('–')).toBeVisible()
})

test('a phone shows the first four causes, then one line with the rest', async () => {
  const shown = Array.from({ length: 9 }, (_, i) => testCause({ name: `Service service-${i}` }))
  const { server, open } = await givenDashboard()
  await page.viewport(390, 844)
  server.on(getOverview, () =>
    answer(getOverview, { ...TROUBLE, causes: { ...TROUBLE.causes!, total: 13, shown } }),
  )
  await open('/overview')
  await expect.element(link('Show 9 more causes')).toBeVisible()
  expect(page.getByRole('region', { name: 'Causes' }).getByRole('row').elements()).toHaveLength(4)
})

test('disks have the day on which they are full, and open their metrics', async () => {
  const { at } = await openOverview(TROUBLE)
  const disk = row('D:')
  await expect.element(disk.getByText('in 3 days')).toBeVisible()
  await expect.element(disk.getByText('3.8 %')).toBeVisible()
  expect(disk.getByRole('time').element().getAttribute('data-tone')).toBe('negative')
  expect(row('/var').getByRole('time').element().getAttribute('data-tone')).toBe('warning')
  await disk.getByRole('link', { name: 'alpha' }).click()
  expect(at()).toBe('/agents/alpha0000000?pane=metrics')
})

test('patches, clients, jobs and maintenance lead to what they count', async () => {
  const { at } = await openOverview(TROUBLE)
  await expect.element(page.getByText('machines miss a critical patch, oldest 19 days')).toBeVisible()
  await expect.element(page.getByText('Wave 2 of 3. 199 of 522 done, 2 failed')).toBeVisible()
  await expect.element(link('Disable SMB 1.0')).toBeVisible()
  await expect.element(link('charlie')).toBeVisible()
  expect(link('31 machines need a reboot').element().getAttribute('href')).toBe(
    '/?tab=mixed&search=is:rebootneeded',
  )
  expect(link('Acme: 52 machines failing').element().getAttribute('href')).toContain('node=Client|1')
  const clients = page.getByRole('region', { name: 'Clients' })
  await clients.getByRole('link', { name: 'Acme', exact: true }).click()
  await expect.poll(() => at()).toBe('/overview?client=1')
})

test('without machines the first action is offered', async () => {
  const none = { ...HEALTHY, machines: 0, connected: 0, counts: { ...HEALTHY.counts, healthy: 0 } }
  const { at } = await openOverview(none)
  await expect.element(page.getByText('No machines yet. Install the agent on the first one.')).toBeVisible()
  await page.getByRole('button', { name: 'Install agent' }).click()
  expect(at()).toContain('dialog=install-agent')
})

test('the menu begins with the overview, and a role without machines has none', async () => {
  const { server, open } = await givenDashboard({ me: { is_superuser: false, permissions: [] } })
  server.on(getOverview, () => answer(getOverview, HEALTHY))
  await open('/overview')
  await expect.element(page.getByText('Your role does not allow you to see machines.')).toBeVisible()
  expect(page.getByRole('navigation', { name: 'Menu' }).getByRole('link').elements()).toHaveLength(0)
  expect(server.calls(getOverview)).toHaveLength(0)
})
