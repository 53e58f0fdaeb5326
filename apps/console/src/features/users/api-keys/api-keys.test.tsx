import { listUsers } from '@muster/contract/api/accounts'
import {
  type ApiKey,
  createApiKey,
  deleteApiKey,
  editApiKey,
  listApiKeys,
  rotateApiKey,
} from '@muster/contract/api/api-keys'
import { listRoles } from '@muster/contract/api/roles'
import { confirmSession } from '@muster/contract/api/sessions'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { storeSignIn } from '../../../app/session/session.ts'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'

function apiKey(id: number, name: string, more: Partial<ApiKey> = {}): ApiKey {
  return {
    id,
    name,
    user: 1,
    username: 'root',
    expiration: null,
    role: null,
    role_name: null,
    clients: null,
    allowed_addresses: [],
    created_time: '2026-01-01T00:00:00.000Z',
    last_used: null,
    last_used_ip: null,
    old_key_until: null,
    blocked: false,
    may_change: true,
    modified: `${id}`,
    ...more,
  }
}

const KEY = `muster_${'a'.repeat(43)}`
const GRAFANA = apiKey(3, 'Grafana')
const BILLING = apiKey(4, 'Billing', {
  username: 'robot',
  role: 7,
  role_name: 'Read only',
  clients: [1, 2],
  allowed_addresses: ['203.0.113.0/24'],
  last_used: '2026-11-01T10:00:00.000Z',
  last_used_ip: '203.0.113.9',
  expiration: '2020-01-01T00:00:00.000Z',
})

async function openDialog(path: string, me: Partial<Me> = { id: 1, username: 'root', is_superuser: true }) {
  const given = await givenDashboard({ me })
  given.server.on(listApiKeys, () =>
    answer(listApiKeys, [BILLING, GRAFANA, apiKey(5, 'Old', { blocked: true })]),
  )
  given.server.on(listUsers, () => answer(listUsers, []))
  given.server.on(listRoles, () => answer(listRoles, []))
  await given.open(path)
  return given.server
}

const button = (name: string) => page.getByRole('button', { name, exact: true })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name })

test('keys are listed with owner, rights and last use', async () => {
  await openDialog('/?dialog=api-keys')
  await expect.element(rowOf('Grafana').getByText('root · all rights of the owner')).toBeVisible()
  await expect.element(rowOf('Grafana').getByText('Never used')).toBeVisible()
  await expect
    .element(rowOf('Billing').getByText('robot · role Read only · only 2 clients · from 1 address'))
    .toBeVisible()
  await expect.element(rowOf('Billing').getByText(/from 203\.0\.113\.9 · expired/)).toBeVisible()
  await expect.element(rowOf('Billing').getByText('expired', { exact: true })).toBeVisible()
  await expect.element(rowOf('Old').getByText('owner blocked')).toBeVisible()
})

test('a new key is shown once with a command that tries it', async () => {
  const server = await openDialog('/?dialog=api-key&item=new')
  server.on(createApiKey, () => answer(createApiKey, { ...apiKey(5, 'n8n'), key: KEY }))
  await field('Name').fill('n8n')
  await button('Add address').click()
  await field('Allowed addresses 1').fill('10.0.0.0/8')
  await button('Create key').click()
  await expect.element(page.getByText(KEY, { exact: true })).toBeVisible()
  await expect.element(page.getByText(/^curl -H "X-API-KEY: muster_a+" http/)).toBeVisible()
  expect(server.calls(createApiKey)[0]?.body).toEqual({
    name: 'n8n',
    user: 1,
    role: null,
    clients: null,
    allowed_addresses: ['10.0.0.0/8'],
  })
  await button('Close').last().click()
  await expect.element(rowOf('Grafana')).toBeVisible()
  expect(page.getByText(KEY, { exact: true }).query()).toBeNull()
})

test('a key is edited without its expiry, and a refused address is explained', async () => {
  const server = await openDialog('/?dialog=api-key&item=4')
  const why = '"x" is not an address or a network such as 203.0.113.0/24.'
  server.on(editApiKey, () => refuse('invalid', why))
  await expect.element(field('Name')).toHaveValue('Billing')
  await field('Allowed addresses 1').fill('x')
  await button('Save').click()
  await expect.element(page.getByText(why).first()).toBeVisible()
  const body = server.calls(editApiKey)[0]?.body
  expect(body).toEqual({
    name: 'Billing',
    role: 7,
    clients: [1, 2],
    allowed_addresses: ['x'],
    modified: '4',
  })
})

test('a key is rotated with an overlap, and deleted after a question', async () => {
  const server = await openDialog('/?dialog=api-keys')
  server.on(rotateApiKey, () => answer(rotateApiKey, { ...GRAFANA, key: KEY }))
  server.on(deleteApiKey, () => answer(deleteApiKey, null))
  await button('Rotate Grafana').click()
  await page.getByRole('textbox', { name: 'Hours until the old key stops' }).fill('2')
  await button('Rotate key').click()
  await expect.element(page.getByText(KEY, { exact: true })).toBeVisible()
  expect(server.calls(rotateApiKey)[0]?.body).toEqual({ old_key_hours: 2 })
  await page
    .getByRole('dialog', { name: /^Copy the key/ })
    .getByRole('button', { name: 'Close' })
    .last()
    .click()
  await button('Delete Billing').click()
  await expect.element(page.getByText(/are refused at once/)).toBeVisible()
  await button('Delete').click()
  await expect.poll(() => server.calls(deleteApiKey).length).toBe(1)
})

