import {
  type AlertChannel,
  MASKED_SECRET,
  createAlertChannel,
  deleteAlertChannel,
  editAlertChannel,
  listAlertChannels,
  testAlertChannel,
} from '@muster/contract/api/alert-channels'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'

const LIST = '/?dialog=alert-channels'
const dialog = () => page.getByRole('dialog')

function testChannel(more: Partial<AlertChannel> = {}): AlertChannel {
  return {
    id: 1,
    name: 'Team',
    settings: {
      kind: 'webhook',
      url: 'https://example.com/alerts',
      method: 'POST',
      headers: [{ name: 'Authorization', value: MASKED_SECRET }],
      secret: MASKED_SECRET,
      body_template: '',
    },
    rules: {
      enabled: true,
      severities: ['error', 'warning'],
      alert_types: ['availability', 'check', 'task', 'custom'],
      clients: [],
      on_resolved: true,
      repeat_minutes: 0,
      quiet_from: '',
      quiet_to: '',
      time_zone: 'UTC',
      quiet_except: ['error'],
    },
    health: { last_sent: null, failing_since: null, last_error: '', waiting: 0 },
    modified: 'm1',
    ...more,
  }
}

async function givenChannels(channels: AlertChannel[] = [], me: Partial<Me> = {}) {
  const { server, open } = await givenDashboard({ me })
  server.on(listAlertChannels, () => answer(listAlertChannels, channels))
  server.on(createAlertChannel, () => answer(createAlertChannel, testChannel()))
  server.on(editAlertChannel, () => answer(editAlertChannel, testChannel()))
  server.on(deleteAlertChannel, () => answer(deleteAlertChannel, null))
  return { server, open }
}

test('each channel shows its state and the real error', async () => {
  const health = { last_sent: null, failing_since: null, last_error: '', waiting: 0 }
  const at = '2026-11-21T10:00:00.000Z'
  const { open } = await givenChannels([
    testChannel({ health: { ...health, last_sent: at } }),
    testChannel({
      id: 2,
      name: 'Mail',
      health: { ...health, failing_since: at, last_error: '535 authentication failed', waiting: 2 },
    }),
    testChannel({ id: 3, name: 'New' }),
    testChannel({ id: 4, name: 'Off', rules: { ...testChannel().rules, enabled: false } }),
  ])
  await open(LIST)
  const rows = dialog().getByRole('listitem')
  await expect.element(rows.nth(0).getByText(/working, last sent/)).toBeVisible()
  await expect.element(rows.nth(1).getByText(/failing since/)).toBeVisible()
  await expect.element(rows.nth(1).getByText(/535 authentication failed/)).toBeVisible()
  await expect.element(rows.nth(1).getByText(/2 messages wait/)).toBeVisible()
  await expect.element(rows.nth(2).getByText(/never used/)).toBeVisible()
  await expect.element(rows.nth(3).getByText(/off/)).toBeVisible()
})

test('without channels the dialog offers the kinds', async () => {
  const { open } = await givenChannels()
  const { at } = await open(LIST)
  await dialog().getByRole('button', { name: 'New channel' }).click()
  await page.getByRole('menuitem', { name: 'Slack' }).click()
  await expect.poll(at).toContain('dialog=alert-channel&item=new.slack')
  await expect.element(page.getByRole('dialog', { name: 'New alert channel: Slack' })).toBeVisible()
})

test('a new channel is added with its rules; missing values are shown at their fields', async () => {
  const { server, open } = await givenChannels()
  await open('/?dialog=alert-channel&item=new.ntfy')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('Phone')
  await dialog().getByRole('textbox', { name: 'Topic' }).fill('ntfy.sh/x')
  await dialog().getByRole('button', { name: 'Send test message' }).click()
  await expect
    .element(dialog().getByText('Use an address that starts with http:// or https://.'))
    .toBeVisible()
  await dialog().getByRole('textbox', { name: 'Topic' }).fill('https://ntfy.sh/x')
  await dialog().getByRole('checkbox', { name: 'Info' }).first().click()
  await dialog().getByRole('button', { name: 'Add channel' }).click()
  await expect.element(page.getByText('Channel added.')).toBeVisible()
  expect(server.calls(createAlertChannel)[0]?.body).toMatchObject({
    name: 'Phone',
    settings: { kind: 'ntfy', url: 'https://ntfy.sh/x', token: '' },
    rules: { enabled: true, severities: ['error', 'warning', 'info'] },
  })
})

