import type { createRole, editRole, Role } from '@muster/contract/api/roles'
import type { Parsed } from '@muster/contract/endpoint'
import { isTemplateRole } from '@muster/contract/built-in-roles'
import { AppError } from '@muster/contract/errors'
import { JobActionType } from '@muster/contract/fleet-jobs/job-draft'
import { PERMISSIONS } from '@muster/contract/permissions'
import type { Context } from '../../../context.ts'
import { claimName } from '../../../platform/database/claim-name.ts'
import { refuseStale, refuseTaken, requireRow, takenName } from '../../../platform/database/change-row.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { markKeyUsesStale } from '../../keystore/key-use.ts'
import {
  countKnown,
  findRoles,
  hasSuperuser,
  modifiedOf,
  replaceScope,
  type RoleRow,
  viewRole,
  viewRoleContent,
} from './queries.ts'

type RoleChanges = Parsed<typeof editRole>['body']

const ONLY_SUPERUSERS = 'Only superusers may change roles.'
const NOTHING: RoleRow = {
  id: 0,
  name: '',
  is_superuser: 0,
  permissions: '[]',
  totp_required: 0,
  require_2fa_for_remote: 0,
  approve_jobs_over: null,
  approve_job_actions: '[]',
  built_in: null,
  users: [],
  clientIds: [],
  siteIds: [],
}

export function requireSuperuser(caller: Caller): void {
  if (!caller.isSuperuser) throw new AppError('not_allowed', ONLY_SUPERUSERS)
}

function refuseBuiltIn({ name, built_in }: RoleRow, verb: string): void {
  if (built_in !== null)
    throw new AppError(
      'conflict',
      `The role "${name}" is built in and cannot be ${verb}. Copy it to get a role that you can change.`,
    )
}

export async function requireRole(db: Db, id: number): Promise<RoleRow> {
  const [role] = await findRoles(db, id)
  return requireRow(role, 'role')
}

export async function addRole(
  ctx: Context,
  caller: Caller,
  { copy_of, ...body }: Parsed<typeof createRole>['body'],
): Promise<Role> {
  requireSuperuser(caller)
  const taken = takenName('A role', body.name)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const source = copy_of === undefined ? NOTHING : await requireRole(tx, copy_of)
      const can_view_clients = body.can_view_clients ?? source.clientIds
      const can_view_sites = body.can_view_sites ?? source.siteIds
      if (isTemplateRole(source.built_in) && can_view_clients.length + can_view_sites.length === 0) {
        const sentence = `Choose the clients of this copy of "${source.name}".`
        throw new AppError('invalid', sentence, { fields: { can_view_clients: [sentence] } })
      }
      const name = await claimName(tx, { table: 'roles', name: body.name, taken })
      const { id } = await tx
        .insertInto('roles')
        .values(columnsOf(source, { ...body, name }))
        .returning('id')
        .executeTakeFirstOrThrow()
      await saveScope(tx, id, NOTHING, { can_view_clients, can_view_sites })
      const role = await requireRole(tx, id)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'role',
        message: `Added the role "${role.name}"`,
        after: auditValues(role),
        at: ctx.now(),
        emit,
      })
      emit({ type: 'user.changed', ids: [] })
      return viewRole(role)
    }),
  )
}

/** Changes a role for all of its users, unless no superuser would be left. */
export async function changeRole(
  ctx: Context,
  caller: Caller,
  { id, body }: { id: number; body: RoleChanges },
): Promise<Role> {
  requireSuperuser(caller)
  const { modified, ...changes } = body
  const taken = takenName('A role', changes.name ?? '')
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      // Serializes changes of superuser roles.
      await tx
        .updateTable('roles')
        .set((eb) => ({ name: eb.ref('name') }))
        .where((eb) => eb.or([eb('is_superuser', '=', 1), eb('id', '=', id)]))
        .execute()
      const before = await requireRole(tx, id)
      refuseBuiltIn(before, 'changed')
      refuseStale({ name: before.name, modified: modifiedOf(before) }, modified)
      const name = await claimName(tx, { table: 'roles', name: changes.name ?? before.name, taken, before })
      await tx
        .updateTable('roles')
        .set(columnsOf(before, { ...changes, name }))
        .where('id', '=', id)
        .execute()
      await saveScope(tx, id, before, changes)
      const role = await requireRole(tx, id)
      if (modifiedOf(role) === modifiedOf(before)) return viewRole(role)
      if (!(await hasSuperuser(tx)))
        throw new AppError('conflict', 'No superuser would be left. Make another user a superuser first.', {
          fields: { is_superuser: ['The last superusers have this role.'] },
        })
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'role',
        message: `Changed the role "${before.name}"`,
        before: auditValues(before),
        after: auditValues(role),
        at: ctx.now(),
        emit,
      })
      if (role.is_superuser !== before.is_superuser) await markKeyUsesStale(ctx, tx, emit)
      // All users with the role.
      emit({ type: 'user.changed', ids: [] })
      return viewRole(role)
    }),
  )
}

