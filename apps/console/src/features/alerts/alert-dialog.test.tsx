import { changeAlert, getAlert, noteAlert } from '@muster/contract/api/alerts'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { refuse } from '../../testing/test-server.ts'
import { AGENT, givenAlerts, testAlert } from './test-alerts.ts'

const AT = '/alerts?dialog=alert&item=1'
const dialog = () => page.getByRole('dialog', { name: 'Alert', exact: true })
const button = (name: string) => dialog().getByRole('button', { name, exact: true })

test('the dialog shows all facts and the log', async () => {
  const { open } = await givenAlerts({ alerts: [testAlert({ flapping: true })] })
  await open(AT)
  await expect.element(dialog().getByText(/^Disk space of/)).toBeVisible()
  await expect.element(dialog().getByText('Acme › Berlin')).toBeVisible()
  await expect.element(dialog().getByText('Opens and closes often', { exact: false })).toBeVisible()
  const log = dialog().getByRole('list').getByRole('listitem')
  await expect.element(log.nth(1).getByText(/Mail to the team/)).toBeVisible()
  await expect.element(log.nth(2).getByText(/by ines/)).toBeVisible()
})

test('the check history is one click away', async () => {
  const { open } = await givenAlerts({ alerts: [testAlert()] })
  const { at } = await open(AT)
  await button('Check history').click()
  await expect.poll(at).toContain('dialog=check-history&item=7')
})

test('the machine is one click away', async () => {
  const { open } = await givenAlerts({ alerts: [testAlert()] })
  const { at } = await open(AT)
  await dialog().getByRole('link', { name: 'alpha' }).click()
  await expect.poll(at).toBe(`/agents/${AGENT}?pane=alerts`)
})

test('a note is sent with the action', async () => {
  const { server, open } = await givenAlerts({ alerts: [testAlert()] })
  await open(AT)
  await dialog().getByRole('textbox', { name: 'Note' }).fill('I am on it.')
  await button('Acknowledge').click()
  await expect.element(page.getByText('Alert acknowledged.')).toBeVisible()
  expect(server.calls(changeAlert)[0]?.body).toEqual({ type: 'acknowledge', note: 'I am on it.' })
  await expect.element(button('Remove acknowledgement')).toBeVisible()
  await expect.element(dialog().getByRole('textbox', { name: 'Note' })).toHaveValue('')
  await expect.element(dialog().getByText('by ada', { exact: false })).toBeVisible()
})

test('a note alone is added to the log', async () => {
  const { server, open } = await givenAlerts({ alerts: [testAlert()] })
  await open(AT)
  await expect.element(button('Add note')).toBeDisabled()
  await dialog().getByRole('textbox', { name: 'Note' }).fill('Ordered a larger disk.')
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await expect.element(page.getByText('Note added.')).toBeVisible()
  expect(server.calls(noteAlert)[0]?.body).toEqual({ note: 'Ordered a larger disk.' })
})

test('leaving with a note that is not added asks', async () => {
  const { open } = await givenAlerts({ alerts: [testAlert()] })
  await open(AT)
  await dialog().getByRole('textbox', { name: 'Note' }).fill('Half a thought')
  await dialog().getByText('Close', { exact: true }).click()
  await expect.element(page.getByRole('dialog', { name: 'Discard your changes?' })).toBeVisible()
})

test('a custom snooze time must be in the future', async () => {
  const { server, open } = await givenAlerts({ alerts: [testAlert()] })
  await open(AT)
  await button('Snooze …').click()
  const snooze = page.getByRole('dialog', { name: 'Snooze alert' })
  await snooze.getByRole('radio', { name: 'Custom time' }).click()
  const time = snooze.getByLabelText('Date and time')
  await time.fill('2020-01-01T08:00')
  await expect.element(snooze.getByText('Choose a time in the future.')).toBeVisible()
  await expect.element(snooze.getByRole('button', { name: 'Snooze' })).toBeDisabled()
  await time.fill('2040-01-01T08:00')
  await snooze.getByRole('button', { name: 'Snooze' }).click()
  await expect.element(page.getByText('Alert snoozed.')).toBeVisible()
  expect(server.calls(changeAlert)[0]?.body).toEqual({
    type: 'snooze',
    snooze_until: new Date('2040-01-01T08:00').toISOString(),
  })
  await expect.element(button('End snooze')).toBeVisible()
})

