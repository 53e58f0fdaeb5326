import { planFleetJob } from '@muster/contract/api/fleet-jobs'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'
import { openJobs, PLAN } from './test-jobs.ts'

type Server = Awaited<ReturnType<typeof openJobs>>['server']

/** Chooses an action, plans the job, and returns its target. */
async function planTarget(server: Server) {
  server.on(planFleetJob, () => answer(planFleetJob, PLAN))
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'Run checks' }).click()
  await page.getByRole('button', { name: 'Plan' }).click()
  await expect.element(page.getByRole('group', { name: 'Plan' })).toBeVisible()
  return server.calls(planFleetJob).at(-1)?.body
}

test.each([
  ['client', 'All of a client', 'Client', 'Acme (3 machines)', 1],
  ['site', 'All of a site', 'Site', 'Munich', 2],
] as const)('a job runs on all machines of a %s', async (by, kind, field, option, id) => {
  const { server } = await openJobs('/jobs')
  await page.getByRole('button', { name: 'New job' }).click()
  await page.getByRole('radio', { name: kind }).click()
  await page.getByRole('combobox', { name: field }).click()
  await page.getByRole('option', { name: option }).click()
  expect(await planTarget(server)).toMatchObject({ target: { by, id } })
})

test.each([
  [/Acme/, 'All of a client', { by: 'client', id: 1 }],
  [/Munich/, 'All of a site', { by: 'site', id: 2 }],
] as const)('the tree offers a job for %s', async (name, kind, target) => {
  await page.viewport(1440, 900)
  const { server, open } = await givenDashboard()
  await open()
  await page.getByRole('treeitem', { name }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: /^Run a job/ }).click()
  await expect.element(page.getByRole('radio', { name: kind })).toBeChecked()
  expect(await planTarget(server)).toMatchObject({ target })
})

test('the search of a job has suggestions, marks its error, and is as long as the language allows', async () => {
  const { server } = await openJobs('/jobs')
  await page.getByRole('button', { name: 'New job' }).click()
  const field = page.getByRole('textbox', { name: 'Search for machines' })
  await field.fill('disk_fre<10%')
  const message = 'There is no field disk_fre. Did you mean disk_free?'
  await expect.element(page.getByRole('alert')).toHaveTextContent(message)
  await expect.element(field).toHaveAttribute('aria-invalid', 'true')
  await expect.element(field).toHaveAccessibleDescription(message)
  await field.clear()
  await userEvent.type(field, 'is:off')
  await expect.element(page.getByRole('option', { name: /^offline/ })).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(page.getByRole('listbox')).not.toBeInTheDocument()
  await userEvent.keyboard('l')
  await userEvent.keyboard('{Tab}')
  await expect.element(field).toHaveValue('is:offline ')
  const long = `is:offline or ${'x'.repeat(1900)}`
  await field.fill(long)
  expect(await planTarget(server)).toMatchObject({ target: { by: 'search', search: long } })
})