function columnsOf(before: RoleRow, changes: RoleChanges) {
  const was = viewRoleContent(before)
  const is = { ...was, ...changes }
  const actions = changes.approve_job_actions ?? was.approve_job_actions
  return {
    name: changes.name ?? was.name,
    is_superuser: is.is_superuser ? (1 as const) : (0 as const),
    totp_required: is.totp_required ? (1 as const) : (0 as const),
    require_2fa_for_remote: is.require_2fa_for_remote ? (1 as const) : (0 as const),
    approve_jobs_over: is.approve_jobs_over,
    approve_job_actions: JSON.stringify(JobActionType.options.filter((type) => actions.includes(type))),
    permissions: JSON.stringify(PERMISSIONS.filter((permission) => is[permission])),
  }
}

async function saveScope(tx: Db, id: number, before: RoleRow, changes: RoleChanges): Promise<void> {
  const { can_view_clients, can_view_sites } = changes
  if (can_view_clients === undefined && can_view_sites === undefined) return
  const clientIds = [...new Set(can_view_clients ?? before.clientIds)]
  const siteIds = [...new Set(can_view_sites ?? before.siteIds)]
  await refuseUnknown(tx, 'clients', clientIds)
  await refuseUnknown(tx, 'sites', siteIds)
  await replaceScope(tx, id, { clientIds, siteIds })
}

export async function refuseUnknown(
  tx: Db,
  table: 'clients' | 'sites',
  ids: readonly number[],
): Promise<void> {
  if ((await countKnown(tx, table, ids)) === ids.length) return
  const sentence = `One of these ${table} no longer exists.`
  throw new AppError('invalid', sentence, { fields: { [`can_view_${table}`]: [sentence] } })
}

/** For the audit log: only granted permissions. */
function auditValues(row: RoleRow) {
  const {
    name,
    is_superuser,
    totp_required,
    require_2fa_for_remote,
    approve_jobs_over,
    approve_job_actions,
    can_view_clients,
    can_view_sites,
    ...flags
  } = viewRoleContent(row)
  const permissions = PERMISSIONS.filter((permission) => flags[permission])
  return {
    name,
    is_superuser,
    totp_required,
    require_2fa_for_remote,
    approve_jobs_over,
    approve_job_actions,
    can_view_clients,
    can_view_sites,
    permissions,
  }
}

const MAX_NAMED = 5

/** Deletes an unused role. */
export async function removeRole(ctx: Context, caller: Caller, id: number): Promise<void> {
  requireSuperuser(caller)
  await ctx.transaction(async (tx, emit) => {
    const role = await requireRole(tx, id)
    refuseBuiltIn(role, 'deleted')
    if (role.users.length > 0)
      throw new AppError('conflict', `The role "${role.name}" cannot be deleted: ${whoHasIt(role.users)}.`)
    const key = await tx.selectFrom('api_keys').select('name').where('role_id', '=', id).executeTakeFirst()
    if (key !== undefined)
      throw new AppError(
        'conflict',
        `The role "${role.name}" cannot be deleted: the API key "${key.name}" has it.`,
      )
    const provider = await findProviderOfRole(tx, id)
    if (provider !== undefined)
      throw new AppError(
        'conflict',
        `The role "${role.name}" cannot be deleted: the sign-in provider "${provider}" gives it.`,
      )
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'role',
      message: `Deleted the role "${role.name}"`,
      before: auditValues(role),
      at: ctx.now(),
      emit,
    })
    await tx.deleteFrom('roles').where('id', '=', id).execute()
    emit({ type: 'user.changed', ids: [] })
  })
}

async function findProviderOfRole(tx: Db, id: number): Promise<string | undefined> {
  const row = await tx
    .selectFrom('sso_providers')
    .leftJoin('sso_provider_roles', 'sso_provider_roles.provider_id', 'sso_providers.id')
    .where((eb) => eb.or([eb('sso_providers.role_id', '=', id), eb('sso_provider_roles.role_id', '=', id)]))
    .select('sso_providers.name')
    .executeTakeFirst()
  return row?.name
}

function whoHasIt(users: readonly string[]): string {
  const named = users.slice(0, MAX_NAMED).join(', ')
  const rest = users.length - MAX_NAMED
  return `${named}${rest > 0 ? ` and ${rest} more` : ''} ${users.length === 1 ? 'has' : 'have'} it`
}
