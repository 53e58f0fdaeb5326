import {
  type Client,
  createClient,
  createSite,
  deleteClient,
  deleteSite,
  editClient,
  editSite,
  getClient,
  getSite,
  listClients,
  listSites,
  type Site,
} from '@muster/contract/api/clients'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { findValues } from '../custom-fields/queries.ts'
import { findClientTags } from '../tags/queries.ts'
import type { AgentCache } from '../../fleet/agent-rows.ts'
import { addClient, changeClient, removeClient } from './write-client.ts'
import { addSite, changeSite, removeSite } from './write-site.ts'
import { findFailingSites, findSiteStates, type NodeFilter } from './queries.ts'
import { type ValuesOf, viewClients, viewSites } from './view.ts'

export interface ClientsOptions {
  /** All machines. */
  rows: AgentCache
  /** Enrols the machine of the server at a site. */
  monitorServer?: (site: { siteId: number; username: string }) => Promise<void>
}

export function clientsRoutes(api: Api, ctx: Context, options: ClientsOptions): void {
  const { rows } = options
  route(api, listClients, async ({ caller }) => viewClients(...(await readSites(ctx, rows, caller, {}))))
  route(api, createClient, async ({ body, caller }) => {
    const { clientId, siteId } = await addClient(ctx, caller, body)
    if (body.monitor_server === true) await monitorServer(ctx, options, { siteId, username: caller.username })
    return requireClientView(ctx, rows, SEES_ALL, clientId)
  })
  route(api, getClient, async ({ params, caller }) => requireClientView(ctx, rows, caller, params.id))
  route(api, editClient, async ({ params, body, caller }) => {
    await changeClient(ctx, caller, { id: params.id, ...body.client, values: body.custom_fields })
    return requireClientView(ctx, rows, caller, params.id)
  })
  route(api, deleteClient, async ({ params, query, caller }) => {
    await removeClient(ctx, caller, { id: params.id, moveToSite: query.move_to_site })
    return null
  })
  route(api, listSites, async ({ caller }) => viewSites(...(await readSites(ctx, rows, caller, {}))))
  route(api, createSite, async ({ body, caller }) =>
    requireSiteView(
      ctx,
      rows,
      caller,
      await addSite(ctx, caller, { ...body.site, values: body.custom_fields }),
    ),
  )
  route(api, getSite, async ({ params, caller }) => requireSiteView(ctx, rows, caller, params.id))
  route(api, editSite, async ({ params, body, caller }) => {
    await changeSite(ctx, caller, { id: params.id, ...body.site, values: body.custom_fields })
    return requireSiteView(ctx, rows, caller, params.id)
  })
  route(api, deleteSite, async ({ params, query, caller }) => {
    await removeSite(ctx, caller, { id: params.id, moveToSite: query.move_to_site })
    return null
  })
}

type Viewer = { scope: Scope }
/** The caller has just added the client and still has the old scope. */
const SEES_ALL: Viewer = { scope: { all: true } }

async function readSites(ctx: Context, machines: AgentCache, caller: Viewer, node: NodeFilter) {
  const rows = await findSiteStates(ctx.db, caller, node)
  const failing = await findFailingSites(ctx.db, caller, node)
  const siteValues = await valuesOf(ctx.db, 'site', node.siteId)
  // A single site is shown without its client.
  const policies = await ctx.hooks.findNodePolicies(ctx.db)
  const tags = await findClientTags(ctx.db)
  const clientValues = node.siteId === undefined ? await valuesOf(ctx.db, 'client', node.clientId) : () => []
  return [rows, { sums: await machines.sums(), failing, siteValues, clientValues, tags, policies }] as const
}

async function valuesOf(db: Db, model: 'client' | 'site', id: number | undefined): Promise<ValuesOf> {
  const rows = await findValues(db, model, id === undefined ? undefined : [id])
  const byOwner = Map.groupBy(rows, ({ owner }) => owner)
  return (owner) => byOwner.get(owner) ?? []
}

async function requireClientView(
  ctx: Context,
  rows: AgentCache,
  caller: Viewer,
  clientId: number,
): Promise<Client> {
  const [client] = viewClients(...(await readSites(ctx, rows, caller, { clientId })))
  if (client === undefined) {
    throw new AppError('not_found', 'This client does not exist, or you may not see it.')
  }
  return client
}

async function requireSiteView(
  ctx: Context,
  rows: AgentCache,
  caller: Viewer,
  siteId: number,
): Promise<Site> {
  const [site] = viewSites(...(await readSites(ctx, rows, caller, { siteId })))
  if (site === undefined) throw new AppError('not_found', 'This site does not exist, or you may not see it.')
  return site
}

/** The client exists whatever the outcome: a failure is logged, and the machine can be added by hand. */
async function monitorServer(
  ctx: Context,
  options: ClientsOptions,
  site: { siteId: number; username: string },
): Promise<void> {
  try {
    await options.monitorServer?.(site)
  } catch (error) {
    ctx.log.error({ err: error, site_id: site.siteId }, 'the machine of the server could not be added')
  }
}
