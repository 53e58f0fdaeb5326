import { planFleetJob } from '@muster/contract/api/fleet-jobs'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { openJobs, PLAN } from './test-jobs.ts'

const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const planButton = () => page.getByRole('button', { name: 'Plan' })

async function choose(name: string, option: string) {
  await page.getByRole('combobox', { name }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Opens a new job for all machines. */
async function openAction(action: string) {
  const { server } = await openJobs('/jobs')
  server.on(planFleetJob, () => answer(planFleetJob, PLAN))
  await page.getByRole('button', { name: 'New job' }).click()
  await page.getByRole('radio', { name: 'All machines' }).click()
  await choose('Action', action)
  return async () => {
    await planButton().click()
    await expect.element(page.getByRole('group', { name: 'Plan' })).toBeVisible()
    return server.calls(planFleetJob).at(-1)?.body
  }
}

test('a command runs as the signed-in user, in a shell of its own', async () => {
  const plan = await openAction('Send a command')
  await field('Command').fill('whoami')
  await choose('Shell', 'Custom')
  await expect.element(planButton()).toBeDisabled()
  await field('Shell path').fill('/usr/bin/zsh')
  await page.getByRole('checkbox', { name: 'Run as the signed-in user' }).click()
  expect(await plan()).toMatchObject({
    action: {
      type: 'command',
      shell: 'custom',
      custom_shell: '/usr/bin/zsh',
      cmd: 'whoami',
      run_as_user: true,
    },
  })
})

test('a restart warns the users first, or happens at once', async () => {
  const plan = await openAction('Restart')
  await field('Message to the user').fill('Updates are installed.')
  await field('Warning time').fill('0')
  await expect.element(page.getByText('Enter 1 to 1440 minutes.')).toBeVisible()
  await expect.element(planButton()).toBeDisabled()
  await field('Warning time').fill('20')
  await page.getByRole('checkbox', { name: 'The user may postpone it' }).click()
  expect(await plan()).toMatchObject({
    action: {
      type: 'power',
      action: 'reboot',
      now: false,
      warning: { message: 'Updates are installed.', delay_minutes: 20, may_postpone: false },
    },
  })
  await page.getByRole('checkbox', { name: 'At once, without a warning' }).click()
  await expect.element(field('Message to the user')).toBeDisabled()
  expect(await plan()).toMatchObject({ action: { type: 'power', action: 'reboot', now: true } })
  await choose('Action', 'Wake')
  await expect.element(field('Warning time')).not.toBeInTheDocument()
})
