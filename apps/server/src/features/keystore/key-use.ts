import { AppError } from '@muster/contract/errors'
import { findVariables } from '@muster/rules/agents/script-variables'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { authorOf, type Caller } from '../../platform/http/caller.ts'
import type { Context } from '../../context.ts'
import type { KeyRow } from './write-key.ts'

/** Id of the user who runs a script or configured it. Null = unknown. */
export type Author = number | null

/** Returns why an author may not use a key, or undefined if the author may. */
export type KeyUse = (author: Author, name: string) => string | undefined

/** Loads which of these authors may use which of these keys. A missing key is refused to nobody. */
export async function loadKeyUse(
  db: Db,
  authors: readonly Author[],
  names: readonly string[],
): Promise<KeyUse> {
  const keys = await db
    .selectFrom('key_store')
    .leftJoin('key_store_roles', 'key_store_roles.key_id', 'key_store.id')
    .select(['key_store.name', 'key_store_roles.role_id'])
    .where('all_roles', '=', 0)
    .where('key_store.name', 'in', names)
    .execute()
  if (keys.length === 0) return () => undefined
  const rolesOf = Map.groupBy(keys, ({ name }) => name)
  // No user has the id 0. PostgreSQL refuses an empty list.
  const ids = [...new Set(authors.map((id) => id ?? 0))]
  const users = await db
    .selectFrom('users')
    .leftJoin('roles', 'roles.id', 'users.role_id')
    .select(['users.id', 'username', 'role_id', 'is_active', 'users.is_superuser'])
    .select('roles.is_superuser as role_is_superuser')
    .where('users.id', 'in', ids)
    .execute()
  const byId = new Map(users.map((user) => [user.id, user]))
  return (author, name) => {
    const roles = rolesOf.get(name)
    if (roles === undefined) return undefined
    const user = byId.get(author ?? 0)
    if (user === undefined)
      return `{{global.${name}}} is restricted to some roles. A user with one of them has to save this again.`
    if (user.is_active === 0)
      return `${user.username} is blocked and may not use {{global.${name}}}. Another user has to save this again.`
    if (user.is_superuser === 1 || user.role_is_superuser === 1) return undefined
    if (roles.some(({ role_id }) => role_id !== null && role_id === user.role_id)) return undefined
    return `The role of ${user.username} may not use {{global.${name}}}.`
  }
}

/** Returns the first refusal for texts that a script is called with. */
export async function findKeyRefusal(
  db: Db,
  author: Author,
  texts: readonly string[],
): Promise<string | undefined> {
  const variables = texts.flatMap(findVariables).filter(({ scope }) => scope === 'global')
  const names = [...new Set(variables.map(({ name }) => name))]
  if (names.length === 0) return undefined
  const refusalOf = await loadKeyUse(db, [author], names)
  return names.map((name) => refusalOf(author, name)).find((refusal) => refusal !== undefined)
}

export async function refuseKeys(db: Db, caller: Caller, texts: readonly string[]): Promise<void> {
  const refusal = await findKeyRefusal(db, authorOf(caller), texts)
  if (refusal !== undefined) throw new AppError('not_allowed', refusal)
}

/** Whether any key is restricted to some roles. */
export async function hasRestrictedKeys(db: Db): Promise<boolean> {
  const query = db.selectFrom('key_store').select('id').where('all_roles', '=', 0).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

/** The roles that may use a key. Null = all roles. Superusers may use every key. */
export type KeyRoles = number[] | null

export type KeyWithRoles = KeyRow & { roles: KeyRoles }

export async function addRoles(db: Db, rows: readonly KeyRow[]): Promise<KeyWithRoles[]> {
  const named = await db.selectFrom('key_store_roles').selectAll().orderBy('role_id').execute()
  const byKey = Map.groupBy(named, ({ key_id }) => key_id)
  return rows.map((row) => ({
    ...row,
    roles: row.all_roles === 1 ? null : (byKey.get(row.id) ?? []).map(({ role_id }) => role_id),
  }))
}

/** Stores the roles of a key. Its `all_roles` column says the same. */
export async function replaceRoles(tx: Db, keyId: number, roles: KeyRoles): Promise<void> {
  await tx.deleteFrom('key_store_roles').where('key_id', '=', keyId).execute()
  const rows = [...new Set(roles)].map((role_id) => ({ key_id: keyId, role_id }))
  if (rows.length === 0) return
  const known = await tx.selectFrom('roles').select('id').where('id', 'in', roles).execute()
  if (known.length < rows.length) {
    const sentence = 'One of these roles no longer exists.'
    throw new AppError('invalid', sentence, { fields: { roles: [sentence] } })
  }
  await tx.insertInto('key_store_roles').values(rows).execute()
}

/** Only users who may use a key can open it to more roles. */
export async function refuseMoreRoles(
  tx: Db,
  caller: Caller,
  { before, roles }: { before: KeyWithRoles; roles: KeyRoles },
): Promise<void> {
  const { roles: had } = before
  if (had === null || roles?.every((role) => had.includes(role)) === true) return
  const refusal = await findKeyRefusal(tx, authorOf(caller), [`{{global.${before.name}}}`])
  if (refusal === undefined) return
  throw new AppError('not_allowed', `${refusal} Only users with one of its roles can add more.`, {
    fields: { roles: [refusal] },
  })
}

/** For the audit log. */
export async function nameRoles(db: Db, roles: KeyRoles): Promise<string[] | 'all'> {
  if (roles === null) return 'all'
  if (roles.length === 0) return []
  const rows = await db.selectFrom('roles').select('name').where('id', 'in', roles).orderBy('name').execute()
  return rows.map(({ name }) => name)
}

/** Call in the transaction of every change of a user's role or block, or of a role's superuser flag. */
export async function markKeyUsesStale(
  { hooks }: Pick<Context, 'hooks'>,
  tx: Db,
  emit: (event: Event) => void,
): Promise<void> {
  if (await hasRestrictedKeys(tx)) await hooks.variablesChanged(tx, emit, 'all')
}
