import { createAlertChannel } from '@muster/contract/api/alert-channels'
import { createAlertTemplate, setDefaultTemplate } from '@muster/contract/api/alert-templates'
import { type Alert, changeAlert, createAlert } from '@muster/contract/api/alerts'
import { listAgentChecks } from '@muster/contract/api/checks'
import type { Client } from '@muster/contract/api/clients'
import { createMaintenanceWindow } from '@muster/contract/api/maintenance'
import { createPolicy, editPolicy } from '@muster/contract/api/policies'
import type { Page } from '@playwright/test'
import {
  DIALOG,
  FIRST_LOOK,
  LOOKS,
  expectAccessible,
  expectAccessibleInAllLooks,
  expectSettled,
  nameOf,
  wear,
} from '../support/accessible.ts'
import { follow } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, addScript, makeToken } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { test } from '../support/story.ts'

const SCHEDULE = { fails_b4_alert: 1, run_interval: 0 }
const CPU = { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 } as const
const PING = { check_type: 'ping', name: 'Router', ip: '127.0.0.1', alert_severity: 'warning' } as const

/** Shared by the parts of the story below. */
interface Office {
  page: Page
  admin: Session
  acme: Client
  agentId: string
}

test('alerts, templates, policies and maintenance have no accessibility violations', async ({
  openConsole,
  admin,
}) => {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  const token = await makeToken(admin, acme)
  using fleet = await startMachines(admin, [{ hostname: 'alpha', token }])
  const page = await openConsole({ ...FIRST_LOOK, as: admin })
  const office = { page, admin, acme, agentId: fleet.machines[0]?.agentId ?? '' }
  await test.step('while all is well', () => expectQuiet(office))
  await test.step('alerts', () => expectAlerts(office))
  await test.step('alert channels', () => expectChannels(office))
  await test.step('alert templates', () => expectTemplates(office))
  await test.step('policies', () => expectPolicies(office))
  await test.step('maintenance windows', () => expectMaintenance(office))
})

async function expectQuiet({ page }: Office): Promise<void> {
  await expectBell(page, 'Alerts: none open', 'No open alerts.')
  await follow(page, '/alerts')
  await expectAccessibleInAllLooks(page, 'no alerts', 'No open alerts.')
  await follow(page, '/alerts?search=nothing')
  await expectAccessibleInAllLooks(page, 'no alert that fits', 'No alerts match the filter.')
  await follow(page, '/alerts?dialog=alert-channels')
  await expectAccessibleInAllLooks(page, 'no channels', 'No notifications yet.', DIALOG)
  await follow(page, '/policies')
  await expectAccessibleInAllLooks(page, 'no policies', 'No policies yet.')
  await follow(page, '/policies?dialog=alert-templates')
  await expectAccessibleInAllLooks(page, 'no templates', 'No alert templates yet', DIALOG)
  await follow(page, '/maintenance')
  await expectAccessibleInAllLooks(page, 'no windows', 'No maintenance planned.')
}

/** The open list of alerts covers a part of the page, which has a check of its own. */
async function expectBell(page: Page, name: string | RegExp, shows: string): Promise<void> {
  for (const look of LOOKS) {
    await wear(page, look)
    await page.getByRole('button', { name }).click()
    await page.getByText(shows).filter({ visible: true }).first().waitFor()
    await expectSettled(page)
    await expectAccessible(page, `the bell: ${shows} (${nameOf(look)})`, 'header')
    await page.keyboard.press('Escape')
  }
}

