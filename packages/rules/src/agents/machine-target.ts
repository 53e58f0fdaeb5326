import { compileSearch } from '../search/machine-search.ts'
import { searchText } from '../search/search-text.ts'
import { parseSearch } from '../search/parse-search.ts'
import { findSearchField, type SearchableMachine } from '../search/search-fields.ts'
import { quoteText, type SearchNode, STABLE_FLAGS } from '../search/search-tree.ts'

/**
 * A search as the target of a policy: the syntax of the machines table, without properties that change all the time.
 */

export type TargetableMachine = Omit<SearchableMachine, keyof typeof CONSTANTS>

/** A machine for policies, without presence and user, which change all the time. */
export interface TargetMachine {
  row: SearchableMachine
  text: string
}

const CONSTANTS = {
  logged_username: '',
  status: 'online',
  connected: true,
  last_seen: null,
  boot_time: null,
  maintenance_mode: false,
  needs_reboot: false,
  has_patches_pending: false,
  pending_actions_count: 0,
  checks: {
    has_failing_checks: false,
    total: 0,
    passing: 0,
    failing: 0,
    warning: 0,
    info: 0,
    old: 0,
    pending: 0,
  },
  disks: [],
  alert_template: null,
  problems: [],
} as const satisfies Partial<SearchableMachine>

/** Why a search cannot be the target of a policy, as a sentence. */
export function findTargetProblem(search: string): string | undefined {
  const { node, error } = parseSearch(search)
  // Their names may change, and the target with them.
  if (/(^|[\s(-])cf\./i.test(search))
    return 'A policy cannot use the name of a custom field. Search for its value.'
  if (error !== undefined) return error.message
  if (node === undefined) return 'Enter a search for the machines.'
  const term = findChanging(node)
  if (term === undefined) return undefined
  return `A policy cannot use "${term}". Its content would change with the state of the machine.`
}

function findChanging(node: SearchNode): string | undefined {
  switch (node.kind) {
    case 'text':
      return undefined
    case 'flag':
      return STABLE_FLAGS.has(node.flag) ? undefined : node.flag
    case 'field':
      return findSearchField(node.field)?.changes === true ? node.field : undefined
    case 'not':
      return findChanging(node.part)
    default:
      return node.parts.map(findChanging).find((term) => term !== undefined)
  }
}

export function targetMachine(machine: TargetableMachine): TargetMachine {
  // Policies keep the rows of many machines, so a row has no more than a search needs.
  const row: SearchableMachine = {
    agent_id: machine.agent_id,
    hostname: machine.hostname,
    client_name: machine.client_name,
    site_name: machine.site_name,
    description: machine.description,
    plat: machine.plat,
    goarch: machine.goarch,
    monitoring_type: machine.monitoring_type,
    version: machine.version,
    operating_system: machine.operating_system,
    public_ip: machine.public_ip,
    local_ips: machine.local_ips,
    cpu_model: machine.cpu_model,
    graphics: machine.graphics,
    make_model: machine.make_model,
    physical_disks: machine.physical_disks,
    serial_number: machine.serial_number,
    ram_bytes: machine.ram_bytes,
    custom_fields: machine.custom_fields,
    tags: machine.tags,
    ...CONSTANTS,
  }
  // The presence is a constant here, so a search for it is useless.
  const text = searchText(row)
    .split('\n')
    .filter((line) => line !== 'online')
    .join('\n')
  return { row, text }
}

export function compileTarget(search: string): (machine: TargetMachine | undefined) => boolean {
  const node = parseSearch(search).node ?? parseAsText(search)
  if (node === undefined) return () => false
  // No term that a policy may use depends on the time or the server.
  const { matches } = compileSearch(node, { nowMs: 0, customFields: [], sets: new Map() })
  return (machine) => machine !== undefined && matches(machine.row, machine.text)
}

/** Policies from before the search language may hold a text that is an error now. Each of its words must match, as then. */
function parseAsText(search: string): SearchNode | undefined {
  const texts = search.split(/\s+/).filter((word) => word !== '')
  return parseSearch(texts.map((text) => `${quoteText(text)}`).join(' ')).node
}
