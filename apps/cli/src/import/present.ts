import { type Client as ClientRow, listClients } from '@muster/contract/api/clients'
import { type CustomField, listCustomFields } from '@muster/contract/api/custom-fields'
import { type KeyStoreEntry, listKeyStore } from '@muster/contract/api/keystore'
import { getScript, listScripts, type Script } from '@muster/contract/api/scripts'
import { listSnippets, type Snippet } from '@muster/contract/api/snippets'
import { type AgentRow, listAgents } from '@muster/contract/api/agents'
import { listAllNotes, type Note } from '@muster/contract/api/notes'
import { listUsers, type User } from '@muster/contract/api/accounts'
import { type AlertTemplate, listAlertTemplates } from '@muster/contract/api/alert-templates'
import { listPolicies, type Policy } from '@muster/contract/api/policies'
import { listRoles, type Role } from '@muster/contract/api/roles'
import type { Client } from '../client.ts'

/** Things that this server has already. */
export interface Present {
  clients: ClientRow[]
  fields: CustomField[]
  scripts: Script[]
  snippets: Snippet[]
  keys: KeyStoreEntry[]
  templates: AlertTemplate[]
  policies: Policy[]
  roles: Role[]
  users: User[]
  agents: AgentRow[]
  notes: Note[]
}

export async function readPresent(client: Client): Promise<Present> {
  const query = { showCommunityScripts: 'true', showHiddenScripts: 'true' } as const
  return {
    clients: await client.callPatiently(listClients, { query: {} }),
    fields: await client.callPatiently(listCustomFields, { query: {} }),
    scripts: await client.callPatiently(listScripts, { query }),
    snippets: await client.callPatiently(listSnippets, {}),
    keys: await client.callPatiently(listKeyStore, {}),
    templates: await client.callPatiently(listAlertTemplates, {}),
    policies: await client.callPatiently(listPolicies, { query: {} }),
    roles: await client.callPatiently(listRoles, {}),
    users: await client.callPatiently(listUsers, {}),
    // Without `detail=false` the response has whole rows.
    agents: (await client.callPatiently(listAgents, { query: {} })) as AgentRow[],
    notes: await client.callPatiently(listAllNotes, { query: {} }),
  }
}

/** The code of scripts, by id. */
export async function readCode(client: Client, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const bodies = new Map<number, string>()
  for (const id of ids)
    bodies.set(id, (await client.callPatiently(getScript, { params: { id } })).script_body)
  return bodies
}
