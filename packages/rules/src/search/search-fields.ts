import { percentOf, usableSpace } from '../agents/disk-shares.ts'
import type { AgentStatus } from '../agents/agent-status.ts'
import { toPresence } from '../agents/agent-status.ts'
import { platformName } from '../agents/available-actions.ts'
import { CUSTOM_PREFIXES, type CustomFieldOwner, splitCustomName } from './search-tree.ts'

/** The fields of a row of the machines table that the search needs. */
export type SearchableMachine = {
  agent_id: string
  hostname: string
  client_name: string
  site_name: string
  description: string
  plat: string
  goarch: string
  monitoring_type: string
  logged_username: string
  status: AgentStatus
  connected: boolean
  last_seen: string | null
  /** Unix seconds. */
  boot_time: number | null
  maintenance_mode: boolean
  needs_reboot: boolean
  has_patches_pending: boolean
  pending_actions_count: number
  checks: {
    has_failing_checks: boolean
    total: number
    passing: number
    failing: number
    warning: number
    info: number
    old: number
    pending: number
  }
  version: string
  operating_system: string
  public_ip: string
  local_ips: string
  cpu_model: readonly string[]
  graphics: string
  make_model: string
  physical_disks: readonly string[]
  serial_number: string
  /** Bytes; 0 = unknown. */
  ram_bytes: number
  disks: readonly { mount: string; total: number; used: number; free: number }[]
  alert_template: { name: string } | null
  problems: readonly string[]
  custom_fields: readonly { field: number; value: unknown }[]
  tags: readonly string[]
}

/** A value with a unit of its own: bytes, or percent of the whole. */
export interface Share {
  bytes: number
  percent: number
}

/** How values of a field are written and compared. Fields with several values match if one of them does. */
export type FieldValues =
  | { type: 'text'; read?: (row: SearchableMachine) => string | readonly string[] }
  /** One of these names. `read` returns all names that count for the row. */
  | { type: 'choice'; choices: readonly string[]; read?: (row: SearchableMachine) => readonly string[] }
  | {
      type: 'number' | 'percent' | 'size'
      read?: (row: SearchableMachine) => number | null | readonly number[]
    }
  /** A size, or with `%` a share of the whole. */
  | { type: 'share'; read?: (row: SearchableMachine) => readonly Share[] }
  /** Milliseconds since 1970. Compared with an age (`7d`) or a date. */
  | { type: 'age'; read?: (row: SearchableMachine, nowMs: number) => number | null }
  | { type: 'version'; read?: (row: SearchableMachine) => string }
  | { type: 'flag'; read?: (row: SearchableMachine) => boolean }

export type SearchField = FieldValues & {
  name: string
  aliases?: readonly string[]
  /** For suggestions. */
  help: string
  /** Its value changes with the state of a machine, so policies cannot use it. */
  changes?: true
  /** Rows do not have it: the server answers each term with the machines that match. */
  remote?: true
  /** A value may be followed by a version: `software:firefox<130`. */
  takesVersion?: true
  /** A short name: `:` compares the whole text. */
  isWhole?: true
  /** Some values have a name; other values are text. */
  names?: readonly string[]
}

const PROTECTION_STATES = ['on', 'off', 'attention', 'absent', 'unknown'] as const
const GUEST_STATES = ['running', 'paused', 'restarting', 'stopped', 'failed', 'unknown'] as const
const PRESENCES = ['online', 'away', 'offline', 'overdue'] as const
const PATCH_NAMES = [
  'critical',
  'important',
  'moderate',
  'low',
  'security',
  'pending',
  'ignored',
  'unscanned',
] as const
const CHECK_NAMES = [
  'failing',
  'error',
  'warning',
  'info',
  'passing',
  'old',
  'pending',
  'not_measured',
] as const
const ALERT_NAMES = ['open', 'error', 'warning', 'info', 'acknowledged', 'snoozed'] as const

