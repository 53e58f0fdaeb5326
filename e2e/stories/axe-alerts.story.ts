import { createAlertChannel } from '@muster/contract/api/alert-channels'
import { type Alert, changeAlert, createAlert } from '@muster/contract/api/alerts'
import { savePreferences } from '@muster/contract/api/users'
import type { Page } from '@playwright/test'
import { TWO_LOOKS, expectAccessible, expectSettled, follow } from '../support/accessible.ts'
import { addClient } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { test } from '../support/story.ts'

for (const look of TWO_LOOKS) {
  const way = `${look.colorScheme}, ${look.viewport.width} px`

  test(`alerts and alert channels have no accessibility violations, ${way}`, async ({
    openConsole,
    admin,
  }) => {
    test.setTimeout(360_000)
    await addClient(admin, 'Acme')
    await admin.call(savePreferences, { body: { dark_mode: look.colorScheme === 'dark' } })
    const page = await openConsole({ ...look, as: admin })

    await test.step('while all is well', async () => {
      await page.getByRole('button', { name: 'Alerts: none open' }).click()
      await expectShown(page, 'the empty bell', 'No open alerts.', HEADER)
      await page.keyboard.press('Escape')
      await follow(page, '/alerts')
      await expectShown(page, 'no alerts', 'No open alerts.')
      await follow(page, '/alerts?search=nothing')
      await expectShown(page, 'no alert that fits', 'No alerts match the filter.')
      await follow(page, '/alerts?dialog=alert-channels')
      await expectShown(page, 'no channels', 'No notifications yet.', DIALOG)
    })

    const open = await raiseAll(admin)
    await test.step('the bell and the list', async () => {
      await page.goto('/alerts?also=snoozed,resolved')
      await expectShown(page, 'the list', 'The line is down')
      await page.getByRole('button', { name: /^Alerts: 3 open/ }).click()
      await expectShown(page, 'the bell', 'All alerts (3)', HEADER)
      await page.keyboard.press('Escape')
      await page.getByRole('checkbox', { name: 'Select all listed alerts' }).click()
      await expectShown(page, 'checked alerts', /selected$/)
      await page.getByRole('button', { name: 'Snooze', exact: true }).click()
      await page.getByRole('radio', { name: 'Custom time' }).click()
      await expectShown(page, 'the snooze dialog', 'Date and time')
      await page.goto('/alerts')
      await page.getByRole('button', { name: 'Filter' }).click()
      await expectShown(page, 'the filter', 'Apply', DIALOG)
      await follow(page, `/alerts?dialog=alert&item=${open.id}`)
      await expectShown(page, 'an alert', 'Log', DIALOG)
    })

    await test.step('channels', async () => {
      await follow(page, '/policies?dialog=alert-channels')
      await expectShown(page, 'the channels', 'Team', DIALOG)
      await page.getByRole('button', { name: 'Delete Team' }).click()
      await expectShown(page, 'the question before a channel is deleted', 'Delete this channel?')
      for (const kind of ['email', 'sms', 'slack', 'telegram', 'ntfy', 'pagerduty', 'webhook']) {
        // Closed in between: each begins with a form of its own.
        await follow(page, '/policies')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await follow(page, `/policies?dialog=alert-channel&item=new.${kind}`)
        await expectShown(page, `a new channel: ${kind}`, 'Notify about', DIALOG)
      }
      await follow(page, '/policies?dialog=alert-channel&item=1')
      await expectShown(page, 'a channel with kept secrets', 'Edit Team', DIALOG)
    })
  })
}

/** An open list covers part of the page, which has a check of its own. */
const HEADER = 'header'
/** Without the screen beneath, which has a check of its own. */
const DIALOG = '[role=dialog]'

async function expectShown(page: Page, where: string, shows: string | RegExp, part?: string): Promise<void> {
  await page.getByText(shows).filter({ visible: true }).first().waitFor()
  await expectSettled(page)
  await expectAccessible(page, where, part)
}

/** One of each severity, an acknowledged, a snoozed and a resolved one, and a channel. Answers the worst. */
async function raiseAll(admin: Session): Promise<Alert> {
  const raise = (message: string, severity: Alert['severity']) =>
    admin.call(createAlert, { body: { message, severity, key: message } })
  const worst = await raise('The line is down', 'error')
  await raise('The backup is late', 'warning')
  await raise('A delivery has come', 'info')
  for (const type of ['acknowledge', 'snooze', 'resolve'] as const) {
    const { id } = await raise(`One to ${type}`, 'warning')
    await admin.call(changeAlert, {
      params: { id },
      body: { type, note: 'Seen.', ...(type === 'snooze' ? { snooze_days: 1 } : {}) },
    })
  }
  await admin.call(createAlertChannel, {
    body: {
      name: 'Team',
      settings: {
        kind: 'webhook',
        url: 'http://127.0.0.1:9/alerts',
        headers: [{ name: 'Authorization', value: 'Bearer abc' }],
        secret: 'signing',
      },
      rules: { enabled: false, quiet_from: '22:00', quiet_to: '06:00' },
    },
  })
  return worst
}
