import type { createClient } from '@muster/contract/api/clients'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import type { CustomFieldPayloads } from '@muster/contract/custom-field-values'
import type { Context } from '../../context.ts'
import { claimName } from '../../platform/database/claim-name.ts'
import type { Db } from '../../platform/database/database.ts'
import { refuseTaken } from '../../platform/database/change-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { setClientTags } from '../tags/set-tags.ts'
import { setFieldValues } from '../custom-fields/set-values.ts'
import { finishSetup, markSetupDone } from './finish-setup.ts'
import {
  countClients,
  deleteClientRow,
  deleteSites,
  insertClient,
  insertSite,
  updateClientName,
} from './queries.ts'
import { requireWholeClient } from './require-node.ts'
import { moveAgents } from './move-agents.ts'
import { refuseMovedMeanwhile, refuseWideningRoles } from './refuse-removal.ts'

type NewClient = Parsed<typeof createClient>['body']

/** Adds a client with its first site. In the first-time setup it also stores the other settings of that page. */
export async function addClient(
  ctx: Context,
  caller: Caller,
  body: NewClient,
): Promise<{ clientId: number; siteId: number }> {
  // Commands on the server machine could read the secrets of every client.
  if (body.monitor_server === true && (body.initialsetup !== true || !caller.isSuperuser)) {
    throw new AppError(
      'not_allowed',
      "Only superusers can add the server's machine, during the first-time setup.",
    )
  }
  if (body.monitor_server === true && ctx.config.hosted) {
    throw new AppError('not_allowed', 'The machine of a hosted server cannot be added.')
  }
  const taken = takenClient(body.client.name)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const isFirst = (await markSetupDone(tx)) && (await countClients(tx)) === 0
      if (body.initialsetup === true) {
        if (!isFirst) throw new AppError('setup_closed', 'The first-time setup is already finished.')
        await finishSetup(tx, caller, body, emit)
      }
      const at = ctx.now()
      const name = await claimName(tx, { table: 'clients', name: body.client.name, taken })
      const { id: clientId } = await insertClient(tx, name, at.toISOString())
      const siteName = await claimName(tx, {
        table: 'sites',
        name: body.site.name,
        taken: { field: 'site.name', sentence: '' },
        within: { client_id: clientId },
      })
      const site = { client_id: clientId, name: siteName, created_at: at.toISOString() }
      const { id: siteId } = await insertSite(tx, site)
      const fields = await setFieldValues(tx, { model: 'client', id: clientId }, body.custom_fields)
      await showToRole(tx, caller, clientId, emit)
      const shared = { caller, action: 'add', at, emit } as const
      const after = { name, sites: [site.name], ...(fields && { custom_fields: fields.after }) }
      const client = { id: clientId, name }
      await audit(tx, {
        ...shared,
        object_type: 'client',
        message: `Added the client "${name}"`,
        after,
        client,
      })
      if (body.monitor_server === true) {
        await audit(tx, {
          ...shared,
          action: 'agent_install',
          object_type: 'site',
          message: `Started enrolling the server's machine at site "${site.name}" of client "${name}"`,
          site: { id: siteId },
        })
      }
      emit({ type: 'client.changed', ids: [clientId] })
      return { clientId, siteId }
    }),
  )
}

const takenClient = (name: string) => ({
  field: 'client.name',
  sentence: `A client named "${name}" already exists.`,
})

/** A limited caller would not see the new client, so the role gets access to it. */
async function showToRole(
  tx: Db,
  caller: Caller,
  clientId: number,
  emit: (event: Event) => void,
): Promise<void> {
  if (caller.scope.all) return
  if (caller.apiKey?.isNarrowed === true)
    throw new AppError('not_allowed', 'An API key with fewer rights than its owner cannot add clients.')
  const user = await tx
    .selectFrom('users')
    .select('role_id')
    .where('id', '=', caller.userId)
    .executeTakeFirst()
  if (user?.role_id == null) return
  await tx.insertInto('role_clients').values({ role_id: user.role_id, client_id: clientId }).execute()
  const colleagues = await tx.selectFrom('users').select('id').where('role_id', '=', user.role_id).execute()
  emit({ type: 'user.changed', ids: colleagues.map(({ id }) => id) })
}

