import { listAlertCauses, listAlerts } from '@muster/contract/api/alerts'
import { createCheck } from '@muster/contract/api/checks'
import { expect, type Page } from '@playwright/test'
import { expectAccessible, expectAccessibleInAllLooks, FIRST_LOOK } from '../support/accessible.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { test } from '../support/story.ts'

const NAME = 'CPU load'

test('alerts by cause: two machines are one line, acknowledged from a phone, snoozed and resolved together', async ({
  admin,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme', 'Berlin'))
  using fleet = await startMachines(admin, [
    { hostname: 'alpha', token },
    { hostname: 'bravo', token },
  ])
  for (const { agentId = '' } of fleet.machines) {
    await admin.call(createCheck, {
      body: {
        agent: agentId,
        settings: { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 },
        fails_b4_alert: 1,
      },
    })
  }
  // Until the machines have their checks, there is nothing to report.
  const report = async (percent: number) => {
    for (const machine of fleet.machines) machine.reportCpu(percent)
    const { causes } = await admin.call(listAlertCauses, { body: { snoozedFilter: true } })
    return causes.map(({ name, machines, severity }) => [name, machines, severity])
  }
  const page = await openConsole({ ...FIRST_LOOK, as: admin, path: '/alerts' })
  await expect(page.getByText('No open alerts.')).toBeVisible()

  await test.step('both machines fail: one cause, without a reload', async () => {
    await expect.poll(() => report(95)).toEqual([[NAME, 2, 'error']])
    await expect(cause(page)).toContainText('2 machines')
    // The worst cause opens automatically.
    await expect(cause(page)).toHaveAttribute('aria-expanded', 'true')
    await cause(page).click()
    await expectAccessible(page, 'closed causes')
  })

  await test.step('the cause opens to its machines, with value, threshold and curve', async () => {
    await cause(page).click()
    await expect(row(page, 'alpha')).toBeVisible()
    await row(page, 'bravo').click()
    await expect(page.getByRole('article').getByRole('heading', { name: /bravo/ })).toBeVisible()
    await expect(page.getByRole('article').getByText(/fails above 90 %$/)).toBeVisible()
    await expect(page.getByRole('slider', { name: /CPU/ })).toBeVisible()
    await expectAccessibleInAllLooks(page, 'an open cause', 'fails above 90 %')
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  await test.step('on a phone, one tap after the link acknowledges, and the desk sees it', async () => {
    const { alerts } = await admin.call(listAlerts, { body: {} })
    const alpha = alerts.find(({ hostname }) => hostname === 'alpha')
    const phone = await openConsole({
      as: admin,
      path: `/alerts?alert=${alpha?.id}`,
      viewport: { width: 390, height: 844 },
    })
    await phone.getByRole('article').getByRole('button', { name: 'Acknowledge' }).click()
    await expect(phone.getByText('Alert acknowledged.')).toBeVisible()
    await expect(row(page, 'alpha')).toContainText('Acknowledged by admin')
    await expect(cause(page)).toContainText('1 of 2 acknowledged')
  })

  await test.step('the whole cause is snoozed', async () => {
    await page.getByRole('button', { name: 'Snooze all 2 …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Snooze 2 alerts' })
    await dialog.getByRole('radio', { name: /^1 hour/ }).click()
    await dialog.getByRole('button', { name: 'Snooze' }).click()
    await expect(cause(page)).toContainText('Snoozed until')
  })

  await test.step('the load falls: the cause is gone, and the chosen alert says that it is resolved', async () => {
    await expect.poll(() => report(5)).toEqual([])
    await expect(page.getByText('No open alerts.')).toBeVisible()
    await expect(page.getByRole('article').getByText('resolved', { exact: true })).toBeVisible()
  })
})

const causes = (page: Page) => page.getByRole('list', { name: 'Causes' })
const cause = (page: Page) => causes(page).getByRole('button', { name: new RegExp(NAME) })
const row = (page: Page, name: string) => causes(page).getByRole('button', { name: new RegExp(`^${name}`) })
