import { searchAgents } from '@muster/contract/api/agent-search'
import {
  type AgentDetail,
  type AgentName,
  type AgentRow,
  getAgent,
  listAgents,
} from '@muster/contract/api/agents'
import { toPresence } from '@muster/rules/agents/agent-status'
import { formatFileSize, formatRelativeTime } from '@muster/rules/text/units'
import type { z } from 'zod'
import type { Client } from './client.ts'
import { CliError } from './errors.ts'
import { type Context, print, printJson, printList } from './output.ts'
import { type Column, formatFields } from './text.ts'

type MachineName = z.infer<typeof AgentName>

const COLUMNS: readonly Column<AgentRow>[] = [
  ['NAME', ({ hostname }) => hostname],
  ['STATUS', ({ status, connected }) => toPresence(status, connected)],
  ['CLIENT', ({ client_name }) => client_name],
  ['SITE', ({ site_name }) => site_name],
  ['SYSTEM', ({ operating_system, plat }) => operating_system || plat],
  ['CHECKS', ({ checks }) => describeChecks(checks)],
  ['LAST SEEN', ({ last_seen }) => formatRelativeTime(last_seen, Date.now())],
  ['ID', ({ agent_id }) => agent_id],
]

export async function listMachines(
  context: Context,
  search: string,
  watchSeconds: number | undefined,
): Promise<void> {
  await printList(context, {
    read: () => findMachines(context.client, search),
    columns: COLUMNS,
    empty: search === '' ? 'No machines.' : 'No machine matches.',
    watchSeconds,
  })
}

export async function showMachine(context: Context, nameOrId: string): Promise<void> {
  const { agent_id } = await requireMachine(context.client, nameOrId)
  const machine = await context.client.call(getAgent, { params: { agent_id } })
  if (context.json) return printJson(machine)
  print(describeMachine(machine))
}

/** In the language of the console's search; empty = all. */
export async function findMachines(client: Client, search: string): Promise<AgentRow[]> {
  const found =
    search === '' ? undefined : new Set((await client.call(searchAgents, { body: { search } })).ids)
  // Without `detail=false` the response has whole rows.
  const rows = (await client.call(listAgents, { query: {} })) as AgentRow[]
  return rows.filter(({ agent_id }) => found?.has(agent_id) ?? true)
}

/** By its id, or by its name, whatever its case. */
export async function requireMachine(client: Client, nameOrId: string): Promise<MachineName> {
  const rows = (await client.call(listAgents, { query: { detail: 'false' } })) as MachineName[]
  const byId = rows.find(({ agent_id }) => agent_id === nameOrId)
  const byName = rows.filter(({ hostname }) => hostname.toLowerCase() === nameOrId.toLowerCase())
  const [found, ...others] = byId === undefined ? byName : [byId]
  if (found === undefined) throw new CliError(`No machine has the name or id "${nameOrId}".`)
  if (others.length === 0) return found
  const ids = byName.map(({ agent_id, client: of, site }) => `${agent_id} (${of}, ${site})`)
  throw new CliError(`${byName.length} machines have this name. Use an id: ${ids.join(', ')}.`)
}

function describeMachine(machine: AgentDetail): string {
  return formatFields({
    Name: machine.hostname,
    Id: machine.agent_id,
    Status: toPresence(machine.status, machine.connected),
    'Last seen': formatRelativeTime(machine.last_seen, Date.now()),
    Client: machine.client_name,
    Site: machine.site_name,
    Type: machine.monitoring_type,
    Description: machine.description,
    System: machine.operating_system || machine.plat,
    Model: machine.make_model,
    Serial: machine.serial_number,
    Processor: machine.cpu_model.join(', '),
    Memory: machine.ram_bytes === 0 ? '' : formatFileSize(machine.ram_bytes),
    Disks: machine.disks
      .map(({ mount, total, free }) => `${mount} ${formatFileSize(free)} of ${formatFileSize(total)} free`)
      .join(', '),
    Addresses: [machine.local_ips, machine.public_ip].filter((text) => text !== '').join(', '),
    User: machine.logged_username,
    'Last boot': formatRelativeTime(machine.boot_time, Date.now()),
    Checks: describeChecks(machine.checks),
    Maintenance: machine.maintenance_mode ? 'on' : '',
    Restart: machine.needs_reboot ? 'needed' : '',
    Tags: machine.tags.join(', '),
    Agent: machine.version,
    Problems: machine.problems.join(' '),
  })
}

function describeChecks({ total, failing, warning, pending }: AgentRow['checks']): string {
  if (total === 0) return ''
  const parts = [
    ...(failing > 0 ? [`${failing} failing`] : []),
    ...(warning > 0 ? [`${warning} warning`] : []),
    ...(pending > 0 ? [`${pending} pending`] : []),
  ]
  return parts.length === 0 ? 'passing' : parts.join(', ')
}