async function expectAlerts({ page, admin }: Office): Promise<void> {
  const open = await raiseAll(admin)
  await follow(page, '/alerts?state=all')
  await expectAccessibleInAllLooks(page, 'the list', 'The line is down')
  await expectBell(page, /^Alerts: 3 open/, 'All alerts (3)')
  await page.getByRole('checkbox', { name: 'Select all listed alerts' }).click()
  await expectAccessibleInAllLooks(page, 'checked alerts', /selected$/)
  await page.getByRole('button', { name: 'Snooze', exact: true }).click()
  await page.getByRole('radio', { name: 'Custom time' }).click()
  await expectAccessibleInAllLooks(page, 'the snooze dialog', 'Date and time', DIALOG)
  await page.goto('/alerts?view=list')
  for (const look of LOOKS) {
    await wear(page, look)
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('Apply').filter({ visible: true }).first().waitFor()
    await expectSettled(page)
    await expectAccessible(page, `the filter (${nameOf(look)})`, DIALOG)
    await page.keyboard.press('Escape')
  }
  await follow(page, `/alerts?dialog=alert&item=${open.id}`)
  await expectAccessibleInAllLooks(page, 'an alert', 'Log', DIALOG)
}

async function expectChannels({ page, admin }: Office): Promise<void> {
  await addChannel(admin)
  await follow(page, '/policies?dialog=alert-channels')
  await expectAccessibleInAllLooks(page, 'the channels', 'Team', DIALOG)
  await page.getByRole('button', { name: 'Delete Team' }).click()
  await expectAccessibleInAllLooks(page, 'the question before a channel is deleted', 'Delete this channel?')
  for (const kind of ['email', 'sms', 'slack', 'telegram', 'ntfy', 'pagerduty', 'webhook']) {
    // Closed in between: each begins with a form of its own.
    await follow(page, '/policies')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await follow(page, `/policies?dialog=alert-channel&item=new.${kind}`)
    await expectAccessibleInAllLooks(page, `a new channel: ${kind}`, 'Notify about', DIALOG)
  }
  await follow(page, '/policies?dialog=alert-channel&item=1')
  await expectAccessibleInAllLooks(page, 'a channel with kept secrets', 'Edit Team', DIALOG)
}

/** One of each severity, an acknowledged, a snoozed and a resolved one. Answers the worst. */
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
  return worst
}

async function addChannel(admin: Session): Promise<void> {
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
}

async function expectTemplates({ page, admin, acme }: Office): Promise<void> {
  const script = await addScript(admin, { name: 'Clean up', script_body: 'true' })
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
  // Loads the list again.
  await page.goto('/policies?dialog=alert-templates')
  await expectAccessibleInAllLooks(page, 'the templates', 'Servers at night', DIALOG)
  await page.getByRole('button', { name: 'Applied to 0' }).first().click()
  await expectAccessibleInAllLooks(page, 'where one is applied', /Not assigned|Default: applies/, DIALOG)
  await follow(page, `/policies?dialog=alert-template&item=${id}`)
  await expectAccessibleInAllLooks(page, 'the form', 'Run the actions below', DIALOG)
  await follow(page, `/policies?dialog=assign-template&item=client-${acme.id}`)
  await expectAccessibleInAllLooks(page, 'assigning one', /Applies to machines/, DIALOG)
  await follow(page, '/policies?dialog=alert-preview')
  await expectAccessibleInAllLooks(page, 'a preview of nothing', 'Choose a machine to preview', DIALOG)
  await page.getByRole('combobox', { name: 'Machine' }).click()
  await page.getByRole('combobox', { name: 'Machine' }).fill('alpha')
  await page.getByRole('option').first().click()
  await expectAccessibleInAllLooks(page, 'a preview', /On open: The script/, DIALOG)
}

