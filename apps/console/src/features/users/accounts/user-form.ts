import { listUsers, NewUsername, type User } from '@muster/contract/api/accounts'
import { OptionalEmail } from '@muster/contract/fields'
import { query } from '../../../app/api/api.ts'
import { checkNewPassword } from './NewPasswordField.tsx'

export type UserForm = {
  username: string
  password: string
  first_name: string
  last_name: string
  email: string
  role: number | null
  is_superuser: boolean
  is_active: boolean
  block_dashboard_login: boolean
  must_change_password: boolean
}

/** Initial values of a user's form. */
export function readUser(user: User | undefined): UserForm {
  return {
    username: user?.username ?? '',
    password: '',
    first_name: user?.first_name ?? '',
    last_name: user?.last_name ?? '',
    email: user?.email ?? '',
    role: user?.role ?? null,
    is_superuser: user?.is_superuser ?? false,
    is_active: user?.is_active ?? true,
    block_dashboard_login: user?.block_dashboard_login ?? false,
    // The administrator who adds the user knows the password.
    must_change_password: user?.must_change_password ?? true,
  }
}

/** The changes of a user, or the values of a new one. */
export function writeUser({ username: _username, password: _password, ...values }: UserForm) {
  return values
}

const ofContract =
  (schema: typeof NewUsername) =>
  (text: string): string | null =>
    schema.safeParse(text).error?.issues[0]?.message ?? null

/** Name and password are required for a new user only, the password only for sign-in. */
export const checkUser = (isNew: boolean, minPasswordLength: number) => ({
  email: ofContract(OptionalEmail),
  ...(isNew ? { username: ofContract(NewUsername), password: checkPassword(minPasswordLength) } : {}),
})

const checkPassword =
  (minCharacters: number) =>
  (password: string, { block_dashboard_login }: UserForm) =>
    block_dashboard_login ? null : checkNewPassword(password, minCharacters)

export const usersQuery = query(listUsers, {})

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
