import { type JobPlan, type PlannedMachine, planFleetJob, SkipCode } from '@muster/contract/api/fleet-jobs'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { openJobs, PLAN } from './test-jobs.ts'

const planned = (index: number, more: Partial<PlannedMachine> = {}): PlannedMachine => ({
  agent_id: `agent${1000 + index}`,
  hostname: `PC-${index}`,
  client_name: 'Acme',
  site_name: 'Berlin',
  plat: 'linux',
  connected: true,
  wave: 1,
  text: 'Run checks',
  skip: null,
  ...more,
})

const skipped = (index: number, skip: SkipCode, text: string) =>
  planned(index, { hostname: `OUT-${index}`, wave: null, skip, text })

/** Opens the plan of a job that checks all machines. */
async function openPlan(plan: (limit: number) => Partial<JobPlan>) {
  const { server } = await openJobs('/jobs')
  server.on(planFleetJob, ({ search }) =>
    answer(planFleetJob, { ...PLAN, ...plan(Number(search.get('limit') ?? 500)) }),
  )
  await page.getByRole('button', { name: 'New job' }).click()
  await page.getByRole('radio', { name: 'All machines' }).click()
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'Run checks' }).click()
  await page.getByRole('button', { name: 'Plan' }).click()
  return server
}

const REASONS: Partial<Record<SkipCode, string>> = {
  offline: 'The machine is offline.',
  unsuitable: 'Windows has no bash.',
  no_right: 'The role of ada may not use {{global.API}}.',
}

test('each skipped machine is named with its reason', async () => {
  const out = Object.entries(REASONS).map(([code, reason], i) => skipped(i, SkipCode.parse(code), reason))
  await openPlan(() => ({
    matched: 4,
    planned: 1,
    offline: 0,
    waves: [{ number: 1, size: 1 }],
    skipped: out.map(({ skip, text }) => ({ code: skip ?? 'offline', reason: text, count: 1 })),
    machines: [planned(0), ...out],
  }))
  const table = page.getByRole('grid', { name: 'Machines of the plan' })
  await expect.element(table.getByRole('row', { name: /PC-0/ })).toMatchTextContent(/Run checks/)
  await expect.element(table.getByText('OUT-0')).not.toBeInTheDocument()
  await page.getByText('Skipped (3)').click()
  await expect.element(table.getByText('PC-0')).not.toBeInTheDocument()
  for (const { hostname, text } of out)
    await expect.element(table.getByRole('row').filter({ hasText: hostname })).toMatchTextContent(text)
  // A phone shows the reason too.
  await page.viewport(390, 844)
  for (const { text } of out) await expect.element(table.getByText(text)).toBeVisible()
})

test('skipped machines are reached behind thousands of planned ones', async () => {
  const server = await openPlan((limit) => ({
    matched: 3000,
    planned: 2000,
    offline: 0,
    waves: [{ number: 1, size: 2000 }],
    skipped: [{ code: 'unsuitable', reason: 'Windows has no bash.', count: 1000 }],
    machines: [
      ...Array.from({ length: Math.min(limit, 2000) }, (_, i) => planned(i)),
      ...Array.from({ length: Math.min(limit, 1000) }, (_, i) =>
        skipped(i, 'unsuitable', 'Windows has no bash.'),
      ),
    ],
  }))
  const table = page.getByRole('grid', { name: 'Machines of the plan' })
  await expect.element(page.getByText('The first 500 of 2,000 machines are listed.')).toBeVisible()
  await page.getByText('Skipped (1,000)').click()
  await expect.element(table.getByText('OUT-0')).toBeVisible()
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.element(table).toHaveAttribute('aria-rowcount', '1001')
  await expect.element(page.getByRole('button', { name: 'Show more' })).not.toBeInTheDocument()
  expect(server.calls(planFleetJob).at(-1)?.search.get('limit')).toBe('20000')
  await expect.element(page.getByRole('button', { name: 'Start on 2,000 machines' })).toBeEnabled()
})
