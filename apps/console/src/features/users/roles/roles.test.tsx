import {
  createRole,
  deleteRole,
  editRole,
  listRoles,
  previewRole,
  type Role,
  type RolePreview,
} from '@muster/contract/api/roles'
import { PERMISSION_GROUPS, PERMISSION_TEXTS, permissionLabel } from '@muster/contract/permission-texts'
import { PERMISSIONS } from '@muster/contract/permissions'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'
import { findPermissions } from './PermissionFields.tsx'
import { readRole, writeRole } from './role-form.ts'

function role(id: number, name: string, more: Partial<Role> = {}): Role {
  const empty = writeRole({ ...readRole(undefined), name })
  // Every flag is said by writeRole.
  return {
    ...(empty as Role),
    id,
    user_count: more.users?.length ?? 0,
    users: [],
    built_in: null,
    modified: `${id}`,
    ...more,
  }
}

const DESK = role(1, 'Help <b>desk</b>', {
  users: ['ada', 'bob'],
  can_list_agents: true,
  can_view_clients: [1],
  require_2fa_for_remote: true,
  approve_jobs_over: null,
})
const IDLE = role(2, 'Idle', { approve_job_actions: ['power'] })

async function openDialog(
  path: string,
  me: Partial<Me> = { username: 'ada', is_superuser: true },
  roles = [DESK, IDLE],
) {
  const given = await givenDashboard({ me })
  given.server.on(listRoles, () => answer(listRoles, roles))
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
  const idle = page.getByRole('listitem').filter({ hasText: 'Idle' })
  await expect.element(idle.getByText(/jobs need approval/)).toBeVisible()
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
  await expect.element(page.getByText('Shows checks and their results.')).toBeVisible()
  await box('All of Checks').click()
  await page.getByRole('textbox', { name: 'Search permissions' }).fill('can_run_checks')
  await box(permissionLabel('can_run_checks')).click()
  await page.getByRole('textbox', { name: 'Search permissions' }).fill('checks')
  await expect.element(box('All of Checks')).toBePartiallyChecked()
  await expect.element(page.getByText(`2 of ${PERMISSIONS.length}`)).toBeVisible()
  await page.getByRole('combobox', { name: 'Clients' }).click()
  await page.getByRole('option', { name: 'Borealis' }).click()
  await box('Ask for a code again before remote tools').click()
  await page.getByRole('textbox', { name: 'Require approval for jobs on more than' }).fill('50')
  await page.getByRole('combobox', { name: 'Always require approval for' }).click()
  await page.getByRole('option', { name: 'Restart, shut down or wake' }).click()
  await button('Add role').click()
  await expect.poll(() => server.calls(createRole)).toHaveLength(1)
  const body = server.calls(createRole)[0]?.body
  expect(body).toMatchObject({
    name: 'Desk',
    is_superuser: false,
    require_2fa_for_remote: true,
    approve_jobs_over: 50,
    approve_job_actions: ['power'],
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

const FIXED = role(3, 'Technician', { built_in: 'technician', can_list_agents: true, can_use_terminal: true })
const TEMPLATE = role(4, 'Client admin', { built_in: 'client_admin', can_manage_sites: true })

test('a built-in role is locked with a reason, and can be copied', async () => {
  const server = await openDialog('/?dialog=roles', undefined, [DESK, IDLE, FIXED, TEMPLATE])
  server.on(createRole, () => answer(createRole, IDLE))
  const row = page.getByRole('listitem').filter({ hasText: /^Technician/ })
  await expect.element(button('Delete Technician')).toHaveAttribute('aria-disabled', 'true')
  await expect.element(row.getByText('built in')).toBeVisible()
  await button('View Technician').click()
  await expect.element(page.getByText('Built-in roles cannot be changed')).toBeVisible()
  const rights = page.getByRole('list', { name: 'Remote tools' })
  await expect.element(rights.getByText(permissionLabel('can_use_terminal'))).toBeVisible()
  expect(button('Save').query()).toBeNull()
  await button('Copy role').click()
  await expect.element(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Technician (copy)')
  await button('Add role').click()
  await expect.poll(() => server.calls(createRole)).toHaveLength(1)
  expect(server.calls(createRole)[0]?.body).toMatchObject({ name: 'Technician (copy)', copy_of: 3, can_use_terminal: true, can_send_cmd: false }) // prettier-ignore
})

test('a copy of the template needs clients', async () => {
  const server = await openDialog('/?dialog=roles', undefined, [DESK, TEMPLATE])
  server.on(createRole, () => answer(createRole, IDLE))
  await expect.element(page.getByText(/clients chosen in the copy/)).toBeVisible()
  await button('Copy Client admin').click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Borealis admin')
  await expect.element(page.getByText('Missing or invalid: Clients')).toBeVisible()
  await expect.element(button('Add role')).toBeDisabled()
  await page.getByRole('combobox', { name: 'Clients' }).click()
  await page.getByRole('option', { name: 'Borealis' }).click()
  await button('Add role').click()
  await expect.poll(() => server.calls(createRole)).toHaveLength(1)
  expect(server.calls(createRole)[0]?.body).toMatchObject({ can_view_clients: [2], copy_of: 4 })
})

const PREVIEW: RolePreview = {
  machines: { total: 12, names: ['<b>alpha</b>', 'beta'], may_list: true },
  clients: { total: 1, names: ['Borealis'], may_list: false },
  sites: 2,
  groups: [
    {
      label: 'Agents',
      can: [{ permission: 'can_send_cmd', label: 'Send commands', text: 'Runs any command on machines.' }],
      cannot: [
        { permission: 'can_list_agents', label: 'See machines', text: 'Shows machines.', reason: null },
      ],
    },
    {
      label: 'Scripts',
      can: [],
      cannot: [
        {
          permission: 'can_manage_scripts',
          label: 'Change scripts',
          text: 'Adds scripts.',
          reason: 'Needs a role that sees all clients.',
        },
      ],
    },
  ],
  risks: [{ permission: 'can_send_cmd', label: 'Send commands', text: 'Full control of machines.' }],
  conditions: ['Two-factor sign-in is required.'],
}

test('unsaved values are previewed: what the role sees, can and cannot do, and its risks', async () => {
  const server = await openDialog('/?dialog=role&item=new')
  server.on(previewRole, () => answer(previewRole, PREVIEW))
  await page.getByRole('textbox', { name: 'Search permissions' }).fill('can_send_cmd')
  await box('Send commands').click()
  await button('Preview').click()
  const dialog = page.getByRole('dialog', { name: 'Preview of the new role' })
  const part = (name: string) => dialog.getByRole('region', { name })
  await expect.element(part('Sees').getByText('12 machines: <b>alpha</b>, beta and 10 more')).toBeVisible()
  expect(part('Sees').element().textContent).toContain('Borealis. Not listed without “See clients”.')
  await expect.element(part('Conditions').getByText('Two-factor sign-in is required.')).toBeVisible()
  await expect.element(part('Can do').getByText('Runs any command on machines.')).toBeVisible()
  await expect.element(part('Cannot do').getByText('See machines')).toBeVisible()
  expect(part('Cannot do').element().textContent).toContain('Change scripts: Needs a role that sees all')
  const risks = dialog.getByRole('list', { name: 'Dangerous permissions' })
  expect(risks.element().textContent).toBe('Send commands: Full control of machines.')
  expect(server.calls(previewRole)[0]?.body).toMatchObject({ can_send_cmd: true, can_list_agents: false })
  expect(server.calls(createRole)).toHaveLength(0)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(box('Send commands')).toBeChecked()
  await box('Send commands').click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Desk')
  await button('Preview').click()
  await expect.element(page.getByRole('dialog', { name: 'Preview of Desk' })).toBeVisible()
  await expect.poll(() => server.calls(previewRole).at(-1)?.body).toMatchObject({ can_send_cmd: false })
})

test('a preview that the server refuses says why', async () => {
  const server = await openDialog('/?dialog=role&item=1')
  server.on(previewRole, () => refuse('invalid', 'One of these clients no longer exists.'))
  await button('Preview').click()
  await expect.element(page.getByText('One of these clients no longer exists.')).toBeVisible()
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

test('every permission is in one group, with its own label and a short sentence', () => {
  expect(PERMISSION_GROUPS.flatMap(({ permissions }) => permissions).toSorted()).toEqual(
    PERMISSIONS.toSorted(),
  )
  const labels = PERMISSIONS.map(permissionLabel)
  expect(new Set(labels).size).toBe(PERMISSIONS.length)
  for (const [, text] of Object.values(PERMISSION_TEXTS)) {
    expect(text).toMatch(/^[A-Z].*\.$/)
    expect(text.split(' ').length).toBeLessThanOrEqual(12)
  }
  expect(findPermissions('processes end')).toEqual([
    { label: 'Remote tools', permissions: ['can_manage_procs'] },
  ])
  expect(findPermissions('no such thing')).toEqual([])
})
