import type { runUrlAction } from '@muster/contract/api/url-actions'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { describeMissing, fillText } from '@muster/rules/agents/script-variables'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit, type AuditInput } from '../audit/write-audit.ts'
import { requireClient, requireSite } from '../clients/require-node.ts'
import { loadClientOrSiteVariables, loadVariables, type FindAllowed } from '../scripts/load-variables.ts'
import { requireUrlAction } from './write-url-action.ts'

/**
 * Returns the URL of an action for a machine, a site or a client. Values are encoded, so that none adds a parameter or
 * a path. A value at the start is a base address, which must be a web address.
 */
export async function openUrlAction(
  ctx: Context,
  caller: Caller,
  body: Parsed<typeof runUrlAction>['body'],
): Promise<string> {
  const { name, pattern } = await requireUrlAction(ctx.db, body.action)
  const { title, values, about } = await findTarget(ctx, caller, body, pattern)
  const start = /^\{\{[^{}]*\}\}/.exec(pattern)?.[0] ?? ''
  const base = fillText(start, values)
  const rest = fillText(pattern.slice(start.length), (variable) => {
    const value = values(variable)
    return value === undefined ? undefined : { ...value, text: encodeURIComponent(value.text) }
  })
  const problem = describeMissing([...base.missing, ...rest.missing], title)
  const url = base.text.trim() + rest.text
  if (problem !== undefined) throw new AppError('invalid', problem)
  if (start !== '' && !/^https?:\/\//i.test(url))
    throw new AppError('invalid', `${start} of ${title} is not a web address: ${base.text.slice(0, 200)}`)
  if (!URL.canParse(url)) throw new AppError('invalid', `This is not a URL: ${url.slice(0, 200)}`)
  await ctx.transaction((tx, emit) =>
    audit(tx, {
      caller,
      action: 'url_action',
      object_type: 'urlaction',
      message: `Opened the URL action "${name}"`,
      after: { url },
      ...about,
      at: ctx.now(),
      emit,
    }),
  )
  return url
}

interface Target {
  title: string
  values: FindAllowed
  about: Pick<AuditInput, 'agent' | 'site' | 'client'>
}

async function findTarget(
  { db }: Context,
  caller: Caller,
  { agent_id, site, client }: Parsed<typeof runUrlAction>['body'],
  pattern: string,
): Promise<Target> {
  if (agent_id !== undefined) {
    const { hostname } = await requireAgent(db, agent_id, caller)
    const author = caller.userId
    const found = await loadVariables(db, undefined, {
      agentIds: [agent_id],
      authors: [author],
      texts: [pattern],
    })
    return { title: hostname, values: found.valuesOf(agent_id, '', author), about: { agent: { agent_id } } }
  }
  if (site !== undefined) {
    const row = await requireSite(db, site, caller)
    const ofSite = {
      client_id: row.client_id,
      client_name: row.client_name,
      site_id: site,
      site_name: row.name,
    }
    return {
      title: row.name,
      values: await loadClientOrSiteVariables(db, ofSite, pattern),
      about: { site: { id: site } },
    }
  }
  const { id, name } = await requireClient(db, client ?? 0, caller)
  const values = await loadClientOrSiteVariables(db, { client_id: id, client_name: name }, pattern)
  return { title: name, values, about: { client: { id } } }
}