/** Every field of the search. The first ones are the most used. */
export const SEARCH_FIELDS: readonly SearchField[] = [
  { name: 'name', aliases: ['host', 'hostname'], help: 'Name of the machine', type: 'text', read: (row) => row.hostname },
  { name: 'client', help: 'Client', type: 'text', read: (row) => row.client_name },
  { name: 'site', help: 'Site', type: 'text', read: (row) => row.site_name },
  { name: 'description', aliases: ['desc'], help: 'Description', type: 'text', read: (row) => row.description },
  { name: 'tag', aliases: ['tags'], help: 'Tag of the machine or its client', type: 'text', isWhole: true, read: (row) => row.tags },
  { name: 'user', help: 'Current or last user', type: 'text', changes: true, read: (row) => row.logged_username },
  { name: 'status', help: 'Connection', type: 'choice', choices: PRESENCES, changes: true, read: (row) => [toPresence(row.status, row.connected)] },
  { name: 'last_seen', aliases: ['seen'], help: 'Last sign of life', type: 'age', changes: true, read: lastSeen },
  { name: 'boot_time', aliases: ['booted', 'uptime'], help: 'Last start of the system', type: 'age', changes: true, read: (row) => (row.boot_time ? row.boot_time * 1000 : null) },
  { name: 'platform', help: 'Kind of system', type: 'choice', choices: ['windows', 'linux', 'macos'], read: (row) => [platformName(row.plat).toLowerCase()] },
  { name: 'type', help: 'Server or workstation', type: 'choice', choices: ['server', 'workstation'], read: (row) => [row.monitoring_type] },
  { name: 'os', aliases: ['operating_system'], help: 'Operating system and its version', type: 'text', read: (row) => row.operating_system },
  { name: 'os_version', help: 'Version of the operating system', type: 'version', read: (row) => osVersion(row.operating_system) },
  { name: 'version', aliases: ['agent'], help: 'Version of the agent', type: 'version', read: (row) => row.version },
  { name: 'arch', help: 'Processor architecture', type: 'text', read: (row) => row.goarch },
  { name: 'ip', aliases: ['address'], help: 'Public or local address', type: 'text', read: (row) => [row.public_ip, ...localAddresses(row)] },
  { name: 'public_ip', help: 'Public address', type: 'text', read: (row) => row.public_ip },
  { name: 'local_ip', help: 'Local addresses', type: 'text', read: localAddresses },
  { name: 'serial', aliases: ['serial_number'], help: 'Serial number', type: 'text', read: (row) => row.serial_number },
  { name: 'model', aliases: ['make', 'make_model'], help: 'Make and model', type: 'text', read: (row) => row.make_model },
  { name: 'processor', aliases: ['cpu_model'], help: 'Processor model', type: 'text', read: (row) => row.cpu_model },
  { name: 'graphics', aliases: ['gpu'], help: 'Graphics', type: 'text', read: (row) => row.graphics },
  { name: 'mac', aliases: ['mac_address'], help: 'MAC address of a network card', type: 'text', remote: true, changes: true },
  { name: 'disk', aliases: ['physical_disk'], help: 'Physical disks', type: 'text', read: (row) => row.physical_disks },
  { name: 'disk_serial', help: 'Serial number of a physical disk', type: 'text', remote: true, changes: true },
  { name: 'ram', aliases: ['total_ram'], help: 'Installed memory, in whole gigabytes', type: 'size', read: ramSold },
  { name: 'disk_free', aliases: ['free'], help: 'Free space of a volume, as size or share', type: 'share', changes: true, read: (row) => shares(row, 'free') },
  { name: 'disk_used', help: 'Used space of a volume, as size or share', type: 'share', changes: true, read: (row) => shares(row, 'used') },
  { name: 'disk_size', help: 'Size of a volume', type: 'size', changes: true, read: (row) => row.disks.map(({ total }) => total) },
  { name: 'volume', aliases: ['mount'], help: 'Mounts or letters of volumes', type: 'text', changes: true, read: (row) => row.disks.map(({ mount }) => mount) },
  { name: 'file_system', aliases: ['fstype'], help: 'File system of a volume', type: 'text', remote: true, changes: true },
  { name: 'device', help: 'Device of a volume', type: 'text', remote: true, changes: true },
  { name: 'checks', help: 'Number of checks', type: 'number', changes: true, read: (row) => row.checks.total },
  { name: 'checks_failing', aliases: ['failing'], help: 'Number of failing checks', type: 'number', changes: true, read: (row) => row.checks.failing },
  { name: 'checks_warning', help: 'Number of checks with a warning', type: 'number', changes: true, read: (row) => row.checks.warning },
  { name: 'checks_passing', aliases: ['passing'], help: 'Number of passing checks', type: 'number', changes: true, read: (row) => row.checks.passing },
  { name: 'checks_pending', help: 'Number of checks without a result', type: 'number', changes: true, read: (row) => row.checks.pending },
  { name: 'actions', aliases: ['pending_actions'], help: 'Number of pending actions', type: 'number', changes: true, read: (row) => row.pending_actions_count },
  { name: 'needs_reboot', aliases: ['reboot'], help: 'Whether it needs a reboot', type: 'flag', changes: true, read: (row) => row.needs_reboot },
  { name: 'maintenance', help: 'Whether it is in maintenance mode', type: 'flag', changes: true, read: (row) => row.maintenance_mode },
  { name: 'patches', help: 'Whether patches are pending', type: 'flag', changes: true, read: (row) => row.has_patches_pending },
  { name: 'alert_template', aliases: ['template'], help: 'Alert template that applies', type: 'text', changes: true, read: (row) => row.alert_template?.name ?? '' },
  { name: 'problem', help: 'Problems of the agent', type: 'text', changes: true, read: (row) => row.problems },
  { name: 'software', aliases: ['package'], help: 'Installed software, with a version: firefox<130', type: 'text', remote: true, changes: true, takesVersion: true },
  { name: 'check', help: 'failing, or the name of a check', type: 'text', remote: true, changes: true, names: CHECK_NAMES },
  { name: 'failing_check', help: 'Name of a failing check', type: 'text', remote: true, changes: true },
  { name: 'alert', help: 'open, a severity, or the text of an open alert', type: 'text', remote: true, changes: true, names: ALERT_NAMES },
  { name: 'patch', help: 'A severity, or the name of an available patch', type: 'text', remote: true, changes: true, names: PATCH_NAMES },
  { name: 'policy', help: 'Name of a policy that applies', type: 'text', remote: true, changes: true },
  { name: 'cpu', help: 'Processor load now', type: 'percent', remote: true, changes: true },
  { name: 'memory', aliases: ['mem'], help: 'Memory in use now', type: 'percent', remote: true, changes: true },
  { name: 'swap', help: 'Swap in use now', type: 'percent', remote: true, changes: true },
  { name: 'load', help: 'Load average now', type: 'number', remote: true, changes: true },
  { name: 'antivirus', help: 'State of an antivirus', type: 'choice', choices: PROTECTION_STATES, remote: true, changes: true },
  { name: 'firewall', help: 'State of a firewall', type: 'choice', choices: PROTECTION_STATES, remote: true, changes: true },
  { name: 'antivirus_product', help: 'Name of an antivirus', type: 'text', remote: true, changes: true },
  { name: 'firewall_product', help: 'Name of a firewall', type: 'text', remote: true, changes: true },
  { name: 'encryption', help: 'State of disk encryption', type: 'choice', choices: PROTECTION_STATES, remote: true, changes: true },
  { name: 'tpm', help: 'State of the TPM', type: 'choice', choices: PROTECTION_STATES, remote: true, changes: true },
  { name: 'access_control', help: 'State of SELinux, AppArmor or SIP', type: 'choice', choices: PROTECTION_STATES, remote: true, changes: true },
  { name: 'guest', aliases: ['container', 'vm'], help: 'Name or image of a container or virtual machine', type: 'text', remote: true, changes: true },
  { name: 'guest_state', help: 'State of a container or virtual machine', type: 'choice', choices: GUEST_STATES, remote: true, changes: true },
  { name: 'time_zone', aliases: ['timezone'], help: 'Time zone of the machine', type: 'text', remote: true, changes: true },
  { name: 'enrolled', aliases: ['created'], help: 'When the machine was added', type: 'age', remote: true, changes: true },
] // prettier-ignore

