import { expect, test } from 'vitest'
import { createUser, editUser } from './api/accounts.ts'
import { createAlertChannel, editAlertChannel, testAlertChannel } from './api/alert-channels.ts'
import { createAlertTemplate, editAlertTemplate } from './api/alert-templates.ts'
import type { Endpoint } from './endpoint.ts'

const channel = (smtp_from_email: string, recipient: string) => ({
  name: 'Ops',
  settings: { kind: 'email', smtp_host: 'mail.example', smtp_from_email, recipients: [recipient] },
  rules: {},
})
const template = (address: string) => ({ name: 'Night', email_recipients: [address] })

const bodies: [string, Endpoint, (address: string) => unknown][] = [
  ['of a new user', createUser, (email) => ({ username: 'ada', password: 'a long password', email })],
  ['of a user', editUser, (email) => ({ email })],
  ...[createAlertChannel, editAlertChannel, testAlertChannel].flatMap((endpoint): typeof bodies => [
    [`of a sender (${endpoint.summary})`, endpoint, (address) => channel(address, 'ada@example.com')],
    [`of a recipient (${endpoint.summary})`, endpoint, (address) => channel('ada@example.com', address)],
  ]),
  ['in a new alert template', createAlertTemplate, template],
  ['in an alert template', editAlertTemplate, template],
]

test.each(bodies)('the e-mail address %s is validated', (_name, endpoint, body) => {
  const isAccepted = (address: string) => endpoint.body?.safeParse(body(address)).success
  for (const address of ['a%b@example.com', '.a..b@example.com'])
    expect(isAccepted(address), address).toBe(true)
  const tooLong = `${'a'.repeat(65)}@example.com`
  for (const address of ["o'brien@example.com", 'a@b.c', tooLong, 'nobody'])
    expect(isAccepted(address), address).toBe(false)
})
