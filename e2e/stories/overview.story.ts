import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAgents } from '@muster/contract/api/agents'
import { createCheck, listAgentChecks, runChecks } from '@muster/contract/api/checks'
import { savePreferences } from '@muster/contract/api/users'
import { expect } from '@playwright/test'
import { machineRow } from '../support/dashboard.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { sendPassword } from '../support/sign-in-page.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { expectToast } from '../support/toasts.ts'

// A real agent, and a file that is really missing.
test('overview: a machine fails, the page says so, its link leads to the machine, then all is well', async ({
  admin,
  server,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  await admin.call(savePreferences, { body: { first_steps_hidden: true } })
  const folder = await mkdtemp(join(tmpdir(), 'muster-overview-'))
  const path = join(folder, 'backup.log')
  await writeFile(path, 'done')
  await using agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
  expect(agent.pid).toBeGreaterThan(0)
  const page = await openConsole({ as: admin, path: '/overview' })
  const sentence = page.getByRole('heading', { level: 1 })
  await expect(sentence).toHaveText('Nothing is checked on 1 machine.')
  await expect(page.getByRole('button', { name: 'Assign policy' })).toBeVisible()
  await expect(page).toHaveTitle('Overview | Muster')
  const [{ agent_id: agentId } = { agent_id: '' }] = await admin.call(listAgents, { query: {} })
  const params = { agent_id: agentId }
  await admin.call(createCheck, {
    body: {
      agent: agentId,
      settings: { check_type: 'file', path, expect: 'exists', alert_severity: 'error' },
      run_interval: 10,
    },
  })
  const check = () => admin.call(runChecks, { params, body: {} })
  const status = async () =>
    (await admin.call(listAgentChecks, { params, query: {} }))[0]?.check_result.status
  await expect.poll(status).toBe('passing')
  await expect(sentence).toHaveText('The machine is healthy.')

  await test.step('the file is gone: the sentence, the bar and the cause name it without a reload', async () => {
    await rm(path)
    await check()
    await expect(sentence).toHaveText(`1 machine failing File ${path}.`)
    await expect(page.getByRole('link', { name: '1 machine failing', exact: true }).first()).toBeVisible()
    const row = page.getByRole('row').filter({ hasText: 'File /' })
    await expect(row).toContainText(`Acme, ${hostname()}`)
    await expect(row).toContainText('Not acknowledged')
  })

  await test.step('the number leads to the machine, and the cause to its alert', async () => {
    await page
      .getByRole('list', { name: 'Machines by state' })
      .getByRole('link', { name: /failing/ })
      .click()
    await expect(machineRow(page, hostname())).toBeVisible()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('row').filter({ hasText: 'File /' }).getByRole('link').first().click()
    await expect(page.getByRole('button', { name: /File \//, expanded: true })).toBeVisible()
    await expect(page.getByRole('article').getByRole('heading', { name: /File \// })).toBeVisible()
    await page.goBack()
    await expect(sentence).toHaveText(/^1 machine failing/)
  })

  await test.step('the file is back: all is well', async () => {
    await writeFile(path, 'done')
    await check()
    await expect(sentence).toHaveText('The machine is healthy.')
    await expect(page.getByRole('heading', { level: 2 })).toHaveCount(0)
  })
  await rm(folder, { recursive: true })
})

test('overview: chosen as the start page, it opens in a new window and after sign-in', async ({
  admin,
  server,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: admin, path: '/settings/preferences' })
  await page.getByRole('combobox', { name: 'Start page' }).click()
  await page.getByRole('option', { name: 'Overview', exact: true }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Preferences saved.')
  await page.getByRole('link', { name: 'Muster, dashboard' }).click()
  await expect(page).toHaveURL(/\/$/)
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Search machines' })).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
  await page.goto('about:blank')
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/overview')
  const elsewhere = await openConsole({ path: '/' })
  await sendPassword(elsewhere, server.admin)
  await elsewhere.getByRole('button', { name: 'Not now' }).click()
  await expect(elsewhere.getByRole('heading', { name: 'Overview' })).toBeVisible()
})
