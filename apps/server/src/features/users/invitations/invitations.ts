import { type acceptInvitation, type Invitation, INVITATION_HOURS } from '@muster/contract/api/invitations'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { refuseTaken, requireRow } from '../../../platform/database/change-row.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { networkOf } from '../../../platform/http/sign-in-gate.ts'
import { refuseWeakPassword } from '../../../platform/secrets/new-password.ts'
import { hashPassword } from '../../../platform/secrets/passwords.ts'
import { digestOf, newToken } from '../../../platform/secrets/secrets.ts'
import { audit } from '../../audit/write-audit.ts'
import { auditValues, holdRights } from '../accounts/queries.ts'
import { openComparison, requireMayGive, requireUser } from '../accounts/write-user.ts'
import { countFailure, refuseWhileBlocked } from '../sessions/throttle.ts'

const HOUR_MS = 3_600_000

function selectInvitations(db: Db) {
  return db
    .selectFrom('invitations')
    .innerJoin('roles', 'roles.id', 'invitations.role_id')
    .innerJoin('users', 'users.id', 'invitations.user_id')
    .select(['invitations.id', 'invitations.email', 'invitations.role_id', 'invitations.created_at'])
    .select(['expires_at', 'roles.name as role_name', 'username', 'users.is_active'])
}
type InvitationRow = Awaited<ReturnType<ReturnType<typeof selectInvitations>['executeTakeFirstOrThrow']>>

export async function findInvitations(db: Db): Promise<Invitation[]> {
  const rows = await selectInvitations(db).orderBy('invitations.created_at', 'desc').execute()
  return rows.map(viewInvitation)
}

/** The token is in this response only. */
export async function addInvitation(
  ctx: Context,
  caller: Caller,
  { role, email }: { role: number; email: string },
): Promise<Invitation & { token: string }> {
  const token = newToken()
  const now = ctx.now()
  return ctx.transaction(async (tx, emit) => {
    await holdRights(tx, { role })
    requireMayGive(await openComparison(tx, caller), role)
    const { id } = await tx
      .insertInto('invitations')
      .values({
        digest: digestOf(token),
        email,
        role_id: role,
        user_id: caller.userId,
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + INVITATION_HOURS * HOUR_MS).toISOString(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const invitation = await requireInvitation(tx, id)
    await audit(tx, {
      caller,
      action: 'add',
      object_type: 'user',
      message: `Invited ${nameOf(invitation)}`,
      after: viewInvitation(invitation),
      at: now,
      emit,
    })
    emit({ type: 'user.changed', ids: [] })
    return { ...viewInvitation(invitation), token }
  })
}

export async function removeInvitation(ctx: Context, caller: Caller, id: number): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    const invitation = await requireInvitation(tx, id)
    requireMayGive(await openComparison(tx, caller), invitation.role_id)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'user',
      message: `Revoked the invitation of ${nameOf(invitation)}`,
      before: viewInvitation(invitation),
      at: ctx.now(),
      emit,
    })
    await tx.deleteFrom('invitations').where('id', '=', id).execute()
    emit({ type: 'user.changed', ids: [] })
  })
}

async function requireInvitation(db: Db, id: number): Promise<InvitationRow> {
  return requireRow(
    await selectInvitations(db).where('invitations.id', '=', id).executeTakeFirst(),
    'invitation',
  )
}

/** Throws for an unknown, used, revoked or expired token. Unknown ones count in the throttle. */
export async function readInvitation(ctx: Context, token: string, source: string): Promise<Invitation> {
  const found = await selectInvitations(ctx.db).where('digest', '=', digestOf(token)).executeTakeFirst()
  if (found === undefined) {
    const keys = { account: `invitation:${networkOf(source)}`, source: undefined }
    await refuseWhileBlocked(ctx, keys)
    await countFailure(ctx, keys)
  }
  return viewInvitation(requireOpen(found, ctx.now()))
}

function requireOpen(found: InvitationRow | undefined, now: Date): InvitationRow {
  // The rights of the link are those of the user who made it.
  if (found === undefined || found.is_active === 0)
    throw new AppError(
      'not_found',
      'This link is not valid. It may have been used or revoked. Ask for a new one.',
    )
  if (found.expires_at <= now.toISOString())
    throw new AppError(
      'conflict',
      `This link has expired: it works for ${INVITATION_HOURS} hours. Ask for a new one.`,
    )
  return found
}

/** Creates the user and consumes the invitation; of concurrent requests one succeeds. */
export async function takeInvitation(
  ctx: Context,
  { token, password, ...person }: Parsed<typeof acceptInvitation>['body'],
  source: string,
): Promise<void> {
  await readInvitation(ctx, token, source)
  const { username } = person
  await refuseWeakPassword(ctx.db, password, username)
  const hash = await hashPassword(password)
  const taken = { field: 'username', sentence: `A user named "${username}" already exists.` }
  await refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const found = await selectInvitations(tx).where('digest', '=', digestOf(token)).executeTakeFirst()
      const used = await tx
        .deleteFrom('invitations')
        .where('digest', '=', digestOf(token))
        .returning('id')
        .executeTakeFirst()
      const { role_id, email, username: inviter } = requireOpen(used && found, ctx.now())
      const { id } = await tx
        .insertInto('users')
        .values({
          ...person,
          email,
          password_hash: hash,
          role_id,
          is_superuser: 0,
          created_at: ctx.now().toISOString(),
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      await audit(tx, {
        caller: { username, source },
        action: 'add',
        object_type: 'user',
        message: `Added the user "${username}" by an invitation of "${inviter}"`,
        after: auditValues(await requireUser(tx, id)),
        at: ctx.now(),
        emit,
      })
      emit({ type: 'user.changed', ids: [id] })
    }),
  )
}

function nameOf({ email, role_name }: InvitationRow): string {
  return `${email === '' ? 'a user' : `"${email}"`} with the role "${role_name}"`
}

function viewInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role_id,
    role_name: row.role_name,
    created_by: row.username,
    created_time: row.created_at,
    expires: row.expires_at,
  }
}
