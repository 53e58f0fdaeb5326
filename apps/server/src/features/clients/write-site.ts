import type { CustomFieldPayloads } from '@muster/contract/custom-field-values'
import type { Context } from '../../context.ts'
import { claimName, refuseLikeName } from '../../platform/database/claim-name.ts'
import { refuseTaken } from '../../platform/database/change-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { setFieldValues } from '../custom-fields/set-values.ts'
import { deleteSites, insertSite, lockClient, updateSite } from './queries.ts'
import { type ClientWithSites, requireSite, requireWholeClient } from './require-node.ts'
import { emitAgentsChanged, emitRulesChanged, findAgentIds, moveAgents } from './move-agents.ts'
import { refuseLastSite, refuseMovedMeanwhile, refuseWideningRoles } from './refuse-removal.ts'
import type { AssignmentFields, Removal } from './write-client.ts'

export function addSite(
  ctx: Context,
  caller: Caller,
  {
    client: clientId,
    name: wanted,
    values,
  }: { client: number; name: string; values?: CustomFieldPayloads | undefined },
): Promise<number> {
  const sentence = `The client already has a site named "${wanted}".`
  const taken = { field: 'site.name', sentence }
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const client = await requireWholeClient(tx, clientId, caller)
      const at = ctx.now()
      const name = await claimName(tx, {
        table: 'sites',
        name: wanted,
        taken,
        within: { client_id: clientId },
      })
      const { id } = await insertSite(tx, { client_id: clientId, name, created_at: at.toISOString() })
      const fields = await setFieldValues(tx, { model: 'site', id }, values)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'site',
        message: `Added the site "${name}" to "${client.name}"`,
        after: { name, client: client.name, ...(fields && { custom_fields: fields.after }) },
        site: { id },
        at,
        emit,
      })
      emit({ type: 'client.changed', ids: [clientId] })
      return id
    }),
  )
}

interface SiteChange extends AssignmentFields {
  id: number
  name?: string | undefined
  client?: number | undefined
  values?: CustomFieldPayloads | undefined
  alert_template?: number | null | undefined
}

/**
 * Renames a site, moves it with its machines to another client, or sets its custom fields, policies or alert template.
 */
export function changeSite(ctx: Context, caller: Caller, change: SiteChange): Promise<void> {
  const sentence = `The client already has a site named "${change.name ?? 'like this one'}".`
  const taken = { field: 'site.name', sentence }
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      await ctx.hooks.changeAssignmentFields(
        { ctx, tx, emit, caller },
        { level: 'site', id: `${change.id}` },
        change,
      )
      const site = await requireSite(tx, change.id, caller)
      const clientId = change.client ?? site.client_id
      const claim = {
        table: 'sites',
        name: change.name ?? site.name,
        taken,
        before: site,
        within: { client_id: clientId },
      } as const
      const name = await claimName(tx, claim)
      const isAssigned = await ctx.hooks.assignTemplate(
        { ctx, tx, emit },
        caller,
        { type: 'site', id: site.id, name: site.name },
        { from: site.alert_template_id, to: change.alert_template },
      )
      if (isAssigned) emit({ type: 'client.changed', ids: [site.client_id] })
      const fields = await setFieldValues(tx, { model: 'site', id: site.id }, change.values)
      const isMoved = clientId !== site.client_id
      if (name === site.name && !isMoved && fields === undefined) return
      let target: Pick<ClientWithSites, 'name'> = { name: site.client_name }
      if (isMoved) {
        target = await requireWholeClient(tx, clientId, caller)
        await lockClient(tx, site.client_id)
        await refuseLastSite(tx, site)
        await refuseLikeName(tx, { ...claim, name })
      }
      await updateSite(tx, site.id, { name, client_id: clientId })
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'site',
        message: isMoved
          ? `Moved the site "${name}" from "${site.client_name}" to "${target.name}"`
          : name === site.name
            ? `Changed the custom fields of the site "${name}"`
            : `Renamed the site "${site.name}" to "${name}"`,
        before: {
          name: site.name,
          client: site.client_name,
          ...(fields && { custom_fields: fields.before }),
        },
        after: { name, client: target.name, ...(fields && { custom_fields: fields.after }) },
        site: { id: site.id },
        at: ctx.now(),
        emit,
      })
      await ctx.hooks.variablesChanged(tx, emit, { siteId: site.id })
      emit({ type: 'client.changed', ids: [...new Set([site.client_id, clientId])] })
      if (!isMoved) return
      const agentIds = await findAgentIds(tx, [site.id])
      emitAgentsChanged(emit, agentIds)
      emitRulesChanged(emit, agentIds)
    }),
  )
}

/** Deletes a site, unless it is the last of its client. Its machines move in the same transaction. */
export function removeSite(ctx: Context, caller: Caller, { id, moveToSite }: Removal): Promise<void> {
  return refuseMovedMeanwhile(() =>
    ctx.transaction(async (tx, emit) => {
      const site = await requireSite(tx, id, caller)
      await lockClient(tx, site.client_id)
      await refuseLastSite(tx, site)
      const at = ctx.now()
      const leaving = { name: site.name, sites: [site] }
      const { moved, target } = await moveAgents(ctx, tx, {
        caller,
        at,
        leaving,
        targetSiteId: moveToSite,
        emit,
      })
      await refuseWideningRoles(tx, { clientIds: [], siteIds: [id] })
      await audit(tx, {
        caller,
        action: 'delete',
        object_type: 'site',
        message: `Deleted the site "${site.name}" of "${site.client_name}"`,
        before: { name: site.name, client: site.client_name },
        ...(target === undefined || moved === 0
          ? {}
          : { after: { machines_moved: moved, client: target.client_name, site: target.name } }),
        site: { id },
        at,
        emit,
      })
      await deleteSites(tx, [id])
      const changed = new Set([site.client_id, ...(moved > 0 && target ? [target.client_id] : [])])
      emit({ type: 'client.changed', ids: [...changed] })
    }),
  )
}
