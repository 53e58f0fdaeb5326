import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findKeyRefusal } from './key-use.ts'
import type { KeyRow } from './queries.ts'

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
  const refusal = await findKeyRefusal(tx, caller.userId, [`{{global.${before.name}}}`])
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
