import { z } from 'zod'
import { CliError } from '../errors.ts'
import type { Context } from '../output.ts'
import { resolvePath } from '../profiles.ts'
import { finishImport } from './apply.ts'
import { plainNode, planClients } from './plan-clients.ts'
import { planInstallers } from './plan-installers.ts'
import { planMachines } from './plan-machines.ts'
import { readPresent } from './present.ts'
import { readImportFile } from './read-file.ts'
import { nameKey } from '@muster/contract/names'
import { Planner } from './steps.ts'
import type { OldAgent, OldClient } from './tactical.ts'

const Name = z.string().refine((value) => value.trim() !== '', 'A name is missing.')
const Group = z.object({ _id: z.string().startsWith('mesh/'), name: Name })
const Device = z.object({
  _id: z.string().startsWith('node/'),
  name: Name,
  /** The name that the computer has itself. */
  rname: z.string().nullish(),
  meshid: z.string(),
  groupname: z.string().nullish(),
  osdesc: z.string().nullish(),
  desc: z.string().nullish(),
})
type Device = z.infer<typeof Device>

export interface MeshcentralOptions {
  client: string
  apply: boolean
  scripts?: string
}

/** The lists that `meshctrl` writes as JSON: groups become sites of one client, devices machines. */
export async function importMeshcentral(
  context: Context,
  files: readonly string[],
  { client: name, apply, scripts }: MeshcentralOptions,
): Promise<number> {
  const planner = new Planner()
  const { groups, devices } = readLists(planner, files)
  const sites = [...groups.values()].map((group, index) => plainNode(index + 1, group))
  const client: OldClient = { ...plainNode(1, name), sites }
  const agents = devices.flatMap((device) => {
    const group = groups.get(device.meshid)
    if (group !== undefined) return [machineOf(device, name, group)]
    const reason = 'The name of its group is missing: add the list of groups.'
    planner.leaveOut({ kind: 'machine', name: device.name, reason })
    return []
  })
  const present = await readPresent(context.client)
  planClients(planner, [client], present.clients)
  const waiting = planMachines(planner, { clients: [client], fields: [], agents, notes: [] }, present)
  if (scripts !== undefined) planInstallers(planner, resolvePath(scripts), waiting)
  return finishImport(context, planner.steps, apply)
}

/** Names of groups by id, and devices. What is neither is left out. */
function readLists(
  planner: Planner,
  files: readonly string[],
): { groups: Map<string, string>; devices: Device[] } {
  const groups = new Map<string, string>()
  const devices: Device[] = []
  for (const file of files) {
    for (const [index, row] of readList(file).entries()) {
      const group = Group.safeParse(row)
      const device = Device.safeParse(row)
      if (group.success) groups.set(group.data._id, group.data.name)
      else if (device.success) devices.push(device.data)
      else {
        const reason = 'It is no group and no device of MeshCentral.'
        planner.leaveOut({ kind: 'row', name: `${file}, number ${index + 1}`, reason })
      }
    }
  }
  for (const { meshid, groupname } of devices) {
    if (!groups.has(meshid) && (groupname ?? '').trim() !== '') groups.set(meshid, groupname ?? '')
  }
  return { groups, devices }
}

function readList(file: string): unknown[] {
  const text = readImportFile(file)
  let rows: unknown
  try {
    rows = JSON.parse(text)
  } catch {
    throw new CliError(`${file} is no JSON. Write it with: meshctrl listdevices --json`)
  }
  if (!Array.isArray(rows))
    throw new CliError(`${file} is no list. Write it with: meshctrl listdevices --json`)
  return rows
}

/** MeshCentral does not say whether a machine is a server: Windows Server and Linux are taken for one. */
function machineOf(device: Device, client_name: string, site_name: string): OldAgent {
  const system = nameKey(device.osdesc ?? '')
  const plat = system.includes('windows') ? 'windows' : /mac ?os|darwin/.test(system) ? 'darwin' : 'linux'
  const isServer = plat === 'linux' || (plat === 'windows' && system.includes('server'))
  return {
    agent_id: device._id,
    hostname: (device.rname ?? '').trim() === '' ? device.name : (device.rname ?? ''),
    client_name,
    site_name,
    plat,
    monitoring_type: isServer ? 'server' : 'workstation',
    description: device.desc ?? '',
    policy: null,
    block_policy_inheritance: false,
    custom_fields: [],
  }
}
