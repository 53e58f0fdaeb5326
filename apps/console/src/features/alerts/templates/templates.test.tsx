import {
  type AlertTemplate,
  createAlertTemplate,
  deleteAlertTemplate,
  editAlertTemplate,
  getRelatedToTemplate,
  listAlertTemplates,
  previewAlertTemplate,
  setDefaultTemplate,
} from '@muster/contract/api/alert-templates'
import { type EscalationChain, listEscalationChains } from '@muster/contract/api/escalations'
import { getScriptApproval, listScripts, type ScriptParameter } from '@muster/contract/api/scripts'
import { editClient } from '@muster/contract/api/clients'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'
import { testScript } from '../../scripts/test-script.ts'
import { testTemplate } from './test-template.ts'

const LIST = '/?dialog=alert-templates'
const dialog = () => page.getByRole('dialog')

const CHAIN: EscalationChain = {
  id: 5,
  name: 'On call',
  steps: [{ after_minutes: 0, users: [1], schedules: [], channels: [] }],
  repeat_minutes: 0,
  repeat_times: 0,
  mail_channel: null,
  step_names: [['Ada']],
  used_by: [],
  modified: 'm1',
}

async function givenTemplates(templates: AlertTemplate[] = [], me: Partial<Me> = {}) {
  const { server, open } = await givenDashboard({ me })
  server.on(listAlertTemplates, () => answer(listAlertTemplates, templates))
  server.on(createAlertTemplate, () => answer(createAlertTemplate, testTemplate()))
  // Before the one below, whose path fits it as well.
  server.on(setDefaultTemplate, () => answer(setDefaultTemplate, { alert_template: 1 }))
  server.on(editAlertTemplate, () => answer(editAlertTemplate, testTemplate()))
  server.on(deleteAlertTemplate, () => answer(deleteAlertTemplate, null))
  server.on(listEscalationChains, () => answer(listEscalationChains, [CHAIN]))
  return { server, open }
}

