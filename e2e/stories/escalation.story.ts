import { createUser } from '@muster/contract/api/accounts'
import { createAlertChannel } from '@muster/contract/api/alert-channels'
import { listAlertTemplates, setDefaultTemplate } from '@muster/contract/api/alert-templates'
import { createAlert } from '@muster/contract/api/alerts'
import { expect } from '@playwright/test'
import { DIALOG, expectAccessible } from '../support/accessible.ts'
import { chooseInMenu, follow } from '../support/dashboard.ts'
import { startMailReceiver } from '../support/receivers.ts'
import { addClient } from '../support/seed.ts'
import { test } from '../support/story.ts'

// Browsers of this story open the server at its own port; mails name this address.
test.use({ serverEnv: { MUSTER_PUBLIC_URL: 'http://127.0.0.1:8420' } })

test('an on-call user gets a mail, acknowledges by its link on a phone, and the chain stops', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  // The page of a used link.
  expected.browser.push(/status of 410/)
  await using mail = await startMailReceiver()
  await addClient(admin, 'Acme')
  await admin.call(createAlertChannel, {
    body: {
      name: 'Mail',
      settings: {
        kind: 'email',
        smtp_host: '127.0.0.1',
        smtp_port: mail.port,
        smtp_security: 'none',
        smtp_auth: 'none',
        smtp_from_email: 'muster@example.com',
        recipients: ['team@example.com'],
      },
      // The channel itself sends nothing about this alert.
      rules: { severities: ['info'] },
    },
  })
  for (const username of ['bob', 'cleo'])
    await admin.call(createUser, {
      body: { username, password: 'a long password', email: `${username}@example.com`, is_superuser: true },
    })
  const page = await openConsole({ as: admin })

  await test.step('a schedule with Bob is made, and says that Bob is on call now', async () => {
    await chooseInMenu(page, 'Settings', 'On-call schedules')
    await page.getByRole('button', { name: 'New schedule' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Servers')
    await page.getByRole('combobox', { name: 'Members' }).click()
    await page.getByRole('option', { name: 'bob' }).click()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('region', { name: 'Preview' })).toContainText('Now: bob')
    await expectAccessible(page, 'a new schedule', DIALOG)
    await page.getByRole('button', { name: 'Add schedule' }).click()
    // The form shows the same words until it has closed.
    const schedules = page.getByRole('dialog', { name: 'On-call schedules' })
    await expect(schedules.getByText('Now: bob')).toBeVisible()
    await schedules.getByRole('button', { name: 'Close' }).last().click()
    await expect(schedules).toBeHidden()
  })

  await test.step('a chain notifies the schedule at once and Cleo after an hour', async () => {
    await chooseInMenu(page, 'Settings', 'Escalation chains')
    await page.getByRole('button', { name: 'New chain' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Night')
    const first = page.getByRole('region', { name: 'Step 1' })
    await first.getByRole('combobox', { name: 'On-call schedules' }).click()
    await page.getByRole('option', { name: 'Servers' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add step' }).click()
    const second = page.getByRole('region', { name: 'Step 2' })
    await second.getByRole('textbox', { name: 'Notify after' }).fill('60')
    await second.getByRole('combobox', { name: 'Users' }).click()
    await page.getByRole('option', { name: 'cleo' }).click()
    await page.keyboard.press('Escape')
    await expectAccessible(page, 'a new chain', DIALOG)
    await page.getByRole('button', { name: 'Add chain' }).click()
    const chains = page.getByRole('dialog', { name: 'Escalation chains' })
    await expect(chains.getByText('After 60 min: cleo')).toBeVisible()
    await chains.getByRole('button', { name: 'Close' }).last().click()
    await expect(chains).toBeHidden()
  })

  await test.step('a template with the chain becomes the default', async () => {
    await follow(page, '/?dialog=alert-template&item=new')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Everything')
    await page.getByRole('combobox', { name: 'Escalation chain' }).click()
    await page.getByRole('option', { name: 'Night' }).click()
    await page.getByRole('button', { name: 'Add template' }).click()
    await expect(page.getByRole('button', { name: 'Edit Everything' })).toBeVisible()
    const [template] = await admin.call(listAlertTemplates, {})
    await admin.call(setDefaultTemplate, { body: { alert_template: template?.id ?? 0 } })
  })

  const alert = await admin.call(createAlert, { body: { message: 'Pump 7 stands', severity: 'error' } })
  await follow(page, `/?dialog=alert&item=${alert.id}`)
  const notifications = page.getByRole('region', { name: 'Notifications' })

  await test.step('Bob gets a mail; the alert says so, and that Cleo is next', async () => {
    await expect.poll(() => mail.mails.length).toBe(1)
    expect(mail.mails[0]).toContain('To: bob@example.com')
    await expect(notifications.getByText('bob', { exact: true })).toBeVisible()
    await expect(notifications.getByText('sent', { exact: true })).toBeVisible()
    await expect(notifications.getByText(/^Next: cleo in (59|60) min, step 2 of Night$/)).toBeVisible()
  })

  await test.step('the link opens on a phone without a sign-in, and its button acknowledges', async () => {
    const text = (mail.mails[0] ?? '').replaceAll('=\r\n', '')
    const [path = ''] = /\/a\/[\w-]{43}/.exec(text) ?? []
    const phone = await openConsole({ path, viewport: { width: 390, height: 844 } })
    await expect(phone.getByRole('heading', { name: 'Acknowledge alert' })).toBeVisible()
    await expect(phone.getByText('Error: Pump 7 stands')).toBeVisible()
    await expectAccessible(phone, 'the page of a link')
    await phone.getByRole('button', { name: 'Acknowledge' }).click()
    await expect(phone.getByRole('heading', { name: 'Alert acknowledged' })).toBeVisible()
    await phone.goto(path)
    await expect(phone.getByRole('heading', { name: 'Link already used' })).toBeVisible()
  })

  await test.step('the alert is acknowledged in the name of Bob, and Cleo is not notified', async () => {
    const dialog = page.getByRole('dialog', { name: 'Alert', exact: true })
    await expect(dialog.getByText('bob@example.com', { exact: false }).first()).toBeVisible()
    await expect(notifications.getByText(/^Escalation chain Night: stopped$/)).toBeVisible()
    await server.advance(120)
    expect(mail.mails).toHaveLength(1)
  })
})
