import { createUser, deleteUser, editUser, listUsers, resetUserPassword, type User } from '@muster/contract/api/accounts' // prettier-ignore
import { listRoles } from '@muster/contract/api/roles'
import { endUserSessions, listUserSessions } from '@muster/contract/api/sessions'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'
import { readRole, writeRole } from '../roles/role-form.ts'
import { findUsers } from './user-form.ts'

function user(id: number, username: string, more: Partial<User> = {}): User {
  return {
    id,
    username,
    first_name: '',
    last_name: '',
    email: '',
    is_active: true,
    is_superuser: false,
    role: null,
    role_name: null,
    has_all_rights: false,
    totp: false,
    last_login: null,
    last_login_ip: null,
    may_change: true,
    modified: `${id}`,
    ...more,
  }
}

const ROOT = user(1, 'root', { is_superuser: true, has_all_rights: true })
const ADA = user(2, 'ada', {
  first_name: 'Ada',
  last_name: '<b>Winter</b>',
  email: 'ada@example.org',
  role: 7,
  role_name: 'Help desk',
  totp: true,
})
const EVE = user(3, 'eve', { is_active: false })
// Every flag is said by writeRole.
const DESK = { ...(writeRole({ ...readRole(undefined), name: 'Help desk' }) as object), id: 7, user_count: 1, users: ['ada'], modified: '7' } // prettier-ignore

async function openDialog(path: string, me: Partial<Me> = { id: 1, username: 'root', is_superuser: true }) {
  const given = await givenDashboard({ me })
  given.server.on(listUsers, () => answer(listUsers, [ADA, EVE, ROOT]))
  given.server.on(listRoles, () => answer(listRoles, [DESK as never]))
  await given.open(path)
  return given.server
}

const button = (name: string) => page.getByRole('button', { name, exact: true })
const box = (name: string) => page.getByRole('checkbox', { name, exact: true })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name })

async function choose(name: string, entry: string) {
  await button(`Actions on ${name}`).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

test('users are listed with role and state', async () => {
  const server = await openDialog('/?dialog=users')
  await expect.element(rowOf('ada').getByText('Ada <b>Winter</b>, ada@example.org')).toBeVisible()
  await expect.element(rowOf('ada').getByText('Help desk · two-factor sign-in')).toBeVisible()
  await expect.element(rowOf('eve').getByText('blocked')).toBeVisible()
  await expect.element(rowOf('eve').getByText('No role, no permissions')).toBeVisible()
  await expect.element(rowOf('root').getByText('superuser')).toBeVisible()
  await expect.element(rowOf('root').getByText('you', { exact: true })).toBeVisible()
  await button('Actions on root').click()
  await expect.element(page.getByText('You cannot delete yourself.')).toBeVisible()
  await expect.element(page.getByText('You cannot block yourself.')).toBeVisible()
  expect(server.calls(listUsers).length).toBeGreaterThan(0)
})

test('a user is added with a generated password and a role', async () => {
  const server = await openDialog('/?dialog=user&item=new')
  server.on(createUser, () => refuse('conflict', 'A user named "bob" already exists.'))
  await field('User name').fill('bob smith')
  await field('E-mail').fill('nobody')
  await expect.element(page.getByText(/^Letters from a to z/)).toBeVisible()
  await field('User name').fill('bob')
  await expect.element(page.getByText('Enter an e-mail address, such as name@example.com.')).toBeVisible()
  await field('E-mail').fill('bob@example.org')
  await button('Generate password').click()
  await page.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Help desk' }).click()
  await button('Add user').click()
  await expect.element(page.getByText('A user named "bob" already exists.')).toBeVisible()
  expect(server.calls(createUser)[0]?.body).toMatchObject({
    username: 'bob',
    password: expect.stringMatching(/^\w{20}$/),
    email: 'bob@example.org',
    role: 7,
    is_superuser: false,
    is_active: true,
  })
})

test('a user is given a new password, blocked after a question, and deleted', async () => {
  const server = await openDialog('/?dialog=users')
  server.on(resetUserPassword, () => answer(resetUserPassword, null))
  server.on(editUser, () => answer(editUser, { ...ADA, is_active: false }))
  server.on(deleteUser, () => refuse('conflict', 'Nobody would be left who may do everything.'))
  await choose('ada', 'Reset password')
  await button('Generate password').click()
  await button('Reset password').click()
  await expect.element(page.getByText('Password changed. The user was signed out everywhere.')).toBeVisible()
  expect(server.calls(resetUserPassword)[0]?.body).toMatchObject({ id: 2 })
  await choose('ada', 'Block')
  await button('Block user').click()
  await expect.poll(() => server.calls(editUser)[0]?.body).toEqual({ is_active: false })
  await choose('eve', 'Delete')
  await button('Delete user').click()
  await expect.element(page.getByText('Nobody would be left who may do everything.')).toBeVisible()
})

test('sessions of a user are listed and ended', async () => {
  const server = await openDialog('/?dialog=users')
  const at = '2026-01-01T10:00:00.000Z'
  const session = { digest: 'a'.repeat(64), user: 'ada', created: at, expiry: at, last_used: at, source: '10.0.0.7', user_agent: '', current: false } // prettier-ignore
  let sessions = [session]
  server.on(listUserSessions, () => answer(listUserSessions, sessions))
  server.on(endUserSessions, () => {
    sessions = []
    return answer(endUserSessions, null)
  })
  await choose('ada', 'Sessions')
  await expect.element(page.getByText('10.0.0.7')).toBeVisible()
  await button('End all sessions').click()
  await expect.element(page.getByText('No active sessions')).toBeVisible()
})

test('users edit their own names, but cannot lock themselves out', async () => {
  await openDialog('/?dialog=user&item=1')
  await expect.element(field('First name')).toHaveFocus()
  for (const name of ['Superuser', 'Enabled']) await expect.element(box(name)).toBeDisabled()
  await expect.element(page.getByRole('combobox', { name: 'Role' })).toBeDisabled()
})

test('a read-only role changes no users, and users with more permissions are protected', async () => {
  await openDialog('/?dialog=users', { id: 9, is_superuser: false, permissions: ['can_list_accounts'] })
  await expect.element(rowOf('ada').getByText('Help desk · two-factor sign-in')).toBeVisible()
  expect(button('Edit ada').query()).toBeNull()
  expect(button('New user').query()).toBeNull()
})

test('users are found by any of their words', () => {
  const names = (search: string) => findUsers([ADA, EVE, ROOT], search).map(({ username }) => username)
  expect(names('help ADA')).toEqual(['ada'])
  expect(names('blocked')).toEqual(['eve'])
  expect(names('')).toEqual(['ada', 'eve', 'root'])
  expect(names('nobody else')).toEqual([])
})