test('a template shows its actions and assignments; it can be disabled, made default and deleted', async () => {
  const template = testTemplate({
    action_name: 'Clean up',
    applied_count: 2,
    exclude_servers: true,
    excluded_clients: [3],
  })
  const { server, open } = await givenTemplates([template])
  server.on(getRelatedToTemplate, () =>
    answer(getRelatedToTemplate, {
      default_template: false,
      policies: [{ id: 4, name: 'Base' }],
      clients: [{ id: 1, name: 'Acme' }],
      sites: [{ id: 2, name: 'Berlin', client_name: 'Acme' }],
      agents: [],
    }),
  )
  await open(LIST)
  await expect.element(dialog().getByText('Runs Clean up · 2 exclusions')).toBeVisible()
  await dialog().getByRole('button', { name: 'Applied to 2' }).click()
  await expect.element(page.getByRole('region', { name: 'Policies' }).getByText('Base')).toBeVisible()
  await expect.element(page.getByRole('region', { name: 'Sites' }).getByText('Acme › Berlin')).toBeVisible()
  await page
    .getByRole('dialog', { name: 'Where Night is applied' })
    .getByRole('button', { name: 'Close' })
    .last()
    .click()
  const active = dialog().getByRole('switch', { name: 'Enable Night' }).element()
  if (active instanceof HTMLElement) active.focus()
  await userEvent.keyboard(' ')
  await expect.poll(() => server.calls(editAlertTemplate).at(-1)?.body).toEqual({ is_active: false })
  await dialog().getByRole('button', { name: 'Default: Night' }).click()
  await expect.poll(() => server.calls(setDefaultTemplate).at(-1)?.body).toEqual({ alert_template: 1 })
  await dialog().getByRole('button', { name: 'Delete Night' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.poll(() => server.calls(deleteAlertTemplate).length).toBe(1)
})

test('a bad recipient of a template is marked in its own field, and the foot of the form names it', async () => {
  const { open } = await givenTemplates()
  await open('/?dialog=alert-template&item=new')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('Night')
  await dialog().getByRole('button', { name: 'Add recipient' }).click()
  await dialog().getByRole('textbox', { name: 'E-mail recipients 1' }).fill('night@example')
  await dialog().getByRole('button', { name: 'Add number' }).click()
  await dialog().getByRole('textbox', { name: 'SMS numbers 1' }).fill('12')
  await dialog().getByRole('textbox', { name: 'Name' }).click()
  await expect.element(dialog().getByRole('textbox', { name: 'E-mail recipients 1' })).toBeInvalid()
  await expect.element(dialog().getByRole('textbox', { name: 'SMS numbers 1' })).toBeInvalid()
  await expect
    .element(dialog().getByText('Missing or invalid: E-mail recipients 1, SMS numbers 1'))
    .toBeVisible()
})

test('a template with an unapproved script links to the approval', async () => {
  const { server, open } = await givenTemplates([
    testTemplate({
      action_type: 'server',
      action: 7,
      action_name: 'Page',
      action_approval: 'waiting',
    }),
  ])
  server.on(getScriptApproval, () =>
    answer(getScriptApproval, {
      state: 'waiting',
      approved: null,
      current: { shell: 'shell', code: 'echo new', hash: 'h' },
      templates: ['Night'],
    }),
  )
  await open(LIST)
  await expect.element(dialog().getByText('Waiting for approval')).toBeVisible()
  await dialog().getByRole('button', { name: 'Approve version' }).click()
  const approval = page.getByRole('dialog', { name: 'Version of Page for the server' })
  await expect.element(approval.getByRole('insertion')).toHaveTextContent('echo new')
})

test('a new template is sent in full; missing values are shown at their fields', async () => {
  const { server, open } = await givenTemplates()
  await open('/?dialog=alert-template&item=new')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Night')
  const matrix = page.getByRole('table', { name: 'Notifications by type of alert' })
  await matrix.getByRole('combobox', { name: 'Checks: E-mail', exact: true }).click()
  await page.getByRole('option', { name: 'Always' }).click()
  await matrix
    .getByRole('group', { name: 'Checks: Bell severities' })
    .getByRole('checkbox', { name: 'Error' })
    .click()
  await matrix.getByRole('textbox', { name: 'Checks: Remind every' }).fill('15')
  const opens = page.getByRole('region', { name: 'When an alert opens' })
  await opens.getByRole('combobox', { name: 'Run' }).click()
  await page.getByRole('option', { name: 'A webhook' }).click()
  const escalation = page.getByRole('region', { name: 'Escalation' })
  await escalation.getByRole('combobox', { name: 'Escalation chain' }).click()
  await page.getByRole('option', { name: 'On call' }).click()
  await escalation.getByRole('checkbox', { name: 'Error' }).click()
  await expect.element(page.getByRole('button', { name: 'Add template' })).toBeDisabled()
  await opens.getByRole('textbox', { name: 'Address' }).fill('https://example.com/hook')
  await page.getByRole('button', { name: 'Add template' }).click()
  await expect
    .poll(() => server.calls(createAlertTemplate).at(-1)?.body)
    .toMatchObject({
      name: 'Night',
      check_always_email: true,
      task_always_email: null,
      check_dashboard_alert_severity: ['error'],
      check_periodic_alert_minutes: 15,
      action_type: 'rest',
      action_rest: { url: 'https://example.com/hook', method: 'POST' },
      resolved_action_type: null,
      escalation_chain: 5,
      escalation_severities: ['error'],
    })
})

test('the matrix shows a whole template: types of alert by ways to notify', async () => {
  const { server, open } = await givenTemplates([
    testTemplate({
      agent_always_email: true,
      check_always_text: false,
      task_email_on_resolved: true,
      custom_periodic_alert_minutes: 0,
      task_script_actions: false,
      check_email_alert_severity: ['error'],
    }),
  ])
  await open('/?dialog=alert-template&item=1')
  const matrix = page.getByRole('table', { name: 'Notifications by type of alert' })
  const field = (role: 'combobox' | 'textbox' | 'checkbox', name: string) =>
    matrix.getByRole(role, { name, exact: true })
  await expect.element(field('combobox', 'Overdue machines: E-mail')).toHaveValue('Always')
  await expect.element(field('combobox', 'Checks: E-mail')).toHaveValue('Default')
  await expect.element(field('combobox', 'Checks: SMS')).toHaveValue('Never')
  await expect.element(field('combobox', 'Tasks: E-mail when resolved')).toHaveValue('Always')
  await expect.element(field('textbox', 'Custom alerts: Remind every')).toHaveValue('0 min')
  await expect.element(field('checkbox', 'Tasks: Run the actions below')).not.toBeChecked()
  const severities = matrix.getByRole('group', { name: 'Checks: E-mail severities' })
  await expect.element(severities.getByRole('checkbox', { name: 'Error' })).toBeChecked()
  await expect.element(severities.getByRole('checkbox', { name: 'Info' })).not.toBeChecked()
  expect(matrix.getByRole('group', { name: /^Overdue machines/ }).elements()).toHaveLength(0)
  await page.viewport(390, 844)
  const root = document.documentElement
  expect(root.scrollWidth).toBeLessThanOrEqual(root.clientWidth)
  await field('combobox', 'Custom alerts: Bell').click()
  await page.getByRole('option', { name: 'Never' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => server.calls(editAlertTemplate).at(-1)?.body)
    .toMatchObject({ custom_always_alert: false, agent_always_email: true, check_always_text: false })
})

test('on a phone each way to notify is a card that fits', async () => {
  const { open } = await givenTemplates([testTemplate()])
  await page.viewport(390, 844)
  await open('/?dialog=alert-template&item=1')
  const matrix = page.getByRole('table', { name: 'Notifications by type of alert' })
  const field = matrix.getByRole('combobox', { name: 'Custom alerts: E-mail', exact: true })
  await expect.element(field).toBeVisible()
  expect(field.element().getBoundingClientRect().right).toBeLessThanOrEqual(390)
  const box = matrix.element().parentElement
  expect(box?.scrollWidth).toBe(box?.clientWidth)
})

test('a conflict is shown and the form can reload', async () => {
  const templates = [testTemplate()]
  const { server, open } = await givenTemplates(templates)
  await open('/?dialog=alert-template&item=1')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Day')
  server.on(editAlertTemplate, () => {
    templates[0] = testTemplate({ name: 'Evening', modified: 'm2' })
    return refuse('changed_meanwhile', '"Night" was changed by another user. Reload it and try again.')
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reload' }).click()
  await expect.element(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Evening')
})

test('a template is assigned to a client and removed', async () => {
  const { server, open } = await givenTemplates([testTemplate()])
  server.on(editClient, () => refuse('internal', 'not now'))
  await open('/?dialog=assign-template&item=client-1')
  await page.getByRole('combobox', { name: 'Alert template' }).click()
  await page.getByRole('option', { name: 'Night' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => server.calls(editClient).at(-1)?.body).toEqual({ client: { alert_template: 1 } })
})

test('a preview shows recipients, reasons and actions', async () => {
  const { server, open } = await givenTemplates()
  server.on(previewAlertTemplate, () =>
    answer(previewAlertTemplate, {
      agent_id: 'alpha0000000',
      hostname: 'alpha',
      template: { id: 1, name: 'Night' },
      chain: [
        { source: 'site', at: 'Berlin', policy: null, id: 2, name: 'Old', outcome: 'inactive' },
        { source: 'client_policy', at: 'Base', policy: 4, id: 1, name: 'Night', outcome: 'applies' },
      ],
      hold: null,
      opens: true,
      bell: false,
      channels: [
        {
          id: 1,
          name: 'Mail',
          kind: 'email',
          told: true,
          reason: 'The template always notifies.',
          at: null,
          recipients: ['night@example.com'],
          on_resolved: false,
          repeat_minutes: 15,
        },
      ],
      escalation: {
        chain: 'On call',
        steps: [
          { after_minutes: 0, recipients: ['Ada (Servers)'] },
          { after_minutes: 15, recipients: ['Mail', 'Cleo'] },
        ],
        repeat_minutes: 10,
        repeat_times: 2,
      },
      failure_action: 'The script "Clean up" on the machine',
      resolved_action: null,
    }),
  )
  await open('/?dialog=alert-preview&item=alpha0000000')
  const template = page.getByRole('region', { name: 'Template' })
  await expect.element(template.getByText('Night')).toBeVisible()
  await expect.element(template.getByText('applies')).toBeVisible()
  await expect.element(template.getByText('Policy of the client: Base')).toBeVisible()
  await expect.element(page.getByText('does not show the alert')).toBeVisible()
  await expect
    .element(
      page.getByText(
        /The template always notifies\. To night@example\.com\. Not when resolved\. Reminder every/,
      ),
    )
    .toBeVisible()
  const steps = page.getByRole('list', { name: 'Escalation steps' }).getByRole('listitem')
  await expect.element(steps.nth(0)).toHaveTextContent('At once: Ada (Servers)')
  await expect.element(steps.nth(1)).toHaveTextContent('After 15 min: Mail, Cleo')
  await expect.element(steps.nth(2)).toHaveTextContent('Last step repeated every 10 min, 2 times')
  await expect.element(page.getByText('On open: The script "Clean up" on the machine')).toBeVisible()
})

test('a role without permission sees the refusal instead of templates', async () => {
  const { open } = await givenTemplates([], { is_superuser: false, permissions: [] })
  await open(LIST)
  await expect.element(dialog().getByText('Your role does not allow this action.')).toBeVisible()
})

test('the parameters of the scripts of both actions have fields', async () => {
  const { server, open } = await givenTemplates()
  const parameter = (name: string, more: Partial<ScriptParameter>): ScriptParameter => ({
    name,
    type: 'text',
    description: '',
    required: false,
    default: '',
    choices: [],
    ...more,
  })
  const parameters = [
    parameter('path', { required: true }),
    parameter('mode', { type: 'choice', choices: ['fast', 'full'], default: 'fast' }),
  ]
  server.on(listScripts, () => answer(listScripts, [testScript({ id: 7, name: 'Clean', parameters })]))
  await open('/?dialog=alert-template&item=new')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Night')
  for (const name of ['When an alert opens', 'When an alert is resolved']) {
    const part = page.getByRole('region', { name })
    await part.getByRole('combobox', { name: 'Run' }).click()
    await page.getByRole('option', { name: 'A script on the machine' }).click()
    await part.getByRole('combobox', { name: 'Script' }).click()
    await page.getByRole('option', { name: 'Clean' }).click()
    await expect.element(part.getByText('path needs a value.')).toBeVisible()
    await part.getByRole('textbox', { name: 'path' }).fill('/tmp')
    await expect.element(part.getByText('path needs a value.')).not.toBeInTheDocument()
    await part.getByRole('combobox', { name: 'mode' }).click()
    await page.getByRole('option', { name: 'full' }).click()
  }
  await page.getByRole('button', { name: 'Add template' }).click()
  const values = ['MUSTER_PARAM_PATH=/tmp', 'MUSTER_PARAM_MODE=full']
  await expect
    .poll(() => server.calls(createAlertTemplate).at(-1)?.body)
    .toMatchObject({ action: 7, action_env_vars: values, resolved_action_env_vars: values })
})