async function expectPolicies({ page, admin, acme, agentId }: Office): Promise<void> {
  await follow(page, '/policies/new')
  await page.getByRole('textbox', { name: 'Name' }).waitFor()
  await expectAccessibleInAllLooks(page, 'a new policy', 'Description')
  const { id } = await admin.call(createPolicy, {
    body: {
      name: 'Base',
      desc: 'What every machine has',
      active: true,
      enforced: true,
      content: {
        checks: [
          { settings: CPU, ...SCHEDULE },
          { settings: PING, ...SCHEDULE },
        ],
        agent_settings: { check_interval: 60, offline_time: null, overdue_time: null },
      },
      targets: [
        { level: 'default', monitoring_type: 'workstation' },
        { level: 'client', id: acme.id, monitoring_type: null },
        { level: 'search', search: 'alpha' },
      ],
    },
  })
  await admin.call(editPolicy, { params: { id }, body: { desc: 'Better', reason: 'Wording' } })
  await follow(page, '/policies')
  await expectAccessibleInAllLooks(page, 'the list of policies', 'Base')
  await page.getByRole('link', { name: 'Policy overview' }).click()
  await page.getByRole('treeitem', { name: /^Base/ }).first().click()
  await page.getByRole('button', { name: /^Machines of Ping/ }).click()
  await expectAccessibleInAllLooks(page, 'machines of a check of a policy', 'alpha', DIALOG)
  await page.keyboard.press('Escape')
  await expectAccessibleInAllLooks(page, 'the overview of policies', 'Base')
  await follow(page, `/policies/${id}`)
  await expectAccessibleInAllLooks(page, 'a policy', 'Version 2')
  await page.getByRole('checkbox', { name: 'Active' }).uncheck()
  await expectAccessibleInAllLooks(page, 'a plan', 'will change')

  await follow(page, `/?dialog=assign-policies&item=client-${acme.id}`)
  await page.getByRole('button', { name: 'Remove Base' }).waitFor()
  await expectAccessibleInAllLooks(page, 'the policies of a client', 'Base', DIALOG)

  const checks = await admin.call(listAgentChecks, { params: { agent_id: agentId }, query: {} })
  await follow(page, `/agents/${agentId}?pane=checks&dialog=why-check&item=${agentId}.${checks[0]?.id}`)
  await expectAccessibleInAllLooks(page, 'why a machine has a check', 'From the policy Base', DIALOG)
  await follow(page, `/agents/${agentId}?pane=policies`)
  await expectAccessibleInAllLooks(page, 'policies of a machine', 'Check interval: 60 s')
}

async function expectMaintenance({ page, admin, acme, agentId }: Office): Promise<void> {
  const dialog = page.getByRole('dialog')
  const zone = { time_zone: 'Europe/Zurich', weekdays: [], month_days: [], until: null }
  const targets = [{ type: 'site' as const, id: acme.sites[0]?.id ?? 0 }]
  const schedules = [
    { ...zone, starts: '2026-01-01T02:00', minutes: null, recurs: 'once' as const },
    { ...zone, starts: '2026-01-01T02:00', minutes: 60, recurs: 'monthly' as const, month_days: [1, -1] },
  ]
  for (const schedule of schedules) {
    await admin.call(createMaintenanceWindow, { body: { reason: 'New disks', targets, schedule } })
  }
  // Loads the list again.
  await page.goto('/maintenance')
  await expectAccessibleInAllLooks(page, 'the list of windows', 'Active, no end time')

  await follow(page, '/policies?dialog=open-maintenance')
  await expectAccessibleInAllLooks(page, 'the list of maintenance without an end', /^End now/, DIALOG)

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
    await expectAccessibleInAllLooks(page, `maintenance, ${when}`, shows, DIALOG)
  }
  await dialog.getByLabel('Days of the month').fill('40')
  await dialog.getByLabel('Days of the month').blur()
  const mistake = /Enter numbers from 1 to 31/
  await expectAccessibleInAllLooks(page, 'a mistake in a window', mistake, DIALOG)

  await follow(page, '/policies?dialog=edit-maintenance&item=2')
  const monthly = /On the 1st and the last day of every month/
  await expectAccessibleInAllLooks(page, 'a window that is changed', monthly, DIALOG)

  await follow(page, `/agents/${agentId}`)
  const status = /In maintenance with no end time: New disks/
  await expectAccessibleInAllLooks(page, 'a machine in maintenance', status)
}
