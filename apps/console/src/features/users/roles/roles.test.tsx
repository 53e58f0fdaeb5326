import { createRole, deleteRole, editRole, listRoles, type Role } from '@muster/contract/api/roles'
import { PERMISSIONS } from '@muster/contract/permissions'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'
import { findPermissions, PERMISSION_GROUPS, permissionLabel } from './PermissionFields.tsx'
import { readRole, writeRole } from './role-form.ts'

function role(id: number, name: string, more: Partial<Role> = {}): Role {
  const empty = writeRole({ ...readRole(undefined), name })
  // Every flag is said by writeRole.
  return {
    ...(empty as Role),
    id,
    user_count: more.users?.length ?? 0,
    users: [],
    modified: `${id}`,
    ...more,
  }
}

const DESK = role(1, 'Help <b>desk</b>', {
  users: ['ada', 'bob'],
  can_list_agents: true,
  can_view_clients: [1],
  require_2fa_for_remote: true,
})
const IDLE = role(2, 'Idle')

async function openDialog(path: string, me: Partial<Me> = { username: 'ada', is_superuser: true }) {
  const given = await givenDashboard({ me })
  given.server.on(listRoles, () => answer(listRoles, [DESK, IDLE]))
  await given.open(path)
  return given.server
}

const button = (name: string) => page.getByRole('button', { name, exact: true })
const box = (name: string) => page.getByRole('checkbox', { name, exact: true })

test('roles are listed with their permissions and users; a role in use cannot be deleted', async () => {
  const server = await openDialog('/?dialog=roles')
  server.on(deleteRole, () => refuse('conflict', 'The role "Idle" cannot be deleted: eve has it.'))
  const row = page.getByRole('listitem').filter({ hasText: 'Help <b>desk</b>' })
  await expect.element(row.getByText(`1 of ${PERMISSIONS.length} permissions, 1 client, code before remote tools`)).toBeVisible() // prettier-ignore
  await expect.element(row.getByText('2 users: ada, bob')).toBeVisible()
  await expect.element(button('Delete Help <b>desk</b>')).toHaveAttribute('aria-disabled', 'true')
  await button('Delete Idle').click()
  await button('Delete').click()
  await expect.element(page.getByText('The role "Idle" cannot be deleted: eve has it.')).toBeVisible()
})

test('permissions are searched and switched in groups, and clients selected', async () => {
  const server = await openDialog('/?dialog=role&item=new')
  server.on(createRole, () => answer(createRole, IDLE))
  await page.getByRole('textbox', { name: 'Name' }).fill('Desk')
  await page.getByRole('textbox', { name: 'Search permissions' }).fill('checks')
  await box('All of Checks').click()
  await page.getByRole('textbox', { name: 'Search permissions' }).fill('checks run')
  await box(permissionLabel('can_run_checks')).click()
  await page.getByRole('textbox', { name: 'Search permissions' }).fill('checks')
  await expect.element(box('All of Checks')).toBePartiallyChecked()
  await expect.element(page.getByText(`2 of ${PERMISSIONS.length}`)).toBeVisible()
  await page.getByRole('combobox', { name: 'Clients' }).click()
  await page.getByRole('option', { name: 'Borealis' }).click()
  await box('Ask for a code again before remote tools').click()
  await button('Add role').click()
  await expect.poll(() => server.calls(createRole)).toHaveLength(1)
  const body = server.calls(createRole)[0]?.body
  expect(body).toMatchObject({
    name: 'Desk',
    is_superuser: false,
    require_2fa_for_remote: true,
    can_view_clients: [2],
    can_list_checks: true,
    can_manage_checks: true,
    can_run_checks: false,
    can_use_terminal: false,
  })
})

test("editing one's own role warns, and the last superuser is not locked out", async () => {
  const server = await openDialog('/?dialog=role&item=1')
  const sentence = 'Nobody would be left who may do everything.'
  server.on(editRole, () => refuse('conflict', sentence))
  await expect.element(page.getByText('You are editing your own role')).toBeVisible()
  await box('Superuser').click()
  await expect.element(box('All of Checks')).toBeChecked()
  await expect.element(box('All of Checks')).toBeDisabled()
  await expect.element(page.getByText('all, as a superuser')).toBeVisible()
  await button('Save').click()
  await expect.element(page.getByText(sentence)).toBeVisible()
  expect(server.calls(editRole)[0]?.body).toMatchObject({ is_superuser: true, can_list_agents: true, can_list_checks: false, modified: '1' }) // prettier-ignore
})

test('only superusers can change roles', async () => {
  await openDialog('/?dialog=roles', {
    username: 'eve',
    is_superuser: false,
    permissions: ['can_list_accounts'],
  })
  await expect.element(page.getByText('Only superusers can change roles.')).toBeVisible()
  expect(button('Edit Idle').query()).toBeNull()
  expect(button('New role').query()).toBeNull()
})

test('every permission is in one group, with its own label', () => {
  expect(PERMISSION_GROUPS.flatMap(({ permissions }) => permissions).toSorted()).toEqual(
    PERMISSIONS.toSorted(),
  )
  const labels = PERMISSIONS.map(permissionLabel)
  expect(new Set(labels).size).toBe(PERMISSIONS.length)
  expect(findPermissions('processes end')).toEqual([
    { label: 'Remote tools', permissions: ['can_manage_procs'] },
  ])
  expect(findPermissions('no such thing')).toEqual([])
})
