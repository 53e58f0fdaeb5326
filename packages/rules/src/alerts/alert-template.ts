import type { AgentStatus } from '../agents/agent-status.ts'

type Severity = 'info' | 'warning' | 'error'

/** Where a template may be assigned, in order of precedence. Policies assign one at their own assignments. */
export const TEMPLATE_SOURCES = [
  'enforced_policy',
  'agent_policy',
  'agent',
  'search_policy',
  'site_policy',
  'site',
  'client_policy',
  'client',
  'default',
  'default_policy',
] as const
export type TemplateSource = (typeof TEMPLATE_SOURCES)[number]

export interface TemplateExclusions {
  exclude_workstations: boolean
  exclude_servers: boolean
  excluded_sites: readonly number[]
  excluded_clients: readonly number[]
  excluded_agents: readonly string[]
}

export interface TemplateTarget {
  /** Null for a whole site. */
  agentId: string | null
  monitoringType: 'server' | 'workstation' | null
  siteId: number | null
  clientId: number | null
}

export type TemplateOutcome = 'applies' | 'overruled' | 'inactive' | 'excluded'

/** An assigned template; `policy`: the policy that assigns it, if any. */
export interface AssignedTemplate<Template> {
  source: TemplateSource
  policy: number | null
  template: Template
}

export interface TemplateStep<Template> extends AssignedTemplate<Template> {
  outcome: TemplateOutcome
}

type Candidate = TemplateExclusions & { is_active: boolean }

/**
 * Checks assignments from the machine outwards: the first template that is active and does not exclude the machine
 * or site applies. The steps contain the decision about each one. Several of one source keep their order.
 */
export function resolveTemplate<Template extends Candidate>(
  assigned: readonly AssignedTemplate<Template>[],
  target: TemplateTarget,
): { applies: Template | undefined; steps: TemplateStep<Template>[] } {
  let applies: Template | undefined
  const steps: TemplateStep<Template>[] = []
  for (const one of assigned.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const outcome = outcomeOf(one.template, target, applies !== undefined)
    if (outcome === 'applies') applies = one.template
    steps.push({ ...one, outcome })
  }
  return { applies, steps }
}

function rankOf({ source }: { source: TemplateSource }): number {
  return TEMPLATE_SOURCES.indexOf(source)
}

function outcomeOf(template: Candidate, target: TemplateTarget, isFound: boolean): TemplateOutcome {
  if (!template.is_active) return 'inactive'
  if (isExcluded(template, target)) return 'excluded'
  return isFound ? 'overruled' : 'applies'
}

/** Whether the template's exclusions include this machine or site. */
export function isExcluded(exclusions: TemplateExclusions, target: TemplateTarget): boolean {
  const { agentId, monitoringType, siteId, clientId } = target
  return (
    (monitoringType === 'workstation' && exclusions.exclude_workstations) ||
    (monitoringType === 'server' && exclusions.exclude_servers) ||
    (siteId !== null && exclusions.excluded_sites.includes(siteId)) ||
    (clientId !== null && exclusions.excluded_clients.includes(clientId)) ||
    (agentId !== null && exclusions.excluded_agents.includes(agentId))
  )
}

/** true = always, false = never, null = as configured elsewhere. */
type Always = boolean | null

/** The settings of a template for alerts of one kind. */
export interface TemplateChoices {
  email: { always: Always; severities: readonly Severity[]; onResolved: Always }
  text: { always: Always; severities: readonly Severity[]; onResolved: Always }
  dashboard: { always: Always; severities: readonly Severity[] }
  /** Null = as in the channel. */
  repeatMinutes: number | null
  runsActions: boolean
}

/** Field prefixes of alert kinds; availability alerts have no choice of severities. */
type Kind = 'check' | 'task' | 'custom'
type Medium = 'email' | 'text' | 'alert'

type Settings = Record<`${Kind | 'agent'}_always_${Medium}`, Always> &
  Record<`${Kind | 'agent'}_${'email' | 'text'}_on_resolved`, Always> &
  Record<`${Kind}_${'email' | 'text' | 'dashboard'}_alert_severity`, readonly Severity[]> &
  Record<`${Kind | 'agent'}_periodic_alert_minutes`, number | null> &
  Record<`${Kind | 'agent'}_script_actions`, boolean>

/** The settings of a template for this type of alert. */
export function choicesFor(settings: Settings, alertType: Kind | 'availability'): TemplateChoices {
  const kind = alertType === 'availability' ? 'agent' : alertType
  // Availability alerts are always errors.
  const severities = (medium: 'email' | 'text' | 'dashboard') =>
    kind === 'agent' ? [] : settings[`${kind}_${medium}_alert_severity`]
  return {
    email: {
      always: settings[`${kind}_always_email`],
      severities: severities('email'),
      onResolved: settings[`${kind}_email_on_resolved`],
    },
    text: {
      always: settings[`${kind}_always_text`],
      severities: severities('text'),
      onResolved: settings[`${kind}_text_on_resolved`],
    },
    dashboard: { always: settings[`${kind}_always_alert`], severities: severities('dashboard') },
    repeatMinutes: settings[`${kind}_periodic_alert_minutes`],
    runsActions: settings[`${kind}_script_actions`],
  }
}

/** Whether a choice includes this severity; without severities it includes all. */
export function allowsSeverity(choice: { severities: readonly Severity[] }, severity: Severity): boolean {
  return choice.severities.length === 0 || choice.severities.includes(severity)
}

/** Whether an alert is shown in the bell, which is the default. */
export function belongsInBell(choices: TemplateChoices | undefined, severity: Severity): boolean {
  if (choices === undefined) return true
  return choices.dashboard.always !== false && allowsSeverity(choices.dashboard, severity)
}

/** Whether a template enables availability alerts, whatever the machine's own settings say. */
export function alwaysWatches(
  settings: Pick<Settings, `agent_always_${'email' | 'text' | 'alert'}`>,
): boolean {
  const { agent_always_email: email, agent_always_text: text, agent_always_alert: alert } = settings
  return email === true || text === true || alert === true
}

/** Fields of a row of the machines table. */
export interface WatchedMachine {
  status: AgentStatus
  maintenance_mode: boolean
  overdue_dashboard_alert: boolean
  overdue_email_alert: boolean
  overdue_text_alert: boolean
  /** The effective alert template; null = the machine decides. */
  alert_template: {
    always_alert: boolean | null
    always_email: boolean | null
    always_text: boolean | null
  } | null
}

/** Whether an overdue machine raises an alert, by its own settings or its alert template. */
export function hasAvailabilityAlert(machine: Omit<WatchedMachine, 'status' | 'maintenance_mode'>): boolean {
  const { alert_template: template } = machine
  return (
    machine.overdue_dashboard_alert ||
    machine.overdue_email_alert ||
    machine.overdue_text_alert ||
    template?.always_alert === true ||
    template?.always_email === true ||
    template?.always_text === true
  )
}

/** An overdue machine without an alert. Machines in maintenance are excluded. */
export function isUnalerted(machine: WatchedMachine): boolean {
  return machine.status === 'overdue' && !machine.maintenance_mode && !hasAvailabilityAlert(machine)
}
