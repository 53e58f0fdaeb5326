import type { AgentRow } from '@muster/contract/api/agents'
import { Registry } from 'prom-client'
import { setImmediate } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { chunk } from '../../samples/queries.ts'

// prom-client keeps a series for each set of labels and writes all of them at once, which stops the process for a
// moment with ten thousand machines. So this file has a small writer of its own.

export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

type Name = 'cpu' | 'memory' | 'swap' | 'load'

/** The measured values of the last minutes, by agent_id. */
type LastValues = Readonly<Record<Name, ReadonlyMap<string, { value: number }>>>

export interface Machines {
  rows: readonly AgentRow[]
  values: LastValues
  /** Unresolved alerts by agent_id; undefined = the caller may not see alerts. */
  alerts: ReadonlyMap<string, number> | undefined
  /** Pending patches by agent_id; undefined = the caller may not see patches. */
  patches: ReadonlyMap<string, number> | undefined
  now: Date
}

type Source = Pick<Context, 'db' | 'now'>

export async function readMachines(
  { db, now }: Source,
  caller: Caller,
  { rows, values }: Pick<Machines, 'rows' | 'values'>,
): Promise<Machines> {
  return {
    rows,
    values,
    alerts: mayDo(caller, 'can_list_alerts') ? await countOpenAlerts(db) : undefined,
    patches: mayDo(caller, 'can_manage_winupdates') ? await findPendingPatches(db) : undefined,
    now: now(),
  }
}

/** Machines per piece: a few milliseconds. Other requests run in between. */
const SLICE = 250

/** Writes one family of series after the other, as the format requires. */
export async function* writeMachines(machines: Machines): AsyncGenerator<string> {
  const slices = chunk(machines.rows, SLICE)
  const labels = new Map<string, string>()
  for (const slice of slices) {
    for (const row of slice) labels.set(row.agent_id, labelsOf(row))
    await setImmediate()
  }
  for (const { name, help, read } of familiesOf(machines)) {
    yield `# HELP muster_machine_${name} ${help}\n# TYPE muster_machine_${name} gauge\n`
    for (const slice of slices) {
      const lines = slice.flatMap((row) => {
        const common = labels.get(row.agent_id) ?? ''
        return read(row).map(({ more = '', value }) => `muster_machine_${name}{${common}${more}} ${value}\n`)
      })
      yield lines.join('')
      await setImmediate()
    }
  }
}

interface Sample {
  /** Labels beside those of the machine, with a leading comma. */
  more?: string
  value: number
}

interface Family {
  name: string
  help: string
  read: (row: AgentRow) => Sample[]
}

function familiesOf({ values, alerts, patches, now }: Machines): Family[] {
  const nowSeconds = now.getTime() / 1000
  const percentOf = (name: Name) => (row: AgentRow) => {
    const value = values[name].get(row.agent_id)?.value
    return one(value === undefined ? undefined : value / 100)
  }
  return [
    {
      name: 'info',
      help: 'Always 1, with the operating system and the version of the agent as labels',
      read: describe,
    },
    { name: 'up', help: '1 if the agent is connected', read: (row) => one(row.connected) },
    {
      name: 'overdue',
      help: '1 if the agent has not connected within its overdue time',
      read: (row) => one(row.status === 'overdue'),
    },
    { name: 'maintenance', help: '1 in maintenance mode', read: (row) => one(row.maintenance_mode) },
    {
      name: 'last_seen_timestamp_seconds',
      help: 'When the agent was last connected',
      read: (row) => one(row.connected ? nowSeconds : secondsOf(row.last_seen)),
    },
    {
      name: 'boot_timestamp_seconds',
      help: 'When the machine started',
      read: (row) => one(row.boot_time),
    },
    { name: 'cpu_ratio', help: 'Processor load, 0 to 1', read: percentOf('cpu') },
    { name: 'memory_ratio', help: 'Memory in use, 0 to 1', read: percentOf('memory') },
    {
      name: 'memory_bytes',
      help: 'Memory of the machine',
      read: (row) => one(row.ram_bytes === 0 ? undefined : row.ram_bytes),
    },
    { name: 'swap_ratio', help: 'Swap or page file in use, 0 to 1', read: percentOf('swap') },
    {
      name: 'load',
      help: 'Load average of the last minute',
      read: (row) => one(values.load.get(row.agent_id)?.value),
    },
    { name: 'disk_size_bytes', help: 'Size of a disk', read: (row) => disksOf(row, 'total') },
    { name: 'disk_used_bytes', help: 'Used space on a disk', read: (row) => disksOf(row, 'used') },
    { name: 'disk_free_bytes', help: 'Free space on a disk', read: (row) => disksOf(row, 'free') },
    { name: 'checks_failing', help: 'Checks that fail', read: (row) => one(row.checks.failing) },
    { name: 'checks_warning', help: 'Checks that warn', read: (row) => one(row.checks.warning) },
    ...countFamily('alerts_open', 'Alerts that are not resolved', alerts, () => 0),
    ...countFamily(
      'patches_pending',
      'Patches that are not installed; absent before the first scan',
      patches,
      () => undefined,
    ),
    {
      name: 'reboot_needed',
      help: '1 if the operating system requires a restart',
      read: (row) => one(row.needs_reboot),
    },
  ]
}

