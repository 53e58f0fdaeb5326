import { createMaintenanceWindow } from '@muster/contract/api/maintenance'
import { savePreferences } from '@muster/contract/api/users'
import { TWO_LOOKS, expectAccessible, expectSettled, follow } from '../support/accessible.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { test } from '../support/story.ts'

for (const look of TWO_LOOKS) {
  const way = `${look.colorScheme}, ${look.viewport.width} px`

  test(`maintenance windows have no accessibility violations, ${way}`, async ({ openConsole, admin }) => {
    test.setTimeout(300_000)
    const acme = await addClient(admin, 'Acme', 'Berlin')
    using fleet = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
    const agentId = fleet.machines[0]?.agentId ?? ''
    await admin.call(savePreferences, { body: { dark_mode: look.colorScheme === 'dark' } })
    const page = await openConsole({ ...look, as: admin })
    const dialog = page.getByRole('dialog')

    await follow(page, '/policies?dialog=maintenance-windows')
    await dialog.getByText('No maintenance planned.').waitFor()
    await expectAccessible(page, 'no windows', '[role=dialog]')

    const zone = { time_zone: 'Europe/Zurich', weekdays: [], month_days: [], until: null }
    const targets = [{ type: 'site' as const, id: acme.sites[0]?.id ?? 0 }]
    const schedules = [
      { ...zone, starts: '2026-01-01T02:00', minutes: null, recurs: 'once' as const },
      { ...zone, starts: '2026-01-01T02:00', minutes: 60, recurs: 'monthly' as const, month_days: [1, -1] },
    ]
    for (const schedule of schedules) {
      await admin.call(createMaintenanceWindow, { body: { reason: 'New disks', targets, schedule } })
    }
    await page.goto('/policies?dialog=maintenance-windows')
    await dialog.getByText('Active, no end time').first().waitFor()
    await expectAccessible(page, 'the list of windows', '[role=dialog]')

    await follow(page, '/policies?dialog=open-maintenance')
    await dialog.getByRole('button', { name: /^End now/ }).waitFor()
    await expectAccessible(page, 'the list of maintenance without an end', '[role=dialog]')

    await follow(page, `/policies?dialog=maintenance&item=agent-${agentId}`)
    await dialog.getByText('alpha', { exact: true }).waitFor()
    for (const [when, shows] of [
      ['Now', 'No end time'],
      ['Once, at a set time', 'Day'],
      ['Every week', 'Wednesday'],
      ['Every month', 'Days of the month'],
    ] as const) {
      await dialog.getByRole('combobox', { name: 'When' }).click()
      await page.getByRole('option', { name: when }).click()
      await dialog.getByText(shows, { exact: true }).waitFor()
      await expectAccessible(page, `maintenance, ${when}`, '[role=dialog]')
    }
    await dialog.getByLabel('Days of the month').fill('40')
    await dialog.getByLabel('Days of the month').blur()
    await dialog.getByText(/Enter numbers from 1 to 31/).waitFor()
    await expectAccessible(page, 'a mistake in a window', '[role=dialog]')

    await follow(page, '/policies?dialog=edit-maintenance&item=2')
    await dialog.getByText(/On the 1st and the last day of every month/).waitFor()
    await expectAccessible(page, 'a window that is changed', '[role=dialog]')

    await follow(page, `/agents/${agentId}`)
    await page.getByText(/In maintenance with no end time: New disks/).waitFor()
    await expectSettled(page)
    await expectAccessible(page, 'a machine in maintenance')
  })
}
