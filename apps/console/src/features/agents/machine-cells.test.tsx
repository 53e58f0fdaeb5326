import { listAgents } from '@muster/contract/api/agents'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answerMachines, givenDashboard } from '../dashboard/test-dashboard.ts'
import { testCounts, testMachine } from './test-machines.ts'

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const ROWS = [
  testMachine({ agent_id: 'pass00000000', hostname: 'fresh', checks: testCounts({ total: 3, passing: 3 }) }),
  testMachine({
    agent_id: 'none00000000',
    hostname: 'unmeasured',
    checks: testCounts({ total: 3, pending: 3 }),
  }),
  testMachine({
    agent_id: 'some00000000',
    hostname: 'partly',
    checks: testCounts({ total: 3, passing: 2, pending: 1 }),
  }),
  testMachine({
    agent_id: 'old000000000',
    hostname: 'dead',
    status: 'overdue',
    connected: false,
    last_seen: ago(57),
    checks: testCounts({ total: 3, old: 3, old_since: ago(57) }),
  }),
  testMachine({
    agent_id: 'fail00000000',
    hostname: 'ill',
    checks: testCounts({ total: 3, failing: 1, old: 2, old_since: ago(57), has_failing_checks: true }),
  }),
]

async function openTable(path: string) {
  const { server, open } = await givenDashboard()
  server.on(listAgents, (received) => answerMachines(received, ROWS))
  return open(path)
}
const row = (hostname: string) => page.getByRole('row', { name: new RegExp(hostname) })

test('only a fresh pass is green: no results and old results are grey words', async () => {
  await openTable('/')
  await expect.element(row('fresh').getByLabelText('passing')).toBeVisible()
  await expect.element(row('unmeasured').getByText('No results')).toBeVisible()
  await expect.element(row('partly').getByText('2 / 3')).toBeVisible()
  await expect.element(row('dead').getByText('57 min old')).toBeVisible()
  await expect.element(row('ill').getByText('1 of 3 checks failing')).toBeInTheDocument()
  expect(page.getByLabelText('passing').elements()).toHaveLength(1)
})

test.each([
  { address: '/', preference: false, isShown: false },
  { address: '/', preference: true, isShown: true },
  { address: '/?sort=version', preference: false, isShown: true },
])(
  'versions of agents at $address, with the preference $preference',
  async ({ address, preference, isShown }) => {
    const info = { show_agent_version: preference, agent_version: '0.10.0' }
    const { server, open } = await givenDashboard({ info })
    const rows = ['0.10.0', '0.9.0', ''].map((version, at) =>
      testMachine({ agent_id: `agent000000${at}`, hostname: `pc${at}`, version }),
    )
    server.on(listAgents, (received) => answerMachines(received, rows))
    await open(address)
    await expect.element(row('pc0')).toBeVisible()
    await expect
      .poll(() => page.getByRole('columnheader', { name: 'Agent' }).elements().length)
      .toBe(Number(isShown))
    if (!isShown) return
    await expect
      .element(row('pc1').getByText('0.9.0, outdated. This server offers 0.10.0.'))
      .toBeInTheDocument()
    await expect.element(row('pc0').getByText('0.10.0')).toBeVisible()
    expect(page.getByText(/outdated/).elements()).toHaveLength(1)
  },
)

test('the search finds old and missing results, and the column sorts failing, unknown, passing', async () => {
  await openTable('/?search=is:checksold')
  await expect.element(row('dead')).toBeVisible()
  await expect.element(row('ill')).toBeVisible()
  await expect.element(row('fresh')).not.toBeInTheDocument()
})

test('sorted by checks, unknown results come before passing ones', async () => {
  await openTable('/?sort=-checks')
  await expect.element(row('fresh')).toBeVisible()
  const names = page
    .getByRole('row')
    .elements()
    .map((element) => ROWS.find(({ hostname }) => element.textContent.includes(hostname))?.hostname)
    .filter((name) => name !== undefined)
  expect(names).toEqual(['ill', 'dead', 'unmeasured', 'partly', 'fresh'])
})
