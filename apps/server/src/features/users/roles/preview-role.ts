import type { previewRole, RolePreview } from '@muster/contract/api/roles'
import type { Parsed } from '@muster/contract/endpoint'
import {
  NEEDS_ALL_CLIENTS,
  PERMISSION_GROUPS,
  PERMISSION_RISKS,
  PERMISSION_TEXTS,
} from '@muster/contract/permission-texts'
import { type Permission, PERMISSIONS } from '@muster/contract/permissions'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { visibleTo } from '../../../platform/database/visible-to.ts'
import type { Caller, Scope } from '../../../platform/http/caller.ts'
import { refuseUnknown, requireSuperuser } from './write-role.ts'

type UnsavedRole = Parsed<typeof previewRole>['body']

const MAX_NAMES = 10

/** The visible objects, rights and risks of a role. Only for users who may save it. */
export async function describeRole(ctx: Context, caller: Caller, role: UnsavedRole): Promise<RolePreview> {
  requireSuperuser(caller)
  const scope = await readScope(ctx.db, role)
  const isHeld = (permission: Permission) => role.is_superuser === true || role[permission] === true
  const works = (permission: Permission) =>
    isHeld(permission) && (scope.all || !NEEDS_ALL_CLIENTS.includes(permission))
  return {
    machines: { ...(await seeMachines(ctx.db, scope)), may_list: isHeld('can_list_agents') },
    clients: { ...(await seeClients(ctx.db, scope)), may_list: isHeld('can_list_clients') },
    sites: await countSites(ctx.db, scope),
    groups: PERMISSION_GROUPS.map(({ label, permissions }) => ({
      label,
      can: permissions.filter(works).map(viewRight),
      cannot: permissions
        .filter((permission) => !works(permission))
        .map((permission) => ({
          ...viewRight(permission),
          reason: isHeld(permission) ? 'Needs a role that sees all clients.' : null,
        })),
    })),
    risks: PERMISSIONS.filter(works).flatMap((permission) => {
      const text = PERMISSION_RISKS[permission]
      return text === undefined ? [] : { ...viewRight(permission), text }
    }),
    conditions: describeConditions(role),
  }
}

/** As saving would store it, with the same refusals. */
async function readScope(db: Db, role: UnsavedRole): Promise<Scope> {
  const clientIds = [...new Set(role.can_view_clients)]
  const siteIds = [...new Set(role.can_view_sites)]
  await refuseUnknown(db, 'clients', clientIds)
  await refuseUnknown(db, 'sites', siteIds)
  if (role.is_superuser === true || clientIds.length + siteIds.length === 0) return { all: true }
  return { all: false, clientIds, siteIds }
}

async function seeMachines(db: Db, scope: Scope) {
  const machines = db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .where(visibleTo({ scope }))
  const { total } = await machines
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await machines.select('hostname').orderBy('hostname').limit(MAX_NAMES).execute()
  return { total: Number(total), names: rows.map(({ hostname }) => hostname) }
}

async function seeClients(db: Db, scope: Scope) {
  const rows = await db
    .selectFrom('clients')
    .innerJoin('sites', 'sites.client_id', 'clients.id')
    .where(visibleTo({ scope }))
    .select(['clients.id', 'clients.name'])
    .distinct()
    .orderBy('clients.name')
    .execute()
  return { total: rows.length, names: rows.slice(0, MAX_NAMES).map(({ name }) => name) }
}

async function countSites(db: Db, scope: Scope): Promise<number> {
  const { total } = await db
    .selectFrom('sites')
    .where(visibleTo({ scope }))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

function viewRight(permission: Permission) {
  const [label, text] = PERMISSION_TEXTS[permission]
  return { permission, label, text }
}

function describeConditions(role: UnsavedRole): string[] {
  const { approve_jobs_over: limit = null, approve_job_actions: actions = [] } = role
  return [
    ...(role.totp_required === true ? ['Two-factor sign-in is required.'] : []),
    ...(role.require_2fa_for_remote === true
      ? ['Terminal, desktop and registry need a code from the last ten minutes.']
      : []),
    ...(limit === null ? [] : [describeLimit(limit)]),
    ...(actions.length === 0
      ? []
      : [
          `${new Set(actions).size === 1 ? 'One kind of job needs' : `${new Set(actions).size} kinds of jobs need`} another person's approval on any number of machines.`,
        ]),
  ]
}

function describeLimit(machines: number): string {
  if (machines === 0) return "Every job needs another person's approval."
  return `Jobs on more than ${machines} ${machines === 1 ? 'machine' : 'machines'} need another person's approval.`
}
