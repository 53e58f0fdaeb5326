import { customFieldDefault } from '@muster/rules/agents/custom-fields'
import {
  findVariables,
  formatFieldValue,
  type Variable,
  type VariableValue,
} from '@muster/rules/agents/script-variables'
import type { Db } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { findAgentsWithSite, type AgentWithSite } from '../agents/queries.ts'
import { readFacts } from '../agents/view.ts'
import { findFields, findValues, readValue, type ValueRow, viewField } from '../custom-fields/queries.ts'
import { type Author, loadKeyUse } from '../keystore/key-use.ts'
import { findKeysByName } from '../keystore/write-key.ts'

/** Opens sealed keys. `undefined` if only a fingerprint is needed: they stay sealed. */
export type OpenKeys = Pick<Secrets, 'decrypt'> | undefined

/** A value, or why the author of a call may not have it. */
export type FindAllowed = (variable: Variable) => (VariableValue & { refusal?: string }) | undefined

/** The values of variables for each of several machines. */
export interface VariableValues {
  valuesOf(agentId: string, shell: string, author: Author): FindAllowed
}

const NO_VALUES: VariableValues = { valuesOf: () => () => undefined }

/** Reads the values of variables in these texts for these machines. Does nothing without variables. */
export async function loadVariables(
  db: Db,
  keys: OpenKeys,
  wanted: { agentIds: readonly string[]; authors: readonly Author[]; texts: readonly string[] },
): Promise<VariableValues> {
  const variables = wanted.texts.flatMap(findVariables)
  if (variables.length === 0) return NO_VALUES
  const global = await findGlobals(db, keys, { variables, authors: wanted.authors })
  const agents = new Map<string, AgentWithSite>()
  if (variables.some(({ scope }) => scope !== 'global')) {
    const ids = [...new Set(wanted.agentIds)]
    for (const agent of ids.length === 0 ? [] : await findAgentsWithSite(db, ids))
      agents.set(agent.agent_id, agent)
  }
  const fields = await loadFields(db, variables, [...agents.values()])
  return {
    valuesOf: (agentId, shell, author) => {
      const agent = agents.get(agentId)
      return ({ scope, name }) => {
        if (scope === 'global') return global(name, author)
        if (scope === 'alert' || agent === undefined) return undefined
        const value = fields(scope, agent, name) ?? propertyOf(scope, agent, name)
        return value === undefined ? undefined : { text: formatFieldValue(value, shell), isSecret: false }
      }
    },
  }
}

/** A client, or one of its sites. */
interface ClientOrSite {
  client_id: number
  client_name: string
  site_id?: number
  site_name?: string
}

/** The values of variables in this text for a client or site. Those of machines, keys and alerts have none. */
export async function loadClientOrSiteVariables(
  db: Db,
  target: ClientOrSite,
  text: string,
): Promise<FindAllowed> {
  const fields = await loadFields(db, findVariables(text), [target])
  return ({ scope, name }) => {
    if (scope !== 'client' && (scope !== 'site' || target.site_id === undefined)) return undefined
    const known = scope === 'client' ? propertiesOfClient(target) : propertiesOfSite(target)
    const value = fields(scope, target, name) ?? (Object.hasOwn(known, name) ? known[name] : undefined)
    return value === undefined ? undefined : { text: formatFieldValue(value, ''), isSecret: false }
  }
}

async function findGlobals(
  db: Db,
  keys: OpenKeys,
  { variables, authors }: { variables: readonly Variable[]; authors: readonly Author[] },
): Promise<(name: string, author: Author) => ReturnType<FindAllowed>> {
  const names = [...new Set(variables.filter(({ scope }) => scope === 'global').map(({ name }) => name))]
  if (names.length === 0) return () => undefined
  const refusalOf = await loadKeyUse(db, authors, names)
  const rows = await findKeysByName(db, names)
  const known = new Map(
    rows.map(({ name, value }) => [
      name,
      { text: keys === undefined ? value : keys.decrypt(value), isSecret: true },
    ]),
  )
  return (name, author) => {
    const refusal = refusalOf(author, name)
    return refusal === undefined ? known.get(name) : { text: '', isSecret: true, refusal }
  }
}

const SCOPES = ['client', 'site', 'agent'] as const
type Scope = (typeof SCOPES)[number]
type Value = string | boolean | string[]

/** A custom field of that name, with its default as fallback. */
async function loadFields(db: Db, variables: readonly Variable[], agents: readonly Owner[]) {
  const names = new Set(variables.map(({ name }) => name))
  const fields = agents.length === 0 ? [] : (await findFields(db)).filter(({ name }) => names.has(name))
  const values: Record<Scope, Map<unknown, ValueRow[]>> = {
    client: new Map(),
    site: new Map(),
    agent: new Map(),
  }
  for (const model of SCOPES) {
    if (!fields.some((field) => field.model === model)) continue
    const owners = [...new Set(agents.map((agent) => ownerOf(model, agent)))].filter((id) => id !== undefined)
    values[model] = Map.groupBy(await findValues(db, model, owners), ({ owner }) => owner)
  }
  return (scope: Scope, agent: Owner, name: string): Value | undefined => {
    const field = fields.find((one) => one.model === scope && one.name === name)
    if (field === undefined) return undefined
    const given = values[scope].get(ownerOf(scope, agent))
    const value = given?.find(({ field_id }) => field_id === field.id)
    return value === undefined ? customFieldDefault(viewField(field)) : readValue(value.value)
  }
}

type Owner = ClientOrSite & { agent_id?: string }

function ownerOf(scope: Scope, agent: Owner): number | string | undefined {
  if (scope === 'agent') return agent.agent_id
  return scope === 'client' ? agent.client_id : agent.site_id
}

/** Properties of the machine, its site and its client, with the names of the API. */
function propertyOf(scope: Scope, agent: AgentWithSite, name: string): Value | undefined {
  const known =
    scope === 'client'
      ? propertiesOfClient(agent)
      : scope === 'site'
        ? propertiesOfSite(agent)
        : propertiesOf(agent)
  return Object.hasOwn(known, name) ? known[name] : undefined
}

const propertiesOfClient = ({ client_id, client_name }: ClientOrSite): Record<string, Value> => ({
  id: `${client_id}`,
  name: client_name,
})

const propertiesOfSite = ({ site_id, site_name = '', client_name }: ClientOrSite): Record<string, Value> => ({
  id: `${site_id}`,
  name: site_name,
  client: client_name,
  'client.name': client_name,
})

function propertiesOf(agent: AgentWithSite): Record<string, Value> {
  const facts = readFacts(agent)
  return {
    agent_id: agent.agent_id,
    hostname: agent.hostname,
    description: agent.description,
    client: agent.client_name,
    'client.name': agent.client_name,
    'site.client.name': agent.client_name,
    site: agent.site_name,
    'site.name': agent.site_name,
    monitoring_type: agent.monitoring_type,
    plat: agent.plat,
    goarch: agent.arch,
    version: agent.version,
    public_ip: agent.public_ip,
    local_ips: (facts?.addresses ?? []).map(({ address }) => address),
    operating_system: [facts?.os_name, facts?.os_version].filter((part) => part).join(' '),
    logged_username: facts?.logged_in_user ?? '',
    time_zone: agent.time_zone ?? facts?.time_zone ?? '',
    serial_number: facts?.serial_number ?? '',
  }
}
