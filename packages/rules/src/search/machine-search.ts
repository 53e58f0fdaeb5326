import { toPresence } from '../agents/agent-status.ts'
import type { AgentStatus } from '../agents/agent-status.ts'
import { platformName } from '../agents/available-actions.ts'

/** The fields of a row of the machines table that the search needs. */
export type SearchableMachine = {
  hostname: string
  client_name: string
  site_name: string
  description: string
  plat: string
  monitoring_type: string
  logged_username: string
  status: AgentStatus
  connected: boolean
  last_seen: string | null
  maintenance_mode: boolean
  needs_reboot: boolean
  has_patches_pending: boolean
  pending_actions_count: number
  checks: { has_failing_checks: boolean; total: number; old: number; pending: number }
  version: string
  operating_system: string
  public_ip: string
  local_ips: string
  cpu_model: readonly string[]
  graphics: string
  make_model: string
  physical_disks: readonly string[]
  serial_number: string
  custom_fields: readonly { value: unknown }[]
}

/** The `is:` terms, in the order of the help text. */
export const SEARCH_FLAGS = [
  'is:online',
  'is:away',
  'is:offline',
  'is:overdue',
  'is:expired',
  'is:checksfailing',
  'is:checksold',
  'is:noresults',
  'is:patchespending',
  'is:actionspending',
  'is:rebootneeded',
  'is:maintenance',
] as const
export type SearchFlag = (typeof SEARCH_FLAGS)[number]

/** Days without a sign of life after which a machine counts as expired. */
export const EXPIRED_DAYS = 30

export type MachineSearch = {
  /** Lower-case words that must all match. */
  words: string[]
  /** Conditions that must all hold. Of the four availability terms only the last one counts. */
  flags: SearchFlag[]
  /** Unknown `is:` terms, which are also searched as text. */
  unknown: string[]
}

/** Splits a search text into words and `is:` terms. */
export function parseSearch(text: string): MachineSearch {
  const tokens = fold(text).split(/\s+/).filter(Boolean)
  const availability = tokens.findLast((token) => isFlag(token) && AVAILABILITY.has(token))
  const flags = tokens.filter(isFlag).filter((flag) => !AVAILABILITY.has(flag) || flag === availability)
  const words = tokens.filter((token) => !isFlag(token))
  return {
    words: [...new Set(words)],
    flags: [...new Set(flags)],
    unknown: [...new Set(words.filter((word) => word.startsWith('is:')))],
  }
}

/**
 * The searchable text of a row, in lower case. More expensive than a search, so cache it per row object. `shown`
 * adds texts that only the table knows, such as dates in the user's format.
 */
export function searchText(row: SearchableMachine, shown: readonly string[] = []): string {
  // Words contain no white space, so a line break between fields prevents matches across two of them.
  const text = `${row.hostname}
${row.client_name}
${row.site_name}
${row.description}
${row.logged_username}
${platformName(row.plat)}
${row.plat}
${row.monitoring_type}
${toPresence(row.status, row.connected)}
${row.operating_system}
${row.version}
${row.public_ip}
${row.local_ips}
${row.make_model}
${row.serial_number}
${row.graphics}
${row.cpu_model.join('\n')}
${row.physical_disks.join('\n')}
${customFieldText(row.custom_fields.map(({ value }) => value))}
${shown.join('\n')}`
  return fold(text)
}

/**
 * Returns a test for rows, which is called with each row and its `searchText`. Runs for 100,000 rows per key press.
 */
export function compileSearch(
  text: string,
  nowMs: number,
): (row: SearchableMachine, haystack: string) => boolean {
  const { words, flags } = parseSearch(text)
  const expiredFrom = new Date(nowMs - EXPIRED_DAYS * 86_400_000).toISOString()
  const conditions = flags.map((flag) => FLAG_CONDITIONS[flag])
  return (row, haystack) =>
    conditions.every((holds) => holds(row, expiredFrom)) && words.every((word) => haystack.includes(word))
}

const AVAILABILITY: ReadonlySet<SearchFlag> = new Set(['is:online', 'is:away', 'is:offline', 'is:overdue'])

const FLAG_CONDITIONS: Record<SearchFlag, (row: SearchableMachine, expiredFrom: string) => boolean> = {
  'is:online': (row) => row.status === 'online',
  'is:away': (row) => toPresence(row.status, row.connected) === 'away',
  'is:offline': (row) => row.status === 'offline',
  'is:overdue': (row) => row.status === 'overdue',
  // Instants are ISO texts in UTC, which sort by time. Parsing 100,000 of them takes 60 ms.
  'is:expired': (row, expiredFrom) => row.last_seen !== null && row.last_seen <= expiredFrom,
  'is:checksfailing': (row) => row.checks.has_failing_checks,
  'is:checksold': (row) => row.checks.old > 0,
  'is:noresults': ({ checks }) => checks.total > 0 && checks.pending === checks.total,
  'is:patchespending': (row) => row.has_patches_pending,
  'is:actionspending': (row) => row.pending_actions_count > 0,
  'is:rebootneeded': (row) => row.needs_reboot,
  'is:maintenance': (row) => row.maintenance_mode,
}

// Composed and decomposed letters look the same on screen, so they match.
function fold(text: string): string {
  return text.normalize().toLowerCase()
}

function isFlag(token: string): token is SearchFlag {
  return Object.hasOwn(FLAG_CONDITIONS, token)
}

function customFieldText(value: unknown): string {
  if (Array.isArray(value)) return value.map(customFieldText).join('\n')
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}
