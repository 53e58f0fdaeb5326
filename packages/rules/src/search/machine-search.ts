import { toPresence } from '../agents/agent-status.ts'
import type { AgentStatus } from '../agents/agent-status.ts'
import { platformName } from '../agents/platform-name.ts'

/** What the search needs to know of a row of the machines table. */
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

/** The `is:` words, in the order in which a help text lists them. */
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

/** Days without a sign of life from which a machine counts as expired. */
export const EXPIRED_DAYS = 30

export type MachineSearch = {
  /** Lower-cased words that must all occur. */
  words: string[]
  /** Conditions that must all hold; of the four availability words only the last is left. */
  flags: SearchFlag[]
  /** `is:` words that mean nothing; they are searched as text too. */
  unknown: string[]
}

/** Splits the text of the search box into words and `is:` words (SRCH-02 to SRCH-09). */
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
 * Everything of a row that the search looks at, lower-cased (SRCH-01). Costly beside a search, so keep it as long as
 * the row is the same object. `shown` adds what only the table knows, such as dates in the user's format.
 */
export function searchText(row: SearchableMachine, shown: readonly string[] = []): string {
  // Words hold no white space, so a line end between the fields keeps a word from matching across two of them.
  // One template is half the cost of joining a list, which counts at 100,000 rows.
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

/** A test for rows, to be given each row with its `searchText`; made for 100,000 rows per key press. */
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
  // Instants are ISO texts in UTC, whose order is that of time; reading 100,000 of them as dates takes 60 ms.
  'is:expired': (row, expiredFrom) => row.last_seen !== null && row.last_seen <= expiredFrom,
  'is:checksfailing': (row) => row.checks.has_failing_checks,
  'is:checksold': (row) => row.checks.old > 0,
  'is:noresults': ({ checks }) => checks.total > 0 && checks.pending === checks.total,
  'is:patchespending': (row) => row.has_patches_pending,
  'is:actionspending': (row) => row.pending_actions_count > 0,
  'is:rebootneeded': (row) => row.needs_reboot,
  'is:maintenance': (row) => row.maintenance_mode,
}

// Composed and decomposed letters look the same on screen, so they are the same here.
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