test.each([
  ['email', 'Recipients', 'recipient', 'ada@example', 'ada@example.com'],
  ['sms', 'Numbers', 'number', '0041 79', '+41791234567'],
] as const)(
  'a bad recipient of %s is marked in its own field, and the foot of the form names it',
  async (kind, label, noun, bad, good) => {
    const { open } = await givenChannels()
    await open(`/?dialog=alert-channel&item=new.${kind}`)
    await dialog()
      .getByRole('textbox', { name: `${label} 1` })
      .fill(good)
    await dialog()
      .getByRole('button', { name: `Add ${noun}` })
      .click()
    const second = dialog().getByRole('textbox', { name: `${label} 2` })
    await second.fill(bad)
    // While it is written, it is not wrong yet.
    await expect.element(second).toBeValid()
    await dialog().getByRole('textbox', { name: 'Name' }).fill('Night')
    await expect.element(second).toBeInvalid()
    await expect.element(dialog().getByRole('textbox', { name: `${label} 1` })).toBeValid()
    await expect.element(dialog().getByText(new RegExp(`^Missing or invalid: ${label} 2`))).toBeVisible()
    await second.fill(good)
    await expect.element(second).toBeValid()
    await expect.element(dialog().getByText(new RegExp(`${label} \\d`))).not.toBeInTheDocument()
  },
)

test('stored secrets are hidden, and stay unless replaced or removed', async () => {
  const { server, open } = await givenChannels([testChannel()])
  await open('/?dialog=alert-channel&item=1')
  const secret = dialog().getByLabelText('Signing secret', { exact: true })
  await expect.element(secret).toHaveValue('')
  await expect.element(secret).toHaveAttribute('placeholder', 'A value is stored. Type to replace it.')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('Everybody')
  await dialog().getByRole('button', { name: 'Remove: Signing secret' }).click()
  await expect.element(dialog().getByText('The stored value is removed when you save.')).toBeVisible()
  await dialog().getByRole('button', { name: 'Keep stored value: Signing secret' }).click()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Channel saved.')).toBeVisible()
  expect(server.calls(editAlertChannel)[0]?.body).toMatchObject({
    name: 'Everybody',
    modified: 'm1',
    settings: { secret: MASKED_SECRET, headers: [{ name: 'Authorization', value: MASKED_SECRET }] },
  })
})

test('the test shows the real response and its duration', async () => {
  const { server, open } = await givenChannels([testChannel()])
  server.on(testAlertChannel, () =>
    answer(testAlertChannel, { ok: false, answer: 'HTTP 503: <img src=x>', took_ms: 1240 }),
  )
  await open('/?dialog=alert-channel&item=1')
  await dialog().getByRole('button', { name: 'Send test message' }).click()
  await expect.element(dialog().getByText('Not sent after 1.2 s.', { exact: false })).toBeVisible()
  await expect.element(dialog().getByText('HTTP 503: <img src=x>')).toBeVisible()
  expect(server.calls(testAlertChannel)[0]?.body).toMatchObject({ id: 1, settings: { kind: 'webhook' } })
})

test('deleting asks first', async () => {
  const { server, open } = await givenChannels([testChannel()])
  await open(LIST)
  await dialog().getByRole('button', { name: 'Delete Team' }).click()
  await page
    .getByRole('dialog', { name: 'Delete this channel?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await expect.element(page.getByText('Channel deleted.')).toBeVisible()
  expect(server.calls(deleteAlertChannel)).toHaveLength(1)
})

test('a read-only role changes nothing; others see the refusal', async () => {
  const { open } = await givenChannels([testChannel()], {
    is_superuser: false,
    permissions: ['can_view_core_settings', 'can_list_clients'],
  })
  await open(LIST)
  await expect.element(dialog().getByText('Team')).toBeVisible()
  expect(
    dialog()
      .getByRole('button', { name: /^(Edit|Delete) Team/ })
      .elements(),
  ).toHaveLength(0)
})

test('a failed load of channels shows the error', async () => {
  const { server, open } = await givenChannels()
  server.on(listAlertChannels, () => refuse('invalid', 'The channels cannot be read.'))
  await open(LIST)
  await expect.element(dialog().getByText('The channels cannot be read.')).toBeVisible()
})
