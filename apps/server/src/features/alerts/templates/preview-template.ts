import type { previewAlertTemplate } from '@muster/contract/api/alert-templates'
import type { Output, Parsed } from '@muster/contract/endpoint'
import {
  alwaysWatches,
  belongsInBell,
  allowsSeverity,
  choicesFor,
  type TemplateChoices,
} from '@muster/rules/alerts/alert-template'
import type { Context } from '../../../context.ts'
import { type Caller, mayDo } from '../../../platform/http/caller.ts'
import { findChannels, type ChannelRow } from '../channels/queries.ts'
import { judgeChannel, quietEnd, repeatMinutes, notifiesEnd } from '../channels/decide-notice.ts'
import { readChannel } from '../channels/plan-notices.ts'
import { recipientsOf } from '../channels/prepare-message.ts'
import { openSettings } from '../channels/seal-settings.ts'
import type { AgentsRow } from '../../agents/queries.ts'
import { requireWholeAgent } from '../../agents/require-agent.ts'
import { isOverdue } from '../overdue.ts'
import { findApprovalStates } from '../../scripts/server-approval.ts'
import { readCoreSettings } from '../../../platform/config/core-settings.ts'
import { nameTargets } from '../escalations/find-targets.ts'
import { findChain, readChain } from '../escalations/queries.ts'
import { nameOfWork, workOf } from './plan-actions.ts'
import { findPolicyNames, findScriptNames } from './queries.ts'
import type { Template } from './stored-template.ts'
import { openTemplateResolver, type TemplateSubject } from './template-resolver.ts'

type Query = Parsed<typeof previewAlertTemplate>['query']
type Answer = Output<typeof previewAlertTemplate>

/** The effects if an alert of this machine opened now. */
export async function previewTemplate(ctx: Context, caller: Caller, query: Query): Promise<Answer> {
  const agent = await requireWholeAgent(ctx, query.agent, caller)
  const book = await openTemplateResolver(ctx.db)
  const { applies, steps } = book.resolve(subjectOf(agent))
  const choices = applies && choicesFor(applies.settings, query.alert_type)
  const names: Record<string, string> = {
    agent: agent.hostname,
    site: agent.site_name,
    client: agent.client_name,
  }
  const policyNames = await findPolicyNames(ctx.db, steps)
  const channels = await findChannels(ctx.db)
  const seesSettings = mayDo(caller, 'can_view_core_settings')
  return {
    agent_id: agent.agent_id,
    hostname: agent.hostname,
    template: applies === undefined ? null : { id: applies.id, name: applies.name },
    chain: steps.map(({ source, policy, template, outcome }) => ({
      source,
      at: (policy === null ? names[source] : policyNames.get(policy)) ?? '',
      policy,
      id: template.id,
      name: template.name,
      outcome,
    })),
    hold: holdOf(agent, query.alert_type, ctx.now()),
    opens: query.alert_type !== 'availability' || isWatched(agent, applies),
    bell: belongsInBell(choices, query.severity),
    channels: channels.map((row) => viewChannel({ ctx, agent, query, applies, choices, seesSettings }, row)),
    escalation: await previewEscalation(ctx, query, applies),
    failure_action: await describe(ctx, applies, choices, 'failure'),
    resolved_action: await describe(ctx, applies, choices, 'resolved'),
  }
}

interface PreviewContext {
  ctx: Context
  agent: AgentsRow
  query: Query
  applies: Template | undefined
  choices: TemplateChoices | undefined
  /** Recipients of channels are visible only with access to the server's settings. */
  seesSettings: boolean
}

function viewChannel(
  { ctx, agent, query, applies, choices, seesSettings }: PreviewContext,
  row: ChannelRow,
): Answer['channels'][number] {
  const channel = readChannel(row)
  const owner = {
    clientId: agent.client_id,
    email: agent.overdue_email_alert === 1,
    text: agent.overdue_text_alert === 1,
  }
  const { notified, reason } = judgeChannel(channel, query, owner, choices)
  const untilMs = notified ? quietEnd(channel.rules, query.severity, ctx.now().getTime()) : undefined
  return {
    id: channel.id,
    name: channel.name,
    kind: channel.kind,
    told: notified,
    reason,
    at: untilMs === undefined ? null : new Date(untilMs).toISOString(),
    recipients:
      notified && seesSettings ? recipientsOf(openSettings(row.settings, ctx.secrets), applies) : [],
    on_resolved: notified && notifiesEnd(channel, choices),
    repeat_minutes: notified ? repeatMinutes(channel.rules, choices) : 0,
  }
}

/** The chain of a template starts with the first notification of an alert that it accepts. */
async function previewEscalation(
  { db, now }: Context,
  { severity }: Query,
  applies: Template | undefined,
): Promise<Answer['escalation']> {
  const { escalation_chain: id, escalation_severities: severities } = applies?.settings ?? {}
  if (id === undefined || id === null || !allowsSeverity({ severities: severities ?? [] }, severity))
    return null
  const stored = await findChain(db, id)
  if (stored === undefined) return null
  const { name: chain, steps, repeat_minutes, repeat_times } = readChain(stored)
  const named = []
  for (const step of steps) {
    const at = new Date(now().getTime() + step.after_minutes * MINUTE_MS)
    named.push({ after_minutes: step.after_minutes, recipients: await nameTargets(db, step, at) })
  }
  return { chain, steps: named, repeat_minutes, repeat_times }
}

const MINUTE_MS = 60_000

/** Check alerts of a machine that is down are held, because its own alert is notified. */
function holdOf(agent: AgentsRow, alertType: Query['alert_type'], now: Date): Answer['hold'] {
  if (agent.maintenance_mode === 1) return 'maintenance'
  return alertType === 'check' && isOverdue(agent, now) ? 'machine_down' : null
}

function isWatched(agent: AgentsRow, applies: Template | undefined): boolean {
  const { overdue_email_alert, overdue_text_alert, overdue_dashboard_alert } = agent
  const ownAlerts = overdue_email_alert + overdue_text_alert + overdue_dashboard_alert
  return ownAlerts > 0 || (applies !== undefined && alwaysWatches(applies.settings))
}

async function describe(
  ctx: Context,
  applies: Template | undefined,
  choices: TemplateChoices | undefined,
  kind: 'failure' | 'resolved',
): Promise<string | null> {
  const work = applies && choices?.runsActions === true ? workOf(applies, kind) : undefined
  if (work === undefined) return null
  if (work.type === 'rest') return `A webhook to ${nameOfWork(work, new Map())}`
  const script = `The script "${nameOfWork(work, await findScriptNames(ctx.db, [work.script]))}"`
  if (work.type === 'script') return `${script} on the machine`
  const { enable_server_scripts: isOn } = await readCoreSettings(ctx.db)
  if (!isOn) return `${script} on the server, where scripts are switched off`
  const isWaiting = (await findApprovalStates(ctx)).get(work.script) === 'waiting'
  return `${script} on the server${isWaiting ? ', changed and waiting for approval' : ''}`
}

function subjectOf(agent: AgentsRow): TemplateSubject {
  return { ...agent, place_id: agent.site_id, agent_template: agent.alert_template_id }
}