test('a role that may only see keys changes none', async () => {
  await openDialog('/?dialog=api-keys', { id: 9, is_superuser: false, permissions: ['can_list_api_keys'] })
  await expect.element(rowOf('Grafana')).toBeVisible()
  for (const name of ['New API key', 'Edit Grafana', 'Rotate Grafana', 'Delete Grafana'])
    expect(button(name).query()).toBeNull()
})

const SENTENCE = 'Confirm who you are first, with your password or a code.'

/** The form of a new key after a refused try. Any code and the password "right" are proofs. */
async function openUnproved(me: Partial<Me> = {}, provider?: string) {
  const server = await openDialog('/?dialog=api-key&item=new', {
    id: 1,
    username: 'ada',
    is_superuser: true,
    totp: true,
    ...me,
  })
  if (provider !== undefined) storeSignIn({ token: 'token', username: 'ada', name: null, provider })
  let isProved = false
  server.on(confirmSession, ({ body }) => {
    isProved = JSON.stringify(body) !== '{"current_password":"wrong"}'
    if (!isProved) return refuse('invalid', 'The current password is wrong.')
    return answer(confirmSession, { until: '2026-11-22T19:00:00.000Z' })
  })
  server.on(createApiKey, () =>
    isProved ? answer(createApiKey, { ...apiKey(5, 'n8n'), key: KEY }) : refuse('proof_needed', SENTENCE),
  )
  await field('Name').fill('n8n')
  await userEvent.keyboard('{Enter}')
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await expect.element(question.getByText(SENTENCE, { exact: false })).toBeVisible()
  return { server, question }
}

test('a request that needs a proof asks for the password and is repeated', async () => {
  const { server, question } = await openUnproved()
  await expect.element(question.getByLabelText('User name')).toHaveValue('ada')
  await expect.element(question.getByLabelText('Password', { exact: true })).toHaveFocus()
  await userEvent.keyboard('wrong{Enter}')
  await expect.element(question.getByText('The current password is wrong.')).toBeVisible()
  await question.getByLabelText('Password', { exact: true }).fill('right')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText(KEY, { exact: true })).toBeVisible()
  await expect.element(question).not.toBeInTheDocument()
  expect(server.calls(createApiKey).map(({ body }) => body)).toEqual([
    expect.objectContaining({ name: 'n8n' }),
    expect.objectContaining({ name: 'n8n' }),
  ])
})

test('a user with an authenticator app can give a code instead', async () => {
  const { server, question } = await openUnproved()
  await question.getByRole('button', { name: 'Use a code of the authenticator app' }).click()
  await question.getByLabelText('Code').fill('111111')
  await expect.element(page.getByText(KEY, { exact: true })).toBeVisible()
  expect(server.calls(confirmSession)[0]?.body).toEqual({ twofactor: '111111' })
})

test('a user without an authenticator app is asked for the password only', async () => {
  const { question } = await openUnproved({ totp: false })
  await expect.element(question.getByLabelText('Password', { exact: true })).toBeVisible()
  await expect
    .element(question.getByRole('button', { name: 'Use a code of the authenticator app' }))
    .not.toBeInTheDocument()
})

test('Escape cancels the proof only, and the form keeps its input', async () => {
  const { server, question } = await openUnproved()
  await expect.element(question.getByLabelText('Password', { exact: true })).toHaveFocus()
  await userEvent.keyboard('{Escape}')
  await expect.element(question).not.toBeInTheDocument()
  await expect.element(field('Name')).toHaveValue('n8n')
  await expect.element(button('Create key')).toBeEnabled()
  const form = page.getByRole('dialog', { name: 'New API key' })
  await expect.poll(() => form.element().contains(document.activeElement)).toBe(true)
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  expect(page.getByText('The request was cancelled.').elements()).toEqual([])
  expect(server.calls(createApiKey)).toHaveLength(1)
  await button('Create key').click()
  await expect.element(question).toBeVisible()
})

test('a user of a provider signs in again in a new tab, and the request is repeated', async () => {
  const { server, question } = await openUnproved({}, 'corp')
  const link = question.getByRole('link', { name: 'Sign in with corp' })
  await expect.element(link).toHaveAttribute('target', '_blank')
  await expect.element(question.getByLabelText('Password', { exact: true })).not.toBeInTheDocument()
  server.on(createApiKey, () => answer(createApiKey, { ...apiKey(5, 'n8n'), key: KEY }))
  storeSignIn({ token: 'a newer token', username: 'ada', name: null, provider: 'corp' })
  await expect.element(page.getByText(KEY, { exact: true })).toBeVisible()
  await expect.element(question).not.toBeInTheDocument()
})
