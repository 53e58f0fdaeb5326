import { planFleetJob } from '@muster/contract/api/fleet-jobs'
import { listScripts } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { testScript } from '../scripts/test-script.ts'
import { openJobs, PLAN } from './test-jobs.ts'

const field = (name: string) => page.getByRole('textbox', { name, exact: true })

/** Opens a new job that checks all machines. */
async function openForm() {
  const { server } = await openJobs('/jobs')
  server.on(planFleetJob, () => answer(planFleetJob, PLAN))
  server.on(listScripts, () => answer(listScripts, [testScript({ id: 9, name: 'Revert', args: ['-v'] })]))
  await page.getByRole('button', { name: 'New job' }).click()
  await page.getByRole('radio', { name: 'All machines' }).click()
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'Run checks' }).click()
  return async () => {
    await page.getByRole('button', { name: 'Plan' }).click()
    await expect.element(page.getByRole('group', { name: 'Plan' })).toBeVisible()
    return server.calls(planFleetJob).at(-1)?.body
  }
}

test('a job without limits has one wave', async () => {
  const plan = await openForm()
  await expect.element(field('Second wave')).not.toBeInTheDocument()
  await expect.element(field('Pause between waves')).not.toBeInTheDocument()
  expect(await plan()).toMatchObject({
    rollout: {
      waves: [],
      pause_minutes: 0,
      watch_minutes: 0,
      conditions: { success_percent: 0, no_new_alerts: false, check: null },
      halt: { failures: null, percent: null },
      max_at_once: null,
      max_per_minute: null,
      max_per_site: null,
    },
    rollback: null,
  })
})

test('waves are counts or percentages, with a pause, a check and limits', async () => {
  const plan = await openForm()
  await field('First wave').fill('ten')
  await expect.element(page.getByText('Enter machines or 1 to 100 %.').first()).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Plan' })).toBeDisabled()
  await field('First wave').fill('5 %')
  await field('Second wave').fill('100')
  await field('Third wave').fill('50%')
  await expect.element(field('4th wave')).toBeVisible()
  await field('Pause between waves').fill('10')
  await field('Watch each wave for').fill('30')
  await page.getByRole('checkbox', { name: 'Halt if a new alert opens on these machines' }).click()
  await field('Halt at').fill('5')
  await field('At once').fill('25')
  await page.getByText('More limits').click()
  await field('Required success').fill('98')
  await field('Check that must pass').fill('File shares')
  await field('Halt at share of a wave').fill('20')
  await field('At once per site').fill('3')
  await field('Starts per minute').fill('60')
  expect(await plan()).toMatchObject({
    rollout: {
      waves: [{ percent: 5 }, { count: 100 }, { percent: 50 }],
      pause_minutes: 10,
      watch_minutes: 30,
      conditions: { success_percent: 98, no_new_alerts: true, check: 'File shares' },
      halt: { failures: 5, percent: 20 },
      max_at_once: 25,
      max_per_minute: 60,
      max_per_site: 3,
    },
  })
  await field('Third wave').clear()
  await expect.element(field('4th wave')).not.toBeInTheDocument()
  expect(await plan()).toMatchObject({ rollout: { waves: [{ percent: 5 }, { count: 100 }] } })
})

test('a rollback script is named before the job runs', async () => {
  const plan = await openForm()
  await page.getByText('More limits').click()
  await page.getByRole('combobox', { name: 'Rollback script' }).click()
  await page.getByRole('option', { name: 'Revert' }).click()
  expect(await plan()).toMatchObject({ rollback: { script: 9, args: ['-v'] } })
})
