import { createUser, deleteUser, editUser, listUsers, resetUserPassword, type User } from '@muster/contract/api/accounts' // prettier-ignore
import { deleteUserPasskey, listUserPasskeys } from '@muster/contract/api/passkeys'
import { listRoles } from '@muster/contract/api/roles'
import { endUserSessions, listUserSessions, listUserSignIns } from '@muster/contract/api/sessions'
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
    block_dashboard_login: false,
    is_superuser: false,
    role: null,
    role_name: null,
    has_all_rights: false,
    sso: [],
    totp: false,
    passkeys: 0,
    last_login: null,
    last_login_ip: null,
    may_change: true,
    must_change_password: false,
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
const EVE = user(3, 'eve', { is_active: false, must_change_password: true })
// Every flag is said by writeRole.
const DESK = { ...(writeRole({ ...readRole(undefined), name: 'Help desk' }) as object), id: 7, user_count: 1, users: ['ada'], built_in: null, modified: '7' } // prettier-ignore

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
  const server = await openDialog('/users')
  await expect.element(rowOf('ada').getByText('Ada <b>Winter</b>, ada@example.org')).toBeVisible()
  // As wide as the page, like other lists.
  expect(rowOf('ada').element().getBoundingClientRect().width).toBeGreaterThan(window.innerWidth - 40)
  await expect.element(rowOf('ada').getByText('Help desk · two-factor sign-in')).toBeVisible()
  await expect.element(rowOf('eve').getByText('blocked')).toBeVisible()
  await expect.element(rowOf('eve').getByText('must change password')).toBeVisible()
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
    must_change_password: true,
    is_superuser: false,
    is_active: true,
  })
})

test('a user is given a new password, blocked after a question, and deleted', async () => {
  const server = await openDialog('/users')
  server.on(resetUserPassword, () => answer(resetUserPassword, null))
  server.on(editUser, () => answer(editUser, { ...ADA, is_active: false }))
  server.on(deleteUser, () => refuse('conflict', 'Nobody would be left who may do everything.'))
  await choose('ada', 'Reset password')
  await button('Generate password').click()
  await expect.element(box('Must change the password at next sign-in')).toBeChecked()
  await box('Must change the password at next sign-in').click()
  await button('Reset password').click()
  await expect.element(page.getByText('Password changed. The user was signed out everywhere.')).toBeVisible()
  expect(server.calls(resetUserPassword)[0]?.body).toMatchObject({ id: 2, must_change_password: false })
  await choose('ada', 'Block')
  await button('Block user').click()
  await expect.poll(() => server.calls(editUser)[0]?.body).toEqual({ is_active: false })
  await choose('eve', 'Delete')
  await button('Delete user').click()
  await expect.element(page.getByText('Nobody would be left who may do everything.')).toBeVisible()
})

test('sessions of a user are listed and ended', async () => {
  const server = await openDialog('/users')
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

test('the passkeys of a user are listed, and deleted after a question', async () => {
  const server = await openDialog('/users')
  const desk = { id: 5, name: 'Desk', host: 'muster.example.com', backed_up: false, last_used: null }
  server.on(listUserPasskeys, () =>
    answer(listUserPasskeys, [{ ...desk, created: '2026-11-01T10:00:00.000Z' }]),
  )
  server.on(deleteUserPasskey, () => answer(deleteUserPasskey, null))
  await choose('ada', 'Passkeys')
  await expect.element(page.getByRole('dialog', { name: 'Passkeys of ada' })).toBeVisible()
  await button('Delete Desk').click()
  await button('Delete').click()
  await expect.poll(() => server.calls(deleteUserPasskey)[0]?.path).toBe('/accounts/users/2/passkeys/5/')
})

test('the sign-ins of a user are listed', async () => {
  const server = await openDialog('/users')
  const signIn = { id: 1, time: '2026-01-01T10:00:00.000Z', succeeded: false, reason: 'blocked', method: 'password', source: '10.0.0.7', user_agent: '' } as const // prettier-ignore
  server.on(listUserSignIns, () => answer(listUserSignIns, [signIn]))
  await choose('ada', 'Sign-in history')
  const dialog = page.getByRole('dialog', { name: 'Sign-in history of ada' })
  await expect.element(dialog.getByText('Failed: the user is blocked')).toBeVisible()
  await expect.element(dialog.getByText('10.0.0.7')).toBeVisible()
  expect(server.calls(listUserSignIns)[0]?.path).toBe('/accounts/users/2/sign-ins/')
})

test('the sign-ins of a superuser are refused to others', async () => {
  const { server, open } = await givenDashboard({ me: { id: 9, is_superuser: false, permissions: ['can_list_accounts', 'can_manage_accounts'] } }) // prettier-ignore
  server.on(listUsers, () => answer(listUsers, [ROOT]))
  server.on(listUserSignIns, () => refuse('not_allowed', 'Only superusers may see this.'))
  await open('/users?dialog=sign-ins&item=1')
  await expect.element(page.getByText('Your role does not allow you to see this.')).toBeVisible()
})

test('users edit their own names, but cannot lock themselves out', async () => {
  await openDialog('/?dialog=user&item=1')
  await expect.element(field('First name')).toHaveFocus()
  for (const name of ['Superuser', 'Enabled']) await expect.element(box(name)).toBeDisabled()
  await expect.element(page.getByRole('combobox', { name: 'Role' })).toBeDisabled()
})

test('a read-only role changes no users, and users with more permissions are protected', async () => {
  await openDialog('/users', { id: 9, is_superuser: false, permissions: ['can_list_accounts'] })
  await expect.element(rowOf('ada').getByText('Help desk · two-factor sign-in')).toBeVisible()
  expect(button('Edit ada').query()).toBeNull()
  expect(button('New user').query()).toBeNull()
})

test('the search of the users is in the address', async () => {
  const given = await givenDashboard({ me: { id: 1, username: 'root', is_superuser: true } })
  given.server.on(listUsers, () => answer(listUsers, [ADA, EVE, ROOT]))
  const { at } = await given.open('/?dialog=users')
  await expect.element(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
  expect(at()).toBe('/users')
  const search = page.getByRole('textbox', { name: 'Search users' })
  await expect.element(search).toHaveFocus()
  await search.fill('help')
  await expect.element(page.getByText('1 user', { exact: true })).toBeVisible()
  expect(rowOf('root').query()).toBeNull()
  expect(at()).toBe('/users?find=help')
  await button('Edit ada').click()
  await expect.element(page.getByRole('dialog', { name: 'Edit ada' })).toBeVisible()
  await button('Cancel').click()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  expect(at()).toBe('/users?find=help')
  await search.fill('nobody else')
  await button('Clear search').click()
  await expect.element(rowOf('root').getByText('superuser')).toBeVisible()
})

test('a role that may not list users sees no page of them', async () => {
  await openDialog('/users', { id: 9, is_superuser: false, permissions: ['can_list_clients'] })
  await expect.element(page.getByText('Your role does not allow you to see users.')).toBeVisible()
  expect(button('Roles').query()).toBeNull()
})

test('users are found by any of their words', () => {
  const names = (search: string) => findUsers([ADA, EVE, ROOT], search).map(({ username }) => username)
  expect(names('help ADA')).toEqual(['ada'])
  expect(names('blocked')).toEqual(['eve'])
  expect(names('')).toEqual(['ada', 'eve', 'root'])
  expect(names('nobody else')).toEqual([])
})
