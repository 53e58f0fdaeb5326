import { type KeyStoreEntry, MASKED_VALUE } from '@muster/contract/api/keystore'
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Context } from '../../context.ts'
import { claimName } from '../../platform/database/claim-name.ts'
import { changeRow, lockRow, refuseTaken, requireRow, takenName } from '../../platform/database/change-row.ts'
import { type Caller, refuseLimited } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import type { Db } from '../../platform/database/database.ts'
import type { KeyStoreTable } from '../../platform/database/tables/clients.ts'
import {
  addRoles,
  type KeyRoles,
  type KeyWithRoles,
  nameRoles,
  refuseMoreRoles,
  replaceRoles,
} from './key-use.ts'

export function addKey(
  ctx: Context,
  caller: Caller,
  { name: wanted, value, roles }: { name: string; value: string; roles: KeyRoles },
): Promise<KeyWithRoles> {
  refuseLimited(caller, 'Keys')
  const taken = takenName('A key', wanted)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const at = ctx.now()
      const name = await claimName(tx, { table: 'key_store', name: wanted, taken })
      const { id } = await insertKey(tx, {
        name,
        value: ctx.secrets.encrypt(value),
        all_roles: roles === null ? 1 : 0,
        created_at: at.toISOString(),
        modified: at.toISOString(),
      })
      await replaceRoles(tx, id, roles)
      const row = await requireLockedKey(tx, id)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'keystore',
        message: `Added the key "${name}"`,
        after: { name, roles: await nameRoles(tx, row.roles) },
        at,
        emit,
      })
      await ctx.hooks.variablesChanged(tx, emit, 'all')
      emit({ type: 'keystore.changed', ids: [id] })
      return row
    }),
  )
}

interface KeyChange {
  id: number
  name?: string | undefined
  /** Absent or masked = unchanged. */
  value?: string | undefined
  /** Absent = unchanged. */
  roles?: KeyRoles | undefined
  /** The version loaded by the editor. Absent = overwrite any version. */
  modified?: string | undefined
}

export function changeKey(ctx: Context, caller: Caller, change: KeyChange): Promise<KeyWithRoles> {
  refuseLimited(caller, 'Keys')
  const value = change.value === MASKED_VALUE ? undefined : change.value
  const taken = takenName('A key', change.name ?? '')
  return changeRow(
    ctx,
    {
      taken,
      loaded: change.modified,
      lock: (tx) => requireLockedKey(tx, change.id),
    },
    async ({ tx, emit, before, at, modified }) => {
      const name = await claimName(tx, {
        table: 'key_store',
        name: change.name ?? before.name,
        taken,
        before,
      })
      const isRenamed = name !== before.name
      const roles = change.roles === undefined ? before.roles : change.roles
      const isShared = textOf(roles) !== textOf(before.roles)
      if (!isRenamed && value === undefined && !isShared) return before
      await refuseMoreRoles(tx, caller, { before, roles })
      await updateKey(tx, change.id, {
        name,
        all_roles: roles === null ? 1 : 0,
        ...(value === undefined ? {} : { value: ctx.secrets.encrypt(value) }),
        modified,
      })
      await replaceRoles(tx, change.id, roles)
      const row = await requireLockedKey(tx, change.id)
      const done = [
        ...(isRenamed ? [`Renamed the key "${before.name}" to "${name}"`] : []),
        ...(value === undefined ? [] : [`Replaced the value of the key "${name}"`]),
        ...(isShared ? [`Changed the roles of the key "${name}"`] : []),
      ]
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'keystore',
        message: done.join('; '),
        before: { name: before.name, roles: await nameRoles(tx, before.roles) },
        after: { name, roles: await nameRoles(tx, row.roles) },
        at,
        emit,
      })
      await ctx.hooks.variablesChanged(tx, emit, 'all')
      emit({ type: 'keystore.changed', ids: [row.id] })
      return row
    },
  )
}

function textOf(roles: KeyRoles): string {
  return JSON.stringify(roles?.toSorted((a, b) => a - b) ?? null)
}

export function removeKey(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'Keys')
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLockedKey(tx, id)
    await deleteKeyRow(tx, id)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'keystore',
      message: `Deleted the key "${row.name}"`,
      before: { name: row.name },
      at: ctx.now(),
      emit,
    })
    await ctx.hooks.variablesChanged(tx, emit, 'all')
    emit({ type: 'keystore.changed', ids: [id] })
  })
}

/** Returns the key, locked until the transaction ends. Throws `not_found`. */
async function requireLockedKey(tx: Db, id: number): Promise<KeyWithRoles> {
  await lockRow(tx, 'key_store', 'id', id)
  const row = await findKey(tx, id)
  const [key] = row === undefined ? [] : await addRoles(tx, [row])
  return requireRow(key, 'key')
}

export type KeyRow = Selectable<KeyStoreTable>

export function findKeys(db: Db): Promise<KeyRow[]> {
  return db.selectFrom('key_store').selectAll().orderBy('name').execute()
}

function findKey(db: Db, id: number): Promise<KeyRow | undefined> {
  return db.selectFrom('key_store').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findKeysByName(db: Db, names: readonly string[]): Promise<KeyRow[]> {
  return db.selectFrom('key_store').selectAll().where('name', 'in', names).execute()
}

function insertKey(tx: Db, row: Insertable<KeyStoreTable>): Promise<KeyRow> {
  return tx.insertInto('key_store').values(row).returningAll().executeTakeFirstOrThrow()
}

function updateKey(tx: Db, id: number, change: Updateable<KeyStoreTable>): Promise<KeyRow> {
  return tx.updateTable('key_store').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

async function deleteKeyRow(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('key_store').where('id', '=', id).execute()
}

/** Does not reveal the length of the value. */
export function viewKey(row: KeyWithRoles): KeyStoreEntry {
  return {
    id: row.id,
    name: row.name,
    value: MASKED_VALUE,
    roles: row.roles,
    created_at: row.created_at,
    modified: row.modified,
  }
}
