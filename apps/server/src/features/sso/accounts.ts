import type { SsoAccount } from '@muster/contract/api/sso'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import { requireRow } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { holdRights } from '../users/accounts/queries.ts'
import { openComparison, requireMayChange, requireUser } from '../users/accounts/write-user.ts'
import { deleteSessions } from '../users/sessions/queries.ts'

export async function findAccounts(db: Db, userId: number): Promise<SsoAccount[]> {
  await requireUser(db, userId)
  return selectAccounts(db).where('user_id', '=', userId).orderBy('created_at').execute()
}

/** Disconnects an account, which ends the sessions that it opened. */
export async function disconnectAccount(
  ctx: Context,
  caller: Caller,
  { user: userId, account: accountId }: { user: number; account: number },
): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await holdRights(tx, { user: userId })
    const user = await requireUser(tx, userId)
    requireMayChange(await openComparison(tx, caller), user)
    const account = requireRow(
      await selectAccounts(tx)
        .where('sso_accounts.id', '=', accountId)
        .where('user_id', '=', userId)
        .executeTakeFirst(),
      'account',
    )
    await endSessionsOfAccounts(tx, emit, [{ id: accountId, user_id: userId }])
    await tx.deleteFrom('sso_accounts').where('id', '=', accountId).execute()
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'user',
      message: `Disconnected "${user.username}" from "${account.display}" of "${account.provider}"`,
      before: account,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'user.changed', ids: [userId] })
  })
}

/** Call before the accounts are deleted. */
export async function endSessionsOfAccounts(
  tx: Db,
  emit: (event: Event) => void,
  accounts: readonly { id: number; user_id: number }[],
): Promise<void> {
  const ended: string[] = []
  for (const { id, user_id } of accounts)
    ended.push(...(await deleteSessions(tx, { userId: user_id, ssoAccount: id })))
  if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
}

function selectAccounts(db: Db) {
  return db
    .selectFrom('sso_accounts')
    .innerJoin('sso_providers', 'sso_providers.id', 'sso_accounts.provider_id')
    .select(['sso_accounts.id', 'sso_providers.name as provider', 'display', 'subject'])
    .select(['created_at as joined', 'last_login'])
}
