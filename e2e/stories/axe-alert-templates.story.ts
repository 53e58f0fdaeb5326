import { hostname } from 'node:os'
import { createAlertChannel } from '@muster/contract/api/alert-channels'
import { createAlertTemplate, setDefaultTemplate } from '@muster/contract/api/alert-templates'
import { createScript } from '@muster/contract/api/scripts'
import { savePreferences } from '@muster/contract/api/users'
import type { Page } from '@playwright/test'
import { TWO_LOOKS, expectAccessible, expectSettled, follow } from '../support/accessible.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

for (const look of TWO_LOOKS) {
  const way = `${look.colorScheme}, ${look.viewport.width} px`

  test(`alert templates have no accessibility violations, ${way}`, async ({ openConsole, admin, server }) => {
    test.setTimeout(180_000)
    const acme = await addClient(admin, 'Acme')
    await using agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
    await admin.call(savePreferences, { body: { dark_mode: look.colorScheme === 'dark' } })
    const page = await openConsole({ ...look, as: admin })
    await follow(page, '/policies?dialog=alert-templates')
    await expectShown(page, 'no templates', 'No alert templates yet')
    const script = await admin.call(createScript, {
      body: { name: 'Clean up', shell: 'shell', script_body: 'true' },
    })
    const { id } = await admin.call(createAlertTemplate, {
      body: {
        name: 'Servers at night',
        action_type: 'script',
        action: script.id,
        resolved_action_type: 'rest',
        resolved_action_rest: {
          url: 'https://example.com/hook',
          method: 'POST',
          headers: [],
          secret: 'signing',
          body_template: '',
        },
        email_recipients: ['night@example.com'],
        check_always_email: true,
        exclude_workstations: true,
      },
    })
    await admin.call(createAlertTemplate, { body: { name: 'Everything else', is_active: false } })
    await admin.call(setDefaultTemplate, { body: { alert_template: id } })
    await admin.call(createAlertChannel, {
      body: { name: 'Team', settings: { kind: 'slack', url: 'http://127.0.0.1:9/' }, rules: {} },
    })
    await page.goto('/policies?dialog=alert-templates')
    await expectShown(page, 'the templates', 'Servers at night')
    await page.getByRole('button', { name: 'Applied to 0' }).first().click()
    await expectShown(page, 'where one is applied', /Not assigned|Default: applies/)
    await follow(page, `/policies?dialog=alert-template&item=${id}`)
    await expectShown(page, 'the form', 'Overdue machines')
    await follow(page, `/policies?dialog=assign-template&item=client-${acme.id}`)
    await expectShown(page, 'assigning one', /Applies to machines/)
    await follow(page, '/policies?dialog=alert-preview')
    await expectShown(page, 'a preview of nothing', 'Choose a machine to preview')
    await page.getByRole('combobox', { name: 'Machine' }).click()
    await page.getByRole('combobox', { name: 'Machine' }).fill(hostname())
    await page.getByRole('option').first().click()
    await expectShown(page, 'a preview', /On open: The script/)
    await agent.stop()
  })
}

async function expectShown(page: Page, where: string, shows: string | RegExp): Promise<void> {
  await page.getByText(shows).filter({ visible: true }).first().waitFor()
  await expectSettled(page)
  await expectAccessible(page, where)
}
