import { hostname } from 'node:os'
import { listAlerts } from '@muster/contract/api/alerts'
import { createCheck } from '@muster/contract/api/checks'
import { createScript } from '@muster/contract/api/scripts'
import { expect } from '@playwright/test'
import { chooseInMenu, follow, machineRow } from '../support/dashboard.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

// A disk that really fills up, and a script that really runs on the machine because of it.
test('alert templates: made and assigned by hand, a script runs on the machine when its disk fills up', async ({
  admin,
  server,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  await using agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
  await using disk = await mountSmallDisk()
  const shell = { shell: 'shell' as const, supported_platforms: ['linux' as const] }
  await admin.call(createScript, {
    body: {
      ...shell,
      name: 'Look who fills it',
      script_body: `#!/bin/sh\necho "severity $MUSTER_ALERT_SEVERITY in $1"\nls ${disk.path}\n`,
    },
  })
  await admin.call(createScript, {
    body: { ...shell, name: 'Say that it is over', script_body: '#!/bin/sh\necho "room again"\n' },
  })
  const page = await openConsole({ as: admin })
  await expect(machineRow(page, hostname())).toBeVisible()
  const agentId = (await machineRow(page, hostname()).getAttribute('data-row')) ?? ''

  await test.step('a template with two scripts is made', async () => {
    await chooseInMenu(page, 'Settings', 'Alert templates')
    await page.getByRole('button', { name: 'New template' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Full disks')
    const opens = page.getByRole('region', { name: 'When an alert opens' })
    await choose(opens.getByRole('combobox', { name: 'Run' }), 'A script on the machine')
    await choose(opens.getByRole('combobox', { name: 'Script' }), 'Look who fills it')
    await opens.getByRole('button', { name: 'Add argument' }).click()
    await opens.getByRole('textbox', { name: 'Arguments 1' }).fill('Acme; rm -rf /tmp/nothing')
    const over = page.getByRole('region', { name: 'When an alert is resolved' })
    await choose(over.getByRole('combobox', { name: 'Run' }), 'A script on the machine')
    await choose(over.getByRole('combobox', { name: 'Script' }), 'Say that it is over')
    await page.getByRole('button', { name: 'Add template' }).click()
    await expect(page.getByRole('button', { name: 'Edit Full disks' })).toBeVisible()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  })

  await test.step('it is assigned to the client by its menu, and the preview says so', async () => {
    await page.getByRole('treeitem', { name: /^Acme/ }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Assign alert template' }).click()
    await choose(page.getByRole('combobox', { name: 'Alert template' }), 'Full disks')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('dialog')).toBeHidden()
    await machineRow(page, hostname()).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Alerts and policies' }).click()
    await page.getByRole('menuitem', { name: 'Preview alerts' }).click()
    const preview = page.getByRole('dialog', { name: 'Preview alerts' })
    await expect(preview.getByRole('region', { name: 'Template' })).toContainText('Full disks')
    await expect(preview.getByRole('region', { name: 'Template' })).toContainText('Client: Acme')
    await expect(preview.getByRole('region', { name: 'Actions' })).toContainText('Look who fills it')
    await page.keyboard.press('Escape')
  })

  await test.step('the disk fills up: the script runs, and its output stands in the alert', async () => {
    await admin.call(createCheck, {
      body: { agent: agentId, settings: { check_type: 'diskspace', disk: disk.path }, run_interval: 10 },
    })
    await disk.fill(19)
    await expect.poll(alertId).toBeGreaterThan(0)
    const id = await alertId()
    await follow(page, `/?dialog=alert&item=${id}`)
    const failure = page.getByRole('region', { name: 'Failure action', exact: true })
    await expect(failure).toContainText('exit code 0')
    await expect(failure).toContainText('severity error in Acme; rm -rf /tmp/nothing')
    await expect(page.getByText('Action completed')).toBeVisible()
  })

  await agent.stop()
  agent.expectCleanLog()

  async function alertId(): Promise<number> {
    const { alerts } = await admin.call(listAlerts, { body: { resolvedFilter: true } })
    return alerts[0]?.id ?? 0
  }

  async function choose(field: ReturnType<typeof page.getByRole>, name: string): Promise<void> {
    await field.click()
    await page.getByRole('option', { name, exact: true }).click()
  }
})
