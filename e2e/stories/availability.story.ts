import { expect } from '@playwright/test'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { makeSilent } from '../support/silent-machines.ts'
import { test } from '../support/story.ts'
import { SERVER_GONE } from '../support/watch-browser.ts'

test('availability: a server that stops raises a bell alert without any setup, a workstation is named', async ({
  openConsole,
  server,
  admin,
  expected,
}) => {
  expected.browser.push(SERVER_GONE)
  const client = await addClient(admin, 'Acme')
  const token = await makeToken(admin, client)
  const ofWorkstations = await makeToken(admin, client, { type: 'workstation' })
  // The third keeps the whole site from being down, which would open another alert.
  using fleet = await startMachines(admin, [
    { hostname: 'delta', token },
    { hostname: 'echo', token: ofWorkstations },
    { hostname: 'foxtrot', token },
  ])
  const [delta, echo] = fleet.machines
  if (delta === undefined || echo === undefined) throw new Error('no machines')
  for (const machine of [delta, echo]) machine.disconnect()
  await makeSilent(server, { [delta.agentId]: 60, [echo.agentId]: 60 })
  const page = await openConsole({ as: admin, path: '/alerts' })

  await test.step('the alerts page names the workstation that raises no alert', async () => {
    await expect(page.getByText('No open alerts. 1 overdue machine has no alerting.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Turn on' })).toBeVisible()
  })

  await test.step('the server is dead: the bell updates without a reload', async () => {
    // A server that has just started gives machines two minutes to find it before any is overdue.
    await server.pass(2)
    const bell = page.getByRole('button', { name: 'Alerts: 1 open, the worst is an error' })
    await expect(bell).toBeVisible()
    await bell.click()
    await expect(page.getByRole('button', { name: /^delta is overdue/ })).toBeVisible()
  })

  await test.step('turned on, the alert of the workstation opens too', async () => {
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Turn on' }).click()
    const dialog = page.getByRole('dialog', { name: 'Turn on availability alerts' })
    await expect(dialog.getByRole('radio', { name: 'Only the 1 machine overdue now' })).toBeChecked()
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    await expect(page.getByRole('button', { name: /^Alerts: 2 open/ })).toBeVisible()
    await expect(page.getByText('1 overdue machine has no alerting.')).toBeHidden()
  })
})
