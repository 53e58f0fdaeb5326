import { createAlert } from '@muster/contract/api/alerts'
import { listMaintenanceWindows } from '@muster/contract/api/maintenance'
import { expect } from '@playwright/test'
import { machineRow } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { test } from '../support/story.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

for (const [name, shiftMs, sentence] of [
  ['ahead', DAY_MS, 'The clock of this computer is 1 day ahead of the server.'],
  ['behind', -DAY_MS, 'The clock of this computer is 1 day behind the server.'],
] as const) {
  test(`a console whose clock is a day ${name} counts by the clock of the server, and says so`, async ({
    admin,
    openConsole,
  }) => {
    const acme = await addClient(admin, 'Acme')
    using _machines = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
    await admin.call(createAlert, { body: { message: 'Disk is filling up', severity: 'error' } })
    const page = await openConsole({ as: admin, path: '/login' })
    await page.clock.install({ time: Date.now() + shiftMs })

    await page.goto('/')
    await expect(machineRow(page, 'alpha')).toBeVisible()
    await expect(page.getByRole('status').filter({ hasText: sentence })).toBeVisible()

    await page.getByRole('button', { name: /^Alerts: 1 open/ }).click()
    const alert = page.getByRole('listitem').filter({ hasText: 'Disk is filling up' })
    await expect(alert.locator('time')).toHaveText(/^\d+ (second|minute)s? ago$/)
    await page.keyboard.press('Escape')

    await page.goto(`/?dialog=maintenance&item=client-${acme.id}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Start maintenance' }).click()
    await expect(dialog).toHaveCount(0)
    const [window] = await admin.call(listMaintenanceWindows, {})
    const leftMs = Date.parse(window?.active_until ?? '') - Date.now()
    expect(leftMs).toBeGreaterThan(0)
    expect(leftMs).toBeLessThan(3 * HOUR_MS)
  })
}
