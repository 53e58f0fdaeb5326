import {
  BUILT_IN_ROLE_TEXTS,
  BUILT_IN_ROLES,
  type BuiltInRole,
  permissionsOfBuiltIn,
} from '@muster/contract/built-in-roles'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { audit } from '../../audit/write-audit.ts'

/** Adds the built-in roles, and gives them the rights that this version of Muster defines. */
export async function keepBuiltInRoles(ctx: Context): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    const rows = await tx.selectFrom('roles').selectAll().where('built_in', 'is not', null).execute()
    for (const role of BUILT_IN_ROLES) {
      const columns = columnsOf(role)
      const before = rows.find(({ built_in }) => built_in === role)
      if (before === undefined) {
        const name = await freeName(tx, BUILT_IN_ROLE_TEXTS[role].name)
        await tx
          .insertInto('roles')
          .values({ ...columns, name, built_in: role })
          // Another server of the same database starts at this moment.
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        emit({ type: 'user.changed', ids: [] })
        continue
      }
      const { id, name, permissions, is_superuser } = before
      if (permissions === columns.permissions && is_superuser === columns.is_superuser) continue
      await tx.updateTable('roles').set(columns).where('id', '=', id).execute()
      await audit(tx, {
        caller: { username: 'server', source: '' },
        action: 'modify',
        object_type: 'role',
        message: `Updated the built-in role "${name}"`,
        // Written as a JSON list of names.
        before: { permissions: JSON.parse(permissions) as string[] },
        after: { permissions: permissionsOfBuiltIn(role) },
        at: ctx.now(),
        emit,
      })
      emit({ type: 'user.changed', ids: [] })
    }
  })
}

function columnsOf(role: BuiltInRole) {
  return {
    is_superuser: role === 'administrator' ? (1 as const) : (0 as const),
    permissions: JSON.stringify(permissionsOfBuiltIn(role)),
  }
}

/** A user's role with the same name keeps its name. */
async function freeName(tx: Db, name: string): Promise<string> {
  const rows = await tx.selectFrom('roles').select('name').execute()
  const taken = new Set(rows.map((row) => row.name.toLowerCase()))
  const names = [name, `${name} (built in)`]
  for (let count = 2; names.length <= taken.size + 1; count++) names.push(`${name} (built in ${count})`)
  return names.find((one) => !taken.has(one.toLowerCase())) ?? name
}
