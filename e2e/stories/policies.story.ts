import { hostname } from 'node:os'
import { expect, type Page } from '@playwright/test'
import { chooseInMenu, machineRow } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, addSite, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name })
const checkRow = (page: Page) => page.getByRole('grid', { name: 'Checks' }).getByRole('row', { name: /CPU/ })

// One machine with the agent's own program, one that is simulated, at two sites of a client.
test('policies: planned, saved, run within seconds, explained, blocked, reverted', async ({
  admin,
  server,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  const munich = await addSite(admin, acme, 'Munich')
  using _fleet = await startMachines(admin, [
    { hostname: 'alpha', token: await makeToken(admin, acme, { site: munich }) },
  ])
  await using agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
  const machine = await openConsole({ as: admin })
  const page = await openConsole({ as: admin })
  await machineRow(machine, hostname()).click()
  await machine.getByRole('tab', { name: 'Checks' }).click()
  await expect(machine.getByText(/has no checks yet/)).toBeVisible()

  await test.step('a policy with a check is assigned to a client, and its plan is shown', async () => {
    await chooseInMenu(page, 'Automation', 'Policies')
    await page.getByRole('button', { name: 'Create policy' }).click()
    await section(page, 'Policy').getByRole('textbox', { name: 'Name' }).fill('Base')
    await section(page, 'Checks').getByRole('button', { name: 'New check' }).click()
    await page.getByRole('menuitem', { name: 'CPU load' }).click()
    const form = page.getByRole('dialog')
    await form.getByRole('textbox', { name: 'Interval' }).fill('10')
    await form.getByRole('button', { name: 'Add check' }).click()
    await expect(section(page, 'Checks')).toContainText('warning at 70 %, error at 90 %, every 10 s')
    await section(page, 'Assigned to').getByLabel('Clients, sites and machines').fill('acme')
    await page.getByRole('option', { name: 'Acme', exact: true }).click()
    const plan = section(page, 'If you save')
    await expect(plan).toContainText('2 machines will change')
    await expect(plan.getByRole('row', { name: /CPU load/ })).toContainText(/Add.*2$/)
    await page.getByRole('textbox', { name: 'Reason' }).fill('We want to know')
    await page.getByRole('button', { name: 'Save this plan' }).click()
    await expect(page).toHaveURL(/\/policies\/\d+$/)
  })

  await test.step('it runs on the machine within seconds', async () => {
    await expect(checkRow(machine)).toBeVisible()
    await expect(checkRow(machine)).toContainText(/ % in use/)
    await expect(section(page, 'Applies to 2 machines')).toContainText('alpha')
  })

  await test.step('one click says why the machine has it', async () => {
    await checkRow(machine)
      .getByRole('button', { name: /From the policy Base/ })
      .click()
    const why = machine.getByRole('dialog')
    await expect(why).toContainText('From the policy Base, assigned to its client.')
    await expect(why.getByRole('list', { name: 'Policies of the machine' })).toContainText(
      'Assigned to its client',
    )
    await why.getByRole('button', { name: 'Close' }).click()
    await checkRow(machine).click({ button: 'right' })
    await expect(machine.getByRole('menuitem', { name: 'Edit' })).toBeDisabled()
    await machine.keyboard.press('Escape')
  })

  await test.step('a threshold is changed: the plan says so, and it counts', async () => {
    await section(page, 'Checks').getByRole('button', { name: 'Edit CPU load' }).click()
    const form = page.getByRole('dialog')
    await form.getByRole('textbox', { name: 'Warning threshold' }).fill('80')
    await form.getByRole('button', { name: 'Save' }).click()
    const plan = section(page, 'If you save')
    await expect(plan.getByRole('row', { name: /CPU load/ })).toContainText(/Change.*80 %.*2$/)
    await page.getByRole('button', { name: 'Save this plan' }).click()
    await expect(plan).toBeHidden()
    await expect(section(page, 'History')).toContainText('Version 2')
  })

  await test.step('blocked inheritance takes it away, with the reason', async () => {
    await machine.getByRole('tab', { name: 'Policies' }).click()
    await machine.getByRole('button', { name: 'Block inheritance' }).click()
    await expect(machine.getByText('The machine blocks inheritance.')).toBeVisible()
    await machine.getByRole('tab', { name: 'Checks' }).click()
    await expect(machine.getByText(/has no checks yet/)).toBeVisible()
    await expect(section(page, 'Applies to 1 machine')).toBeVisible()
    await machine.getByRole('tab', { name: 'Policies' }).click()
    await machine.getByRole('button', { name: 'Allow inheritance' }).click()
    await machine.getByRole('tab', { name: 'Checks' }).click()
    await expect(checkRow(machine)).toBeVisible()
  })

  await test.step('switched off by mistake, and reverted from its history', async () => {
    await section(page, 'Policy').getByRole('checkbox', { name: 'Active' }).uncheck()
    const effect = section(page, 'If you save').getByRole('row', { name: /CPU load/ })
    await expect(effect).toContainText(/Remove.*2$/)
    await page.getByRole('button', { name: 'Save this plan' }).click()
    await expect(machine.getByText(/has no checks yet/)).toBeVisible()
    const second = section(page, 'History').getByRole('listitem').filter({ hasText: 'Version 2' })
    await second.getByRole('button', { name: 'Show changes' }).click()
    await expect(page.getByRole('dialog')).toContainText('"warning_threshold": 80')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await second.getByRole('button', { name: 'Revert to this version' }).click()
    const plan = page.getByRole('dialog')
    await expect(plan.getByRole('textbox', { name: 'Reason' })).toHaveValue('Reverted to version 2')
    await plan.getByRole('button', { name: 'Save' }).click()
    await expect(checkRow(machine)).toBeVisible()
    await expect(checkRow(machine)).toContainText(/ % in use/)
    await expect(section(page, 'History')).toContainText('Version 4')
  })
  await agent.stop()
  agent.expectCleanLog()
})
