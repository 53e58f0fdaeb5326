import type { AlertTemplate, TemplateSource } from '@muster/contract/api/alert-templates'
import type { z } from 'zod'

export const SOURCE_LABELS: Record<z.infer<typeof TemplateSource>, string> = {
  enforced_policy: 'Enforced policy',
  agent_policy: 'Policy of the machine',
  agent: 'Machine',
  search_policy: 'Policy of a search',
  site_policy: 'Policy of the site',
  site: 'Site',
  client_policy: 'Policy of the client',
  client: 'Client',
  default: 'Default',
  default_policy: 'Policy of all machines',
}

export const OUTCOME_LABELS = {
  applies: 'applies',
  overruled: 'overridden by the template above',
  inactive: 'off',
  excluded: 'excludes this machine',
} as const

/** A template in a line: `overdue machines, checks; runs "Clean up"; 2 exclusions`. */
export function describeTemplate(template: AlertTemplate): string {
  const exclusions = countExclusions(template)
  const parts = [
    ...(template.action_name === '' ? [] : [`runs ${template.action_name}`]),
    ...(template.resolved_action_name === '' ? [] : [`on resolve ${template.resolved_action_name}`]),
    ...(exclusions === 0 ? [] : [`${exclusions} ${exclusions === 1 ? 'exclusion' : 'exclusions'}`]),
  ]
  return parts.length === 0 ? 'No actions, no exclusions' : capital(parts.join(' · '))
}

function countExclusions(template: AlertTemplate): number {
  const { exclude_servers, exclude_workstations } = template
  const lists = [template.excluded_clients, template.excluded_sites, template.excluded_agents]
  return lists.reduce(
    (sum, { length }) => sum + length,
    Number(exclude_servers) + Number(exclude_workstations),
  )
}

/** `Applied to 3`: number of direct assignments. */
export const appliedLabel = ({ applied_count }: Pick<AlertTemplate, 'applied_count'>): string =>
  `Applied to ${applied_count}`

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
