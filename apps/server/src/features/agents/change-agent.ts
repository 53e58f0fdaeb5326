import type { Parsed } from '@muster/contract/endpoint'
import type { AvailabilityAlerts, editAgent } from '@muster/contract/api/agents'
import { AppError } from '@muster/contract/errors'
import { type AgentSetting, NUMBER_SETTING_NAMES } from '@muster/rules/policies/policy-merge'
import type { Updateable } from 'kysely'
import type { Context } from '../../context.ts'
import type { AgentsTable } from '../../platform/database/tables/agents.ts'
import { laterThan, lockRow } from '../../platform/database/change-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { setFieldValues } from '../custom-fields/set-values.ts'
import { recordPeriods } from '../maintenance/record-periods.ts'
import { endWindowsOf, switchedByHand } from '../maintenance/switch-by-hand.ts'
import { setAgentTags } from '../tags/set-tags.ts'
import { emitRulesChanged } from '../clients/move-agents.ts'
import { requireNode } from '../clients/require-node.ts'
import { lockMaintenance } from '../maintenance/apply-windows.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { ownAlerts, readSources } from './availability.ts'
import { findNodeAgents, findVisibleSite } from './queries.ts'
import { requireAgent } from './require-agent.ts'

const FLAGS = [
  'overdue_email_alert',
  'overdue_text_alert',
  'overdue_dashboard_alert',
  'maintenance_mode',
] as const

/** Changes the editable fields of a machine. Throws if `modified` is stale because of another save. */
export async function changeAgent(
  ctx: Context,
  caller: Caller,
  agentId: string,
  body: Parsed<typeof editAgent>['body'],
): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await ctx.hooks.changeAssignmentFields({ ctx, tx, emit, caller }, { level: 'agent', id: agentId }, body)
    await lockRow(tx, 'agents', 'agent_id', agentId)
    const agent = await requireAgent(tx, agentId, caller)
    const {
      modified,
      custom_fields,
      alert_template: to,
      availability_alerts,
      policy: _policy,
      block_policy_inheritance: _block,
      own_tags,
      winupdatepolicy,
      ...changes
    } = body
    if (modified !== undefined && modified !== agent.modified) {
      throw new AppError(
        'changed_meanwhile',
        `${agent.hostname} was changed by another user. Reload it and try again.`,
      )
    }
    const overdue = changes.overdue_time ?? agent.overdue_time
    const offline = changes.offline_time ?? agent.offline_time
    if (overdue <= offline) {
      throw new AppError('invalid', 'Overdue must come later than offline.', {
        fields: { overdue_time: [`Enter more than the ${offline} minutes of "offline".`] },
      })
    }
    if (changes.site !== undefined && (await findVisibleSite(tx, changes.site, caller)) === undefined) {
      throw new AppError('not_found', 'This site does not exist, or you may not see it.', {
        fields: { site: ['Choose another site.'] },
      })
    }
    const given: AgentSetting[] = NUMBER_SETTING_NAMES.filter(
      (name) => changes[name] !== undefined && changes[name] !== agent[name],
    )
    const alerts = chooseAlerts()
    if (alerts === 'on' || alerts === 'off') given.push('overdue_dashboard_alert')
    await ctx.hooks.refuseEnforcedSettings(tx, agent, given)
    if (winupdatepolicy !== undefined)
      await ctx.hooks.changeOwnWinUpdate({ ctx, tx, emit, caller }, agent, winupdatepolicy)
    const fields = await setFieldValues(tx, { model: 'agent', id: agentId }, custom_fields)
    const tags = await setAgentTags(tx, agentId, own_tags, ctx.now())
    if (tags !== undefined) emit({ type: 'tag.changed', ids: [] })
    const from = agent.alert_template_id
    const target = { type: 'agent', id: agentId, name: agent.hostname } as const
    await ctx.hooks.assignTemplate({ ctx, tx, emit }, caller, target, { from, to })
    const values = columnsOf({ ...changes, overdue_dashboard_alert: effectiveAlert() })
    await tx
      .updateTable('agents')
      .set({
        ...values,
        ...(await switchMaintenance(values)),
        ...ownSettings(),
        modified: laterThan(agent.modified, ctx.now()),
      })
      .where('agent_id', '=', agentId)
      .execute()
    if (values.maintenance_mode !== undefined) await recordPeriods(tx, [agentId], ctx.now())
    if (changes.check_interval !== undefined) await ctx.hooks.checkIntervalChanged(tx, emit, agentId)
    if (Object.keys(values).length > 0 || (alerts ?? fields ?? tags) !== undefined) {
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'agent',
        message: `Changed the machine "${agent.hostname}"`,
        before: {
          ...Object.fromEntries(
            Object.keys(values).map((key) => [key, new Map(Object.entries(agent)).get(key)]),
          ),
          ...(alerts && { availability_alerts: ownAlerts(agent) }),
          ...(fields && { custom_fields: fields.before }),
          ...(tags && { tags: tags.before }),
        },
        after: {
          ...values,
          ...(alerts && { availability_alerts: alerts }),
          ...(fields && { custom_fields: fields.after }),
          ...(tags && { tags: tags.after }),
        },
        agent,
        emit,
      })
    }
    await ctx.hooks.variablesChanged(tx, emit, { agentIds: [agentId] })
    emit({ type: 'agent.changed', ids: [agentId], agent_ids: [agentId] })
    if (values.site_id !== undefined) emitRulesChanged(emit, [agentId])

    /** The machine's own setting, if it changes. */
    function chooseAlerts(): AvailabilityAlerts | undefined {
      const flag = changes.overdue_dashboard_alert
      const isNew = flag !== undefined && flag !== (agent.overdue_dashboard_alert === 1)
      const choice = availability_alerts ?? (isNew ? (flag ? 'on' : 'off') : undefined)
      return choice === ownAlerts(agent) ? undefined : choice
    }

    /** Undefined = unchanged, or set by its policies or the global default: see applyPolicies in the route. */
    function effectiveAlert(): boolean | undefined {
      return alerts === undefined || alerts === 'default' ? undefined : alerts === 'on'
    }

    /** Settings of the machine override its policies. */
    function ownSettings(): Updateable<AgentsTable> {
      if (given.length === 0 && alerts === undefined) return {}
      const sources = readSources(agent)
      for (const name of given) {
        const own = name === 'overdue_dashboard_alert' ? Number(alerts === 'on') : changes[name]
        sources[name] = { ...sources[name], own }
      }
      if (alerts === 'default') {
        const isGiven = sources.overdue_dashboard_alert?.given === true
        if (isGiven) sources.overdue_dashboard_alert = { given: true }
        else delete sources.overdue_dashboard_alert
      }
      return { setting_sources: JSON.stringify(sources) }
    }

    /** The form always sends the mode. Only a change detaches the machine from its maintenance window. */
    async function switchMaintenance({ maintenance_mode: mode }: Updateable<AgentsTable>) {
      if (mode === undefined || mode === agent.maintenance_mode) return {}
      const now = ctx.now()
      if (mode === 0) await endWindowsOf(tx, emit, { target: { type: 'agent', id: agentId }, now })
      emit({ type: 'maintenance.changed', ids: [] })
      return switchedByHand(mode === 1, now)
    }
  })
}

