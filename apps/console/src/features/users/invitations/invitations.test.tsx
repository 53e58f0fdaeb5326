import {
  acceptInvitation,
  createInvitation,
  deleteInvitation,
  type Invitation,
  listInvitations,
  openInvitation,
} from '@muster/contract/api/invitations'
import { listRoles } from '@muster/contract/api/roles'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'
import { readRole, writeRole } from '../roles/role-form.ts'

const EVE: Invitation = {
  id: 3,
  email: 'eve@example.org',
  role: 7,
  role_name: 'Help desk',
  created_by: 'root',
  created_time: '2026-11-26T12:00:00.000Z',
  expires: '2026-11-28T12:00:00.000Z',
}
const DESK = { ...(writeRole({ ...readRole(undefined), name: 'Help desk' }) as object), id: 7, user_count: 0, users: [], built_in: null, modified: '7' } // prettier-ignore

const button = (name: string) => page.getByRole('button', { name, exact: true })

test('an invitation is created with a role, its link shown once, and revoked', async () => {
  const { server, open } = await givenDashboard({ me: { id: 1, username: 'root', is_superuser: true } })
  server.on(listInvitations, () => answer(listInvitations, [EVE]))
  server.on(listRoles, () => answer(listRoles, [DESK as never]))
  server.on(createInvitation, () => answer(createInvitation, { ...EVE, token: 'secrettoken' }))
  server.on(deleteInvitation, () => answer(deleteInvitation, null))
  await open('/?dialog=invitations')
  await expect.element(page.getByText(/Help desk · by root · works until/)).toBeVisible()
  await button('Invite user').click()
  await page.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Help desk' }).click()
  await button('Create link').click()
  await expect.element(page.getByText(/^http.*\/invitation#secrettoken$/)).toBeVisible()
  expect(server.calls(createInvitation)[0]?.body).toEqual({ role: 7, email: '' })
  await page
    .getByRole('dialog', { name: 'Send this link' })
    .getByRole('button', { name: 'Close' })
    .last()
    .click()
  await button('Revoke eve@example.org').click()
  await button('Delete').click()
  await expect.poll(() => server.calls(deleteInvitation).length).toBe(1)
})

test('a taken name is explained at its field, and so is a weak password', async () => {
  const { server, open } = await givenDashboard()
  server.on(openInvitation, () => answer(openInvitation, { ...EVE, password_min_length: 16 }))
  server.on(acceptInvitation, () => refuse('conflict', 'A user named "eve" already exists.'))
  await open('/invitation#secrettoken')
  await expect.element(page.getByText('root has invited you. Choose a name and a password.')).toBeVisible()
  await expect.element(page.getByText('At least 16 characters')).toBeVisible()
  await page.getByRole('textbox', { name: 'User name' }).fill('eve')
  await page.getByLabelText('Password', { exact: true }).fill('battery staples')
  await button('Create account').click()
  await expect.element(page.getByText('A password has at least 16 characters.')).toBeVisible()
  await page.getByLabelText('Password', { exact: true }).fill('battery of staples')
  await button('Create account').click()
  await expect.element(page.getByText('A user named "eve" already exists.')).toBeVisible()
})
