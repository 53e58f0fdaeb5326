import { pauseFleetJob, resumeFleetJob } from '@muster/contract/api/fleet-jobs'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { job, NO, NONE, OK, openJobs } from './test-jobs.ts'

const RUNNING = job({
  waves: job().waves.map((wave, i) =>
    i === 0 ? { ...wave, state: 'running' as const, counts: { ...NONE, running: 5, waiting: 180 } } : wave,
  ),
})

test('a job pauses after its wave, once the user has read how many machines that means', async () => {
  const { server } = await openJobs('/jobs/7', RUNNING)
  await page.getByRole('button', { name: 'Pause after this wave' }).click()
  const dialog = page.getByRole('dialog')
  await expect
    .element(dialog)
    .toMatchTextContent(
      '185 machines of this wave still run; 298 machines of later waves do not start, until you resume the job.',
    )
  await dialog.getByRole('button', { name: 'Pause after this wave' }).click()
  await expect.poll(() => server.calls(pauseFleetJob).at(-1)?.body).toEqual({ after_wave: true })
})

test('a planned pause is shown, and not offered again', async () => {
  await openJobs('/jobs/7', { ...RUNNING, pause_after_wave: true })
  await expect.element(page.getByText('Pauses after this wave')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Pause after this wave' })).not.toBeInTheDocument()
})

test('a paused job continues with the rest at once', async () => {
  const steps = { approve: NO, pause: NO, halt: NO, resume: OK, stop: OK, retry_failed: NO, undo: NO }
  const { server } = await openJobs('/jobs/7', job({ state: 'paused', steps }))
  await page.getByRole('button', { name: 'Continue with the rest at once' }).click()
  const dialog = page.getByRole('dialog')
  await expect
    .element(dialog)
    .toMatchTextContent('298 machines that wait run as one wave, without pauses or conditions in between.')
  await dialog.getByRole('button', { name: 'Continue with the rest at once' }).click()
  await expect.poll(() => server.calls(resumeFleetJob).at(-1)?.body).toEqual({ rest_at_once: true })
})

test('the last wave is not followed by a pause', async () => {
  await openJobs('/jobs/7', job({ wave: 2 }))
  await expect.element(page.getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Pause after this wave' })).not.toBeInTheDocument()
})