const FIELDS = new Map(
  SEARCH_FIELDS.flatMap((field) => [field.name, ...(field.aliases ?? [])].map((name) => [name, field])),
)

/** A field by its name or another name of it, in lower case. */
export function findSearchField(name: string): SearchField | undefined {
  return FIELDS.get(name)
}

/** Whether only the server can answer terms with this field. */
export function isRemoteField(name: string): boolean {
  const model = splitCustomName(name)?.model
  return model === undefined ? findSearchField(name)?.remote === true : model !== 'agent'
}

/** A custom field of machines, or of their clients or sites. */
export interface CustomSearchField {
  id: number
  name: string
  /** Absent: of machines. */
  model?: CustomFieldOwner
  type: 'text' | 'number' | 'single' | 'multiple' | 'checkbox' | 'datetime'
}

/** A custom field as a field of the search. */
export function customField({ id, name, type, model = 'agent' }: CustomSearchField): SearchField {
  const owner = model === 'agent' ? '' : ` of the ${model}`
  const shared = {
    name: `${CUSTOM_PREFIXES[model]}.${name}`,
    help: `Custom field "${name}"${owner}`,
    // Rows have the fields of machines only.
    ...(model === 'agent' ? {} : { remote: true as const }),
  }
  const valueOf = (row: SearchableMachine) => row.custom_fields.find(({ field }) => field === id)?.value
  if (type === 'number') {
    return { ...shared, type: 'number', read: (row) => toNumber(valueOf(row)) }
  }
  if (type === 'checkbox') return { ...shared, type: 'flag', read: (row) => valueOf(row) === true }
  if (type === 'datetime') {
    return { ...shared, type: 'age', read: (row) => toInstant(valueOf(row)) }
  }
  return {
    ...shared,
    type: 'text',
    read: (row) => {
      const value = valueOf(row)
      return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value : ''
    },
  }
}

function toNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN
  return Number.isFinite(number) ? number : null
}

function toInstant(value: unknown): number | null {
  const atMs = typeof value === 'string' ? Date.parse(value) : NaN
  return Number.isNaN(atMs) ? null : atMs
}

/** A connected machine is seen now: the value of its row is the moment at which the row was read. */
function lastSeen({ connected, last_seen }: SearchableMachine, nowMs: number): number | null {
  if (connected) return nowMs
  return last_seen === null ? null : Date.parse(last_seen)
}

const GIB = 1024 ** 3

/** As it is sold: systems report it without the part that is reserved, 7.68 GB of 8. */
function ramSold({ ram_bytes: bytes }: SearchableMachine): number | null {
  if (bytes === 0) return null
  return bytes < GIB ? bytes : Math.round(bytes / GIB) * GIB
}

function shares({ disks }: SearchableMachine, part: 'used' | 'free'): Share[] {
  return disks
    .filter(({ total }) => total > 0)
    .map((disk) => ({ bytes: disk[part], percent: percentOf(disk[part], usableSpace(disk)) }))
}

/** `24.04` of "Ubuntu 24.04", `10.0.22631` of "Windows 11 Pro 10.0.22631". */
function osVersion(system: string): string {
  return system.split(' ').findLast((part) => /^\d/.test(part)) ?? ''
}

function localAddresses({ local_ips }: SearchableMachine): string[] {
  return local_ips === '' ? [] : local_ips.split(', ')
}
