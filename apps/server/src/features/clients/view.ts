import type { Client, Site } from '@muster/contract/api/clients'
import { isInMaintenance } from '@muster/rules/search/tree-order'
import { type ValueRow, viewValue } from '../custom-fields/queries.ts'
import type { SiteSum } from '../../fleet/agent-rows.ts'
import type { FailingRow, SiteStateRow } from './queries.ts'

const byName = new Intl.Collator(undefined, { numeric: true })

export type PolicySlots = Pick<Site, 'server_policy' | 'workstation_policy'>

/** The policies assigned directly to clients and sites. */
export interface NodePolicies {
  ofClient: (id: number) => PolicySlots
  ofSite: (id: number) => PolicySlots
}

/** Data of the rows: machines and failing tasks make sites fail. */
export interface NodeParts {
  sums: Map<number, SiteSum>
  failing: FailingRow[]
  siteValues: ValuesOf
  clientValues: ValuesOf
  /** Names of the tags of clients that have some. */
  tags: Map<number, string[]>
  policies: NodePolicies
}

/** Values of custom fields, of sites or of clients. */
export type ValuesOf = (id: number) => ValueRow[]

/** Sites sorted by name. */
export function viewSites(rows: SiteStateRow[], { sums, failing, siteValues, policies }: NodeParts): Site[] {
  const sitesWith = (severity: FailingRow['alert_severity']) =>
    new Set(failing.filter((row) => row.alert_severity === severity).map(({ site_id }) => site_id))
  const errors = sitesWith('error')
  const warnings = sitesWith('warning')
  return rows
    .map((row) => ({
      id: row.id,
      name: row.name,
      client: row.client_id,
      client_name: row.client_name,
      ...viewCounts(sums.get(row.id)?.machines ?? 0, sums.get(row.id)?.maintenance ?? 0),
      failing_checks: {
        error: errors.has(row.id) || has(sums.get(row.id)?.errors),
        warning: warnings.has(row.id) || has(sums.get(row.id)?.warnings),
      },
      block_policy_inheritance: row.block_policy_inheritance === 1,
      custom_fields: siteValues(row.id).map(viewValue),
      alert_template: row.alert_template_id,
      ...policies.ofSite(row.id),
    }))
    .toSorted((a, b) => byName.compare(a.name, b.name))
}

function viewCounts(agent_count: number, maintenance_count: number) {
  const counts = { agent_count, maintenance_count }
  return { ...counts, maintenance_mode: isInMaintenance(counts) }
}

const has = (count: number | undefined) => count !== undefined && count > 0

/** Clients sorted by name, each with its sites and their sum. */
export function viewClients(rows: SiteStateRow[], parts: NodeParts): Client[] {
  const sitesOf = Map.groupBy(viewSites(rows, parts), (site) => site.client)
  const blocking = new Set(
    rows.filter((row) => row.client_block_policy_inheritance === 1).map((row) => row.client_id),
  )
  const templates = new Map(rows.map((row) => [row.client_id, row.client_alert_template_id]))
  return Array.from(sitesOf, ([id, sites]) => ({
    id,
    // A group of groupBy has at least one member.
    name: sites[0]!.client_name,
    sites,
    tags: parts.tags.get(id) ?? [],
    ...viewCounts(
      sites.reduce((sum, site) => sum + site.agent_count, 0),
      sites.reduce((sum, site) => sum + site.maintenance_count, 0),
    ),
    failing_checks: {
      error: sites.some((site) => site.failing_checks.error),
      warning: sites.some((site) => site.failing_checks.warning),
    },
    block_policy_inheritance: blocking.has(id),
    custom_fields: parts.clientValues(id).map(viewValue),
    alert_template: templates.get(id) ?? null,
    ...parts.policies.ofClient(id),
  })).toSorted((a, b) => byName.compare(a.name, b.name))
}
