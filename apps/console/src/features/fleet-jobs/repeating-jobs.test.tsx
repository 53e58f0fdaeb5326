import { type JobPlan, listFleetJobs, planFleetJob } from '@muster/contract/api/fleet-jobs'
import {
  changeRepeatingJob,
  createRepeatingJob,
  deleteRepeatingJob,
  getRepeatingJob,
  listRepeatingJobs,
  type RepeatingJob,
} from '@muster/contract/api/repeating-jobs'
import { JobDraft } from '@muster/contract/fleet-jobs/job-draft'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'

const AT = '2026-11-24T09:03:00.000Z'
const LATER = '2026-11-24T09:04:00.000Z'

const REPEATING: RepeatingJob = {
  id: 4,
  name: 'Nightly clean-up',
  action: 'script',
  action_text: 'Run the script "Clean up"',
  target_text: 'os:linux',
  cron: '30 2 * * *',
  clock: 'machine',
  paused: false,
  next_at: AT,
  next_local: '2026-11-26T02:30',
  last_at: AT,
  last_job: 7,
  last_problem: null,
  created_by: 'ada',
  created_at: AT,
  edited_by: null,
  modified: AT,
}

const PLAN: JobPlan = {
  hash: 'abc',
  name: 'Run checks',
  action_text: 'Run checks',
  matched: 2,
  planned: 2,
  offline: 0,
  waves: [{ number: 1, size: 2 }],
  skipped: [],
  needs_approval: false,
  machines: [],
}

async function openJobs(repeating: RepeatingJob[] = []) {
  await page.viewport(1440, 900)
  const { server, open } = await givenDashboard()
  server.on(listFleetJobs, () => answer(listFleetJobs, []))
  server.on(listRepeatingJobs, () => answer(listRepeatingJobs, repeating))
  server.on(planFleetJob, () => answer(planFleetJob, PLAN))
  return { server, ...(await open('/jobs')) }
}

test('a job repeats by a cron expression, inside maintenance windows', async () => {
  const { server, at } = await openJobs()
  server.on(createRepeatingJob, () => answer(createRepeatingJob, REPEATING))
  await page.getByRole('button', { name: 'New job' }).click()
  await page.getByRole('textbox', { name: 'Search for machines' }).fill('os:linux')
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'Run checks' }).click()
  await page.getByRole('combobox', { name: 'Start' }).click()
  await page.getByRole('option', { name: 'Repeatedly' }).click()
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('*/5 * * * *')
  await expect
    .element(page.getByText('A job repeats at most once an hour. Use a task for more.'))
    .toBeVisible()
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('30 2 * * *')
  await expect.element(page.getByText(/^Every day at 02:30\. Each time/)).toBeVisible()
  await page.getByRole('checkbox', { name: 'Only while a maintenance window is open' }).click()
  await page.getByRole('button', { name: 'Plan' }).click()
  await page.getByRole('button', { name: 'Repeat job' }).click()
  await expect.poll(at).toBe('/jobs')
  expect(server.calls(createRepeatingJob).at(-1)?.body).toMatchObject({
    repeat: { cron: '30 2 * * *', clock: 'server' },
    draft: { schedule: { start: { at: 'now' }, in_windows: true, expires_hours: 168 } },
  })
})

test('repeating jobs show their next and last times, and can be paused and deleted', async () => {
  const { server } = await openJobs([REPEATING])
  server.on(changeRepeatingJob, () => answer(changeRepeatingJob, { ...REPEATING, paused: true }))
  server.on(deleteRepeatingJob, () => answer(deleteRepeatingJob, null))
  const list = page.getByRole('region', { name: 'Repeating jobs' })
  await expect
    .element(list.getByText('Every day at 02:30 30 2 * * * by the clock of each machine'))
    .toBeVisible()
  await expect.element(list.getByText('Next Nov-26-2026 - 02:30 there')).toBeVisible()
  await expect.element(list.getByRole('link')).toHaveAttribute('href', '/jobs/7')
  await list.getByRole('button', { name: 'Pause Nightly clean-up' }).click()
  await expect.poll(() => server.calls(changeRepeatingJob)[0]?.body).toEqual({ paused: true })
  await list.getByRole('button', { name: 'Delete Nightly clean-up' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.poll(() => server.calls(deleteRepeatingJob)).toHaveLength(1)
})

test('a repeating job is edited in a form that is filled in, and a newer version is offered', async () => {
  const { server } = await openJobs([{ ...REPEATING, edited_by: 'bob' }])
  const draft = JobDraft.parse({
    name: 'Nightly clean-up',
    target: { by: 'site', id: 3 },
    action: { type: 'command', shell: 'sh', cmd: 'clean' },
    schedule: { in_windows: true, expires_hours: 12 },
    rollout: { waves: [{ count: 2 }], halt: { failures: 4, percent: 10 } },
  })
  const stored = { ...REPEATING, target_text: 'Site "Berlin"', draft }
  server.on(getRepeatingJob, () => answer(getRepeatingJob, stored))
  const list = page.getByRole('region', { name: 'Repeating jobs' })
  await expect.element(list).toMatchTextContent(/by ada, edited by bob/)
  await list.getByRole('button', { name: 'Edit Nightly clean-up' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Nightly clean-up' })
  await expect.element(dialog.getByRole('radio', { name: 'All of a site' })).toBeChecked()
  await expect.element(dialog.getByRole('combobox', { name: 'Site' })).toHaveValue('Office')
  await expect.element(dialog.getByRole('textbox', { name: 'Command' })).toHaveValue('clean')
  await expect.element(dialog.getByRole('textbox', { name: 'First wave' })).toHaveValue('2')
  await expect.element(dialog.getByRole('textbox', { name: 'Cron expression' })).toHaveValue('30 2 * * *')
  await expect.element(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Nightly clean-up')
  await expect.element(dialog.getByRole('checkbox', { name: /^Only while/ })).toBeChecked()
  await expect.element(dialog.getByRole('button', { name: 'Plan' })).toBeDisabled()
  await dialog.getByRole('textbox', { name: 'Command' }).fill('clean --all')
  await dialog.getByRole('textbox', { name: 'Cron expression' }).fill('0 4 * * sun')
  await dialog.getByRole('button', { name: 'Plan' }).click()
  await expect.element(dialog.getByRole('group', { name: 'Plan' })).toBeVisible()
  server.on(changeRepeatingJob, () => refuse('changed_meanwhile', 'Changed by another user.'))
  server.on(getRepeatingJob, () => answer(getRepeatingJob, { ...stored, modified: LATER }))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(dialog.getByText('Changed by another user.')).toBeVisible()
  expect(server.calls(changeRepeatingJob)[0]?.body).toEqual({
    draft: { ...draft, action: { ...draft.action, cmd: 'clean --all' } },
    repeat: { cron: '0 4 * * sun', clock: 'machine' },
    modified: AT,
  })
  await dialog.getByRole('button', { name: 'Reload' }).click()
  await expect.element(dialog.getByRole('textbox', { name: 'Command' })).toHaveValue('clean')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Weekly')
  await dialog.getByRole('button', { name: 'Plan' }).click()
  server.on(changeRepeatingJob, () => answer(changeRepeatingJob, { ...REPEATING, name: 'Weekly' }))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(server.calls(changeRepeatingJob).at(-1)?.body).toMatchObject({ modified: LATER })
})