type OwnChanges = Omit<
  Parsed<typeof editAgent>['body'],
  | 'modified'
  | 'custom_fields'
  | 'alert_template'
  | 'availability_alerts'
  | 'policy'
  | 'block_policy_inheritance'
  | 'own_tags'
  | 'winupdatepolicy'
>

function columnsOf(changes: OwnChanges): Updateable<AgentsTable> {
  const {
    site,
    overdue_email_alert,
    overdue_text_alert,
    overdue_dashboard_alert,
    maintenance_mode,
    ...rest
  } = changes
  const flags = { overdue_email_alert, overdue_text_alert, overdue_dashboard_alert, maintenance_mode }
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  const columns: Updateable<AgentsTable> = Object.fromEntries(given)
  if (site !== undefined) columns.site_id = site
  for (const flag of FLAGS) {
    const value = flags[flag]
    if (value !== undefined) columns[flag] = value ? 1 : 0
  }
  return columns
}

const SLICE = 1000

/** Switches maintenance mode for every visible machine of a client or site. */
export async function setNodeMaintenance(
  ctx: Context,
  caller: Caller,
  order: { type: 'Client' | 'Site'; id: number; action: boolean },
): Promise<{ changed: number }> {
  return ctx.transaction(async (tx, emit) => {
    await lockMaintenance(tx)
    const now = ctx.now()
    await requireNode(tx, order, caller)
    const agents = await findNodeAgents(tx, order, caller)
    const ids = agents.map(({ agent_id }) => agent_id)
    let changed = 0
    for (let from = 0; from < ids.length; from += SLICE) {
      const result = await tx
        .updateTable('agents')
        .set({ ...switchedByHand(order.action, now), modified: now.toISOString() })
        .where('agent_id', 'in', ids.slice(from, from + SLICE))
        .where('maintenance_mode', '=', order.action ? 0 : 1)
        .executeTakeFirst()
      changed += Number(result.numUpdatedRows)
    }
    if (!order.action) {
      const type = order.type === 'Client' ? 'client' : 'site'
      await endWindowsOf(tx, emit, { target: { type, id: order.id }, now })
    }
    if (changed === 0) return { changed }
    await recordPeriods(tx, ids, now)
    await audit(tx, {
      caller,
      action: 'bulk_action',
      object_type: order.type === 'Client' ? 'client' : 'site',
      message: `Switched maintenance mode ${order.action ? 'on' : 'off'} for ${changed} machines`,
      after: { maintenance_mode: order.action, machines: changed },
      ...(order.type === 'Client' ? { client: { id: order.id } } : { site: { id: order.id } }),
      emit,
    })
    emit({ type: 'agent.changed', ids, agent_ids: ids })
    emit({ type: 'maintenance.changed', ids: [] })
    return { changed }
  })
}

/**
 * Deletes a machine with its history and notes, and sends its agent the command to uninstall itself. An offline machine keeps
 * the agent until it is removed by hand; its sign-in is refused.
 */
export async function removeAgent(
  ctx: Context,
  fleet: Fleet,
  caller: Caller,
  agentId: string,
): Promise<{ uninstalled: boolean }> {
  const agent = await requireAgent(ctx.db, agentId, caller)
  const uninstalled = await fleet.sendAgentCommand(agentId, 'uninstall', {
    input: {},
    author: caller.username,
  })
  await ctx.transaction(async (tx, emit) => {
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'agent',
      message: `Removed the machine "${agent.hostname}"`,
      before: { hostname: agent.hostname, client: agent.client_name, site: agent.site_name, uninstalled },
      agent,
      emit,
    })
    await ctx.hooks.removeAgent({ ctx, tx, emit }, agentId)
    await ctx.hooks.publish(ctx, tx, [
      { event: 'machine.removed', source: `machine.removed:${agentId}`, agent_id: agentId, data: {} },
    ])
    await tx.deleteFrom('agents').where('agent_id', '=', agentId).execute()
    emit({ type: 'agent.removed', ids: [agentId], agent_ids: [agentId] })
    // Its alerts are deleted with it.
    emit({ type: 'alert.changed', ids: [] })
  })
  await fleet.endLink(agentId)
  return { uninstalled }
}