function countFamily(
  name: string,
  help: string,
  counts: ReadonlyMap<string, number> | undefined,
  otherwise: () => number | undefined,
): Family[] {
  if (counts === undefined) return []
  return [{ name, help, read: (row) => one(counts.get(row.agent_id) ?? otherwise()) }]
}

/** A value that is unknown has no sample. */
function one(value: number | boolean | null | undefined): Sample[] {
  const number = Number(value ?? Number.NaN)
  return Number.isFinite(number) ? [{ value: number }] : []
}

function secondsOf(instant: string | null): number | undefined {
  return instant === null ? undefined : Date.parse(instant) / 1000
}

/** Machines may report a mount twice, and a scrape with the same series twice fails. */
function disksOf({ disks }: AgentRow, key: 'total' | 'used' | 'free'): Sample[] {
  const byMount = new Map(disks.map((disk) => [escape(disk.mount), disk[key]]))
  return [...byMount].map(([mount, value]) => ({ more: `,mount="${mount}"`, value }))
}

function describe({ plat, operating_system, version, monitoring_type }: AgentRow): Sample[] {
  const more = `,platform="${escape(plat)}",operating_system="${escape(operating_system)}",agent_version="${escape(version)}",monitoring_type="${monitoring_type}"`
  return [{ more, value: 1 }]
}

function labelsOf({ hostname, client, site, agent_id }: AgentRow): string {
  return `hostname="${escape(hostname)}",client="${escape(client)}",site="${escape(site)}",agent_id="${escape(agent_id)}"`
}

/** Prometheus reads a NUL as the end of the text, and other control characters only confuse its users. */
function escape(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, (char) => (char === '\n' ? char : ' '))
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
}

/** Rows per statement: some milliseconds. */
const ROWS_AT_ONCE = 1000

async function countOpenAlerts(db: Db): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (let after = ''; ;) {
    const rows = await db
      .selectFrom('alerts')
      .select(['open_cause', 'agent_id'])
      .where('open_cause', '>', after)
      .orderBy('open_cause')
      .limit(ROWS_AT_ONCE)
      .execute()
    for (const { agent_id } of rows)
      if (agent_id !== null) found.set(agent_id, (found.get(agent_id) ?? 0) + 1)
    after = rows.at(-1)?.open_cause ?? after
    if (rows.length < ROWS_AT_ONCE) return found
    await setImmediate()
  }
}

async function findPendingPatches(db: Db): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom('machine_patches')
      .innerJoin('agents', 'agents.id', 'machine_patches.agent')
      .select(['agents.id', 'agents.agent_id', 'machine_patches.pending'])
      .where('machine_patches.agent', '>', after)
      .orderBy('machine_patches.agent')
      .limit(ROWS_AT_ONCE)
      .execute()
    for (const { agent_id, pending } of rows) found.set(agent_id, pending)
    after = rows.at(-1)?.id ?? after
    if (rows.length < ROWS_AT_ONCE) return found
    await setImmediate()
  }
}
