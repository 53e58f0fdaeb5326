import {
  createWebhook,
  listWebhookDeliveries,
  listWebhooks,
  resendWebhookDeliveries,
  testWebhook,
  type Webhook,
  type WebhookDelivery,
} from '@muster/contract/api/webhooks'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'

const TICKETS: Webhook = {
  id: 3,
  name: 'Tickets',
  url: 'https://tickets.example.org/hook',
  events: ['alert.opened', 'machine.offline'],
  client: 1,
  client_name: 'Acme',
  enabled: true,
  waiting: 2,
  failed: 1,
  dropped: 0,
  last_delivered: null,
  failing_since: '2026-11-27T10:00:00.000Z',
  created: '2026-11-01T10:00:00.000Z',
  modified: 'm1',
}
const FAILED: WebhookDelivery = {
  id: '0b6b1a52-95d6-44b5-8a4e-2c8e5d6f8a10',
  event: 'alert.opened',
  state: 'failed',
  attempts: 10,
  created: '2026-11-26T10:00:00.000Z',
  due: null,
  ended: '2026-11-27T10:00:00.000Z',
  status: 503,
  answer: '503 Service Unavailable: try later',
  body: '{}',
}
const SECRET = `whsec_${'a'.repeat(43)}`

async function openDialog(path: string) {
  const given = await givenDashboard({ me: { is_superuser: true } })
  given.server.on(listWebhooks, () => answer(listWebhooks, [TICKETS]))
  given.server.on(listWebhookDeliveries, () => answer(listWebhookDeliveries, [FAILED]))
  await given.open(path)
  return given.server
}

const button = (name: string) => page.getByRole('button', { name, exact: true })

test('webhooks are listed with their events and health, and a test shows the answer', async () => {
  const server = await openDialog('/?dialog=webhooks')
  server.on(testWebhook, () => answer(testWebhook, { ok: false, answer: '404 Not Found', took_ms: 3 }))
  await expect.element(page.getByText('Alert opened, Machine offline · only Acme')).toBeVisible()
  await expect.element(page.getByText(/^Failing since .* · 2 waiting · 1 failed$/)).toBeVisible()
  // Not on the test, which a key would send.
  await expect.element(button('Edit Tickets')).toHaveFocus()
  await button('Send test to Tickets').click()
  await expect.element(page.getByText('Test failed: 404 Not Found')).toBeVisible()
})

test('a new webhook shows its secret once', async () => {
  const server = await openDialog('/?dialog=webhook&item=new')
  server.on(createWebhook, () => answer(createWebhook, { ...TICKETS, secret: SECRET }))
  await page.getByRole('textbox', { name: 'Name' }).fill('Tickets')
  await page.getByRole('textbox', { name: 'URL' }).fill('https://tickets.example.org/hook')
  await page.getByRole('checkbox', { name: 'Alert opened' }).click()
  await button('Add webhook').click()
  await expect.element(page.getByText(SECRET, { exact: true })).toBeVisible()
  expect(server.calls(createWebhook)[0]?.body).toEqual({
    name: 'Tickets',
    url: 'https://tickets.example.org/hook',
    events: ['alert.opened'],
    client: null,
    enabled: true,
  })
  await button('Close').last().click()
  await expect.element(button('Edit Tickets')).toBeVisible()
  expect(page.getByText(SECRET, { exact: true }).query()).toBeNull()
})

test('deliveries show the answers, and failed ones are sent again', async () => {
  const server = await openDialog('/?dialog=webhooks')
  server.on(resendWebhookDeliveries, () => answer(resendWebhookDeliveries, { changed: 1 }))
  await button('Deliveries of Tickets').click()
  await expect.element(page.getByText('503 Service Unavailable: try later')).toBeVisible()
  await button(`Resend delivery ${FAILED.id}`).click()
  await expect.poll(() => server.calls(resendWebhookDeliveries)[0]?.body).toEqual({ deliveries: [FAILED.id] })
  await page.getByText('Failed (1)').click()
  await expect.poll(() => server.calls(listWebhookDeliveries).length).toBeGreaterThan(1)
  await button('Resend failed').click()
  await expect.poll(() => server.calls(resendWebhookDeliveries)[1]?.body).toEqual({})
})
