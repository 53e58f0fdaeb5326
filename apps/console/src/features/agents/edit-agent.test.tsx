import { editAgent, getAgent } from '@muster/contract/api/agents'
import { listAudit } from '@muster/contract/api/audit'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'

const dialog = () => page.getByRole('dialog')
const save = () => dialog().getByRole('button', { name: 'Save' })

test('only changed values are saved, and only after a change', async () => {
  const { server, open } = await givenDashboard()
  server.on(editAgent, () => answer(editAgent, testDetail({ description: 'mail', modified: 'm2' })))
  const { at } = await open('/?dialog=edit-agent&item=alpha0000000')
  await expect.element(save()).toBeDisabled()
  await dialog().getByRole('textbox', { name: 'Description' }).fill('mail')
  await save().click()
  await expect.poll(at).toBe('/')
  expect(server.calls(editAgent)[0]?.body).toEqual({ description: 'mail', modified: 'm1' })
  await expect.element(page.getByText('alpha saved.')).toBeVisible()
})

test('overdue notifications can be set unless an alert template decides', async () => {
  const { server, open } = await givenDashboard({
    info: { agent_columns: ['hostname', 'overdue'].map((id) => ({ id, width: null })) },
  })
  const template = { id: 3, name: 'Quiet', always_email: false, always_text: null, always_alert: null }
  server.on(getAgent, () =>
    answer(getAgent, testDetail({ effective_alert_template: template, overdue_email_alert: true })),
  )
  server.on(editAgent, () => answer(editAgent, testDetail({ modified: 'm2', overdue_text_alert: true })))
  const { at } = await open('/?dialog=edit-agent&item=alpha0000000')
  const group = dialog().getByRole('group', { name: 'When overdue' })
  const byMail = group.getByRole('checkbox', { name: 'E-mail' })
  await expect.element(byMail).toBeDisabled()
  await expect.element(byMail).not.toBeChecked()
  await expect.element(group.getByText('Set by the alert template Quiet.')).toBeVisible()
  await group.getByRole('checkbox', { name: 'Text message' }).click()
  await save().click()
  await expect.poll(at).toBe('/')
  expect(server.calls(editAgent)[0]?.body).toEqual({ overdue_text_alert: true, modified: 'm1' })
  const row = page.getByRole('row', { name: /alpha/ })
  await expect.element(row.getByRole('img', { name: 'When overdue: Text message' })).toBeVisible()
})

test('the alert of an overdue machine follows the default, or is on or off for this machine', async () => {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail({ overdue_dashboard_alert: true })))
  server.on(editAgent, () => answer(editAgent, testDetail({ modified: 'm2', availability_alerts: 'off' })))
  const { at } = await open('/?dialog=edit-agent&item=alpha0000000')
  const choice = dialog().getByRole('combobox', { name: 'Alert in the console' })
  await expect.element(choice).toHaveValue('Default (on)')
  await choice.click()
  await page.getByRole('option', { name: 'Off' }).click()
  await save().click()
  await expect.poll(at).toBe('/')
  expect(server.calls(editAgent)[0]?.body).toEqual({ availability_alerts: 'off', modified: 'm1' })
})

test('an overdue time below the offline time shows an error', async () => {
  const { open } = await givenDashboard()
  await open('/?dialog=edit-agent&item=alpha0000000')
  await dialog().getByRole('textbox', { name: 'Overdue after' }).fill('3')
  await dialog().getByRole('textbox', { name: 'Description' }).fill('x')
  await expect.element(dialog().getByText('Must be longer than "Offline after".')).toBeVisible()
  await expect.element(save()).toBeDisabled()
})

test('a conflict shows who changed what, and continues from there', async () => {
  const { server, open } = await givenDashboard()
  const { at } = await open('/?dialog=edit-agent&item=alpha0000000')
  await dialog().getByRole('textbox', { name: 'Description' }).fill('mine')
  server.on(editAgent, () =>
    refuse('changed_meanwhile', 'alpha was changed by another user. Reload it and try again.'),
  )
  server.on(getAgent, () =>
    answer(getAgent, testDetail({ modified: 'm2', offline_time: 9, overdue_time: 60 })),
  )
  const entry = {
    id: 1,
    entry_time: new Date().toISOString(),
    username: 'grace',
    api_key: null,
    agent: 'alpha',
    agent_id: 'alpha0000000',
    client: 'Acme',
    site: 'Berlin',
    action: 'modify' as const,
    object_type: 'agent' as const,
    message: 'Changed the machine "alpha"',
    before_value: null,
    after_value: null,
    ip_address: '127.0.0.1',
  }
  server.on(listAudit, () => answer(listAudit, { audit_logs: [entry], total: 1 }))
  await save().click()
  await expect.element(dialog().getByText(/grace/)).toBeVisible()
  await expect.element(dialog().getByText('Offline after: 4 → 9')).toBeVisible()
  await dialog().getByRole('button', { name: 'Use the new values' }).click()
  await expect.element(dialog().getByRole('textbox', { name: 'Description' })).toHaveValue('mine')
  await expect.element(dialog().getByRole('textbox', { name: 'Offline after' })).toHaveValue('9 min')
  server.on(editAgent, () => answer(editAgent, testDetail({ modified: 'm3' })))
  await save().click()
  await expect.poll(at).toBe('/')
  expect(server.calls(editAgent).at(-1)?.body).toEqual({ description: 'mine', modified: 'm2' })
})