test('the error of the server is shown', async () => {
  const { server, open } = await givenAlerts({ alerts: [testAlert()] })
  server.on(changeAlert, () => refuse('conflict', 'This alert is resolved already.'))
  await open(AT)
  await button('Resolve').click()
  await expect.element(page.getByText('This alert is resolved already.')).toBeVisible()
})

test('a resolved alert says so and offers only a note', async () => {
  const { open } = await givenAlerts({
    alerts: [testAlert({ state: 'resolved', resolved_on: new Date().toISOString() })],
  })
  await open(AT)
  await expect.element(dialog().getByText('automatically', { exact: false })).toBeVisible()
  expect(dialog().getByRole('button', { name: 'Acknowledge' }).elements()).toHaveLength(0)
  await expect.element(dialog().getByRole('textbox', { name: 'Note' })).toBeVisible()
})

test('a deleted alert and a failed load show their errors', async () => {
  const { server, open } = await givenAlerts()
  await open(AT)
  await expect.element(dialog().getByText(/^Alert not found/)).toBeVisible()
  expect(server.calls(getAlert)).not.toHaveLength(0)
})

test('the alert shows the actions of its template with their output', async () => {
  const { open } = await givenAlerts({
    alerts: [testAlert()],
    actions: [
      {
        kind: 'failure',
        template: 'Night',
        name: 'Clean up',
        state: 'failed',
        created: '2026-11-21T10:00:00.000Z',
        ended: '2026-11-21T10:00:02.000Z',
        retcode: 3,
        execution_time: 1.25,
        output: '<b>no such folder</b>',
        history_id: 9,
      },
    ],
  })
  await open('/alerts?dialog=alert&item=1')
  // The page behind the dialog shows its first alert too.
  const dialog = page.getByRole('dialog', { name: 'Alert' })
  const action = dialog.getByRole('region', { name: 'Failure action', exact: true })
  await expect.element(action.getByText('failed after 1.3 s, exit code 3')).toBeVisible()
  await expect.element(action.getByText('<b>no such folder</b>')).toBeVisible()
})

test('the dialog says who was notified and who is next', async () => {
  const sent = {
    at: '2026-11-21T10:00:00.000Z',
    chain: 'Night',
    step: 1,
    schedule: '',
    ended: '2026-11-21T10:00:01.000Z',
  }
  const { open } = await givenAlerts({
    alerts: [testAlert()],
    escalation: {
      chain: 'Night',
      state: 'running',
      next: {
        at: new Date(Date.now() + 12 * 60_000 - 1000).toISOString(),
        step: 2,
        recipients: ['Bob (Servers)', 'Pager'],
      },
    },
    notifications: [
      { ...sent, reason: 'escalated', recipient: 'Ada', channel: 'Mail', state: 'sent', detail: '250 OK' },
      {
        ...sent,
        reason: 'escalated',
        recipient: 'Cy',
        schedule: 'Network',
        channel: '',
        state: 'failed',
        detail: 'The user has no e-mail address.',
      },
    ],
  })
  await open(AT)
  const part = dialog().getByRole('region', { name: 'Notifications' })
  await expect
    .element(part.getByText(/^Next: Bob \(Servers\), Pager in 1[12] min, step 2 of Night$/))
    .toBeVisible()
  const rows = part.getByRole('listitem')
  await expect.element(rows.nth(0).getByText('Ada', { exact: true })).toBeVisible()
  await expect.element(rows.nth(0).getByText('by Mail')).toBeVisible()
  await expect.element(rows.nth(0).getByText('Escalated, step 1')).toBeVisible()
  await expect.element(rows.nth(1).getByText('on call in Network')).toBeVisible()
  await expect.element(rows.nth(1).getByText('failed', { exact: true })).toBeVisible()
  await expect.element(rows.nth(1).getByText('The user has no e-mail address.')).toBeVisible()
})