/** Policy fields of a client, a site or a machine. */
export interface AssignmentFields {
  /** For a machine. The other fields are for clients, sites and all machines. */
  policy?: number | null | undefined
  server_policy?: number | null | undefined
  workstation_policy?: number | null | undefined
  block_policy_inheritance?: boolean | undefined
}

interface ClientChange extends AssignmentFields {
  id: number
  name?: string | undefined
  values?: CustomFieldPayloads | undefined
  tags?: string[] | undefined
  alert_template?: number | null | undefined
}

/** Renames a client, or sets its custom fields, policies or alert template. */
export function changeClient(ctx: Context, caller: Caller, change: ClientChange): Promise<void> {
  const { id, alert_template: to } = change
  const taken = takenClient(change.name ?? 'like this one')
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      await ctx.hooks.changeAssignmentFields(
        { ctx, tx, emit, caller },
        { level: 'client', id: `${id}` },
        change,
      )
      const client = await requireWholeClient(tx, id, caller)
      const name = await claimName(tx, {
        table: 'clients',
        name: change.name ?? client.name,
        taken,
        before: client,
      })
      const from = client.alert_template_id
      const target = { type: 'client', id, name: client.name } as const
      const isAssigned = await ctx.hooks.assignTemplate({ ctx, tx, emit }, caller, target, { from, to })
      if (isAssigned) emit({ type: 'client.changed', ids: [id] })
      const fields = await setFieldValues(tx, { model: 'client', id }, change.values)
      const tags = await setClientTags(tx, id, change.tags, ctx.now())
      if (tags !== undefined) emit({ type: 'tag.changed', ids: [] })
      const isRenamed = client.name !== name
      if (!isRenamed && fields === undefined && tags === undefined) return
      if (isRenamed) await updateClientName(tx, id, name)
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'client',
        message: isRenamed
          ? `Renamed the client "${client.name}" to "${name}"`
          : `Changed the ${fields === undefined ? 'tags' : 'custom fields'} of the client "${name}"`,
        before: {
          name: client.name,
          ...(fields && { custom_fields: fields.before }),
          ...(tags && { tags: tags.before }),
        },
        after: {
          name,
          ...(fields && { custom_fields: fields.after }),
          ...(tags && { tags: tags.after }),
        },
        client: { id },
        at: ctx.now(),
        emit,
      })
      await ctx.hooks.variablesChanged(tx, emit, { clientId: id })
      emit({ type: 'client.changed', ids: [id] })
    }),
  )
}

export interface Removal {
  id: number
  /** The new site of its machines. Required if there are any. */
  moveToSite: number | undefined
}

/** Deletes a client with its sites. Its machines move in the same transaction. */
export function removeClient(ctx: Context, caller: Caller, { id, moveToSite }: Removal): Promise<void> {
  return refuseMovedMeanwhile(() =>
    ctx.transaction(async (tx, emit) => {
      const client = await requireWholeClient(tx, id, caller)
      const at = ctx.now()
      const siteIds = client.sites.map((site) => site.id)
      const { moved, target } = await moveAgents(ctx, tx, {
        caller,
        at,
        leaving: client,
        targetSiteId: moveToSite,
        emit,
      })
      await refuseWideningRoles(tx, { clientIds: [id], siteIds })
      await audit(tx, {
        caller,
        action: 'delete',
        object_type: 'client',
        message: `Deleted the client "${client.name}"`,
        before: { name: client.name, sites: client.sites.map((site) => site.name) },
        ...(target === undefined || moved === 0
          ? {}
          : { after: { machines_moved: moved, client: target.client_name, site: target.name } }),
        client: { id },
        at,
        emit,
      })
      await deleteSites(tx, siteIds)
      await deleteClientRow(tx, id)
      emit({ type: 'client.changed', ids: [id, ...(moved > 0 && target ? [target.client_id] : [])] })
    }),
  )
}
