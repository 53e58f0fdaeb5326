import type { AlertTemplate, getRelatedToTemplate } from '@muster/contract/api/alert-templates'
import type { ServerApproval } from '@muster/contract/api/scripts'
import type { Output } from '@muster/contract/endpoint'
import type { findAssigned, TemplateRow } from './queries.ts'
import { formOf, maskRest } from './stored-template.ts'

/** A policy that names an alert template. */
export interface NamingPolicy {
  id: number
  name: string
  alert_template_id: number | null
}

export type Assigned = Awaited<ReturnType<typeof findAssigned>> & {
  policies: NamingPolicy[]
}

export interface Surroundings {
  defaultId: number | null
  assigned: Assigned
  scripts: ReadonlyMap<number, string>
  approvals: ReadonlyMap<number, ServerApproval>
}

export function viewTemplate(row: TemplateRow, around: Surroundings): AlertTemplate {
  const form = formOf(row, maskRest)
  const { policies, clients, sites, agents, default_template } = viewRelated(row.id, around)
  return {
    ...form,
    id: row.id,
    action_name: nameOf(form.action, form.action_rest, around),
    resolved_action_name: nameOf(form.resolved_action, form.resolved_action_rest, around),
    action_approval: approvalOf(form.action, form.action_type, around),
    resolved_action_approval: approvalOf(form.resolved_action, form.resolved_action_type, around),
    default_template,
    applied_count: policies.length + clients.length + sites.length + agents.length,
    modified: row.modified,
  }
}

export function viewRelated(
  id: number,
  { assigned, defaultId }: Pick<Surroundings, 'assigned' | 'defaultId'>,
): Output<typeof getRelatedToTemplate> {
  const isHere = ({ alert_template_id }: { alert_template_id: number | null }) => alert_template_id === id
  return {
    default_template: defaultId === id,
    policies: assigned.policies.filter(isHere).map(({ id: policy, name }) => ({ id: policy, name })),
    clients: assigned.clients.filter(isHere).map((client) => ({ id: client.id, name: client.name })),
    sites: assigned.sites
      .filter(isHere)
      .map((site) => ({ id: site.id, name: site.name, client_name: site.client_name })),
    agents: assigned.agents.filter(isHere).map((agent) => ({
      agent_id: agent.agent_id,
      hostname: agent.hostname,
      site_name: agent.site_name,
    })),
  }
}

function approvalOf(
  script: number | null,
  type: AlertTemplate['action_type'],
  { approvals }: Pick<Surroundings, 'approvals'>,
): ServerApproval | null {
  return script === null || type !== 'server' ? null : (approvals.get(script) ?? null)
}

function nameOf(
  script: number | null,
  rest: { url: string } | null,
  { scripts }: Pick<Surroundings, 'scripts'>,
): string {
  if (script !== null) return scripts.get(script) ?? 'Deleted script'
  return rest === null ? '' : new URL(rest.url).host
}
