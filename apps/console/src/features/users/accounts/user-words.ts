import type { User } from '@muster/contract/api/accounts'

/** First and last name; empty where there is none. */
export function fullName({ first_name, last_name }: User): string {
  return `${first_name} ${last_name}`.trim()
}

/** The user's permissions, in a few words. */
export function describeRole({ has_all_rights, role_name }: User): string {
  if (role_name !== null) return role_name
  return has_all_rights ? 'All permissions' : 'No role, no permissions'
}

/** Users whose names, address or role contain each word. */
export function findUsers(users: readonly User[], search: string): User[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return users.filter((user) => {
    const { username, email } = user
    const text = [username, fullName(user), email, describeRole(user), user.is_active ? '' : 'blocked']
    return words.every((word) => text.join(' ').toLowerCase().includes(word))
  })
}
