import type { User } from '@muster/contract/api/accounts'
import type { Role } from '@muster/contract/api/roles'
import { PERMISSIONS } from '@muster/contract/permissions'
import { matchByName, type Planner } from './steps.ts'
import type { OldData, OldRole } from './tactical.ts'

/** Roles and users are created by a person: this server refuses that to API keys. */
export function planUsers(
  planner: Planner,
  { roles, users, clients }: OldData,
  present: { roles: readonly Role[]; users: readonly User[] },
): void {
  matchByName(planner, roles, present.roles, {
    kind: 'role',
    keyOf: ({ id }) => `role ${id}`,
    nameOf: ({ name }) => name,
    presentNameOf: ({ name }) => name,
    whenPresent: () => '',
    whenNew: (old) => planner.byHand({ kind: 'role', name: old.name, reason: describeRole(old, clients) }),
  })
  matchByName(planner, users, present.users, {
    kind: 'user',
    keyOf: ({ id }) => `user ${id}`,
    nameOf: ({ username }) => username,
    presentNameOf: ({ username }) => username,
    whenPresent: () => '',
    whenNew: ({ username: name, is_active, role, email }) => {
      if (!is_active) return planner.leaveOut({ kind: 'user', name, reason: 'Blocked there.' })
      const roleName = roles.find(({ id }) => id === role)?.name
      const who = email === '' ? 'the user' : email
      const reason = `Invite ${who} in the console${roleName === undefined ? '' : ` with the role "${roleName}"`}.`
      return planner.byHand({ kind: 'user', name, reason })
    },
  })
}

function describeRole(old: OldRole, clients: OldData['clients']): string {
  if (old.is_superuser) return 'Create it in the console, with all permissions.'
  const given = Object.entries(old)
    .filter(([name, value]) => name.startsWith('can_') && value === true)
    .map(([name]) => name)
  const known: readonly string[] = PERMISSIONS
  const unknown = given.filter((name) => !known.includes(name))
  const sites = clients.flatMap((client) =>
    client.sites.map(({ id, name }) => ({ id, name: `${client.name} / ${name}` })),
  )
  const seen = [
    ...clients.filter(({ id }) => old.can_view_clients.includes(id)),
    ...sites.filter(({ id }) => old.can_view_sites.includes(id)),
  ].map(({ name }) => name)
  return [
    `Create it in the console with: ${given.filter((name) => known.includes(name)).join(', ') || 'no permission'}.`,
    seen.length === 0 ? '' : `It sees only ${seen.join(', ')}.`,
    unknown.length === 0 ? '' : `Not known here: ${unknown.join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ')
}
