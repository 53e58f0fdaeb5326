import { type AgentRow, editAgent } from '@muster/contract/api/agents'
import type { CustomField } from '@muster/contract/api/custom-fields'
import { createNote, type Note } from '@muster/contract/api/notes'
import { type FieldContext, planValues, siteKey } from './plan-clients.ts'
import { policyKey } from './plan-policies.ts'
import { nameKey } from '@muster/contract/names'
import { type IdOf, type Planner } from './steps.ts'
import type { OldAgent, OldData, OldNote } from './tactical.ts'

const KIND = 'machine'
const MAX_DESCRIPTION = 255

type OldMachines = Pick<OldData, 'agents' | 'notes' | 'clients' | 'fields'>

interface PresentMachines {
  agents: readonly AgentRow[]
  notes: readonly Note[]
  fields: readonly CustomField[]
}

/** Machines of one kind at one site, which an installer can enrol. */
export interface WaitingGroup {
  client: string
  site: string
  siteId: number
  plat: OldAgent['plat']
  monitoring_type: OldAgent['monitoring_type']
  machines: number
}

/**
 * A machine exists here once its agent has enrolled. Then it is found by its name within its client and site. Returns the
 * machines that have not enrolled.
 */
export function planMachines(planner: Planner, data: OldMachines, present: PresentMachines): WaitingGroup[] {
  const groups = new Map<string, WaitingGroup>()
  const fields: FieldContext = { planner, fields: data.fields, presentFields: present.fields }
  const olds = Map.groupBy(data.agents, locationOf)
  const heres = Map.groupBy(present.agents, locationOf)
  for (const old of data.agents) {
    const name = `${old.client_name} / ${old.site_name} / ${old.hostname}`
    const site = findSite(data, old)
    if (site === undefined || !planner.has(siteKey(site.id))) {
      planner.leaveOut({ kind: KIND, name, reason: 'Its site is left out.' })
      continue
    }
    const twins = olds.get(locationOf(old))?.length ?? 0
    const [here, ...others] = heres.get(locationOf(old)) ?? []
    if (twins > 1 || others.length > 0) {
      const reason = `${Math.max(twins, others.length + 1)} machines of this site have this name. Copy notes and fields by hand.`
      planner.byHand({ kind: KIND, name, reason })
      continue
    }
    if (here !== undefined) {
      planMachine(fields, { name, old, here, notes: notesOf(data.notes, old), present: present.notes })
      continue
    }
    const elsewhere = present.agents.find(({ hostname }) => nameKey(hostname) === nameKey(old.hostname))
    const hint =
      elsewhere === undefined
        ? ''
        : ` "${elsewhere.client_name} / ${elsewhere.site_name}" has a machine with this name.`
    planner.byHand({
      kind: KIND,
      name,
      reason: `Not enrolled: install the agent, then repeat the import.${hint}`,
    })
    const { plat, monitoring_type } = old
    const key = [site.id, plat, monitoring_type].join(' ')
    const group = groups.get(key)
    if (group === undefined) {
      const where = { client: old.client_name, site: old.site_name, siteId: site.id }
      groups.set(key, { ...where, plat, monitoring_type, machines: 1 })
    } else group.machines += 1
  }
  return [...groups.values()]
}

interface Machine {
  name: string
  old: OldAgent
  here: AgentRow
  /** As they are written here. */
  notes: readonly string[]
  present: readonly Note[]
}

/** Only what is empty here is filled. */
function planMachine(context: FieldContext, { name, old, here, notes, present }: Machine): void {
  const { planner } = context
  const { agent_id } = here
  const step = { kind: KIND, name }
  const { values, kept } = planValues(context, step, { olds: old.custom_fields, here: here.custom_fields })
  const description = here.description === '' ? old.description.trim().slice(0, MAX_DESCRIPTION) : ''
  const policy =
    here.policy === null && old.policy !== null && planner.has(policyKey(old.policy)) ? old.policy : null
  const block = old.block_policy_inheritance && !here.block_policy_inheritance
  const stored = new Set(present.filter((note) => note.agent_id === agent_id).map(({ note }) => note))
  const missing = notes.filter((text) => !stored.has(text))
  const what = [
    description === '' ? '' : description === old.description.trim() ? 'description' : 'description, cut',
    values.length === 0 ? '' : `${values.length} custom ${values.length === 1 ? 'field' : 'fields'}`,
    policy === null ? '' : 'policy',
    block ? 'inherits no policies' : '',
    missing.length === 0 ? '' : `${missing.length} ${missing.length === 1 ? 'note' : 'notes'}`,
  ].filter(Boolean)
  if (what.length === 0) {
    planner.exists({ ...step, reason: kept > 0 ? 'Its fields are filled here.' : '' }, [])
    return
  }
  const body = (idOf: IdOf) => ({
    ...(description === '' ? {} : { description }),
    ...(policy === null ? {} : { policy: idOf(policyKey(policy)) }),
    ...(block ? { block_policy_inheritance: true } : {}),
    custom_fields: values.map((value) => value(idOf)),
  })
  const hasChanges = what.length > (missing.length === 0 ? 0 : 1)
  planner.change({
    ...step,
    reason: `${what.join(', ')}.`,
    schema: editAgent.body,
    body,
    call: async (client, idOf) => {
      if (hasChanges) await client.callToEnd(editAgent, { params: { agent_id }, body: body(idOf) })
      for (const note of missing) await client.callToEnd(createNote, { body: { agent_id, note } })
    },
  })
}

/** Notes with their author and time there, the oldest first. */
function notesOf(notes: readonly OldNote[], { agent_id }: OldAgent): string[] {
  const own = notes.filter((note) => note.agent_id === agent_id && note.note.trim() !== '')
  const ordered = own.toSorted((a, b) => (a.entry_time < b.entry_time ? -1 : 1))
  const texts = ordered.map(({ note, username, entry_time }) => {
    const source = [username, entry_time.slice(0, 10)].filter((text) => text !== '').join(', ')
    return source === '' ? note.trim() : `${note.trim()}\n\n(${source})`
  })
  return [...new Set(texts)]
}

function findSite({ clients }: OldMachines, { client_name, site_name }: OldAgent) {
  return clients.find(({ name }) => name === client_name)?.sites.find(({ name }) => name === site_name)
}

function locationOf(machine: { client_name: string; site_name: string; hostname: string }): string {
  return JSON.stringify(
    [machine.client_name, machine.site_name, machine.hostname].map((name) => nameKey(name)),
  )
}
