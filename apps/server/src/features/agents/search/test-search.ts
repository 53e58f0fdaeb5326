import { searchAgents } from '@muster/contract/api/agent-search'
import { type AgentRow, listAgents } from '@muster/contract/api/agents'
import type { AgentsTable } from '../../../platform/database/tables/agents.ts'
import type { Insertable } from 'kysely'
import type { TestClient } from '../../../testing/test-client.ts'
import type { TestServer } from '../../../testing/test-server.ts'
import { known, reportOf } from '../../software/test-software.ts'
import { storeSoftware } from '../../software/store-software.ts'

/** A machine with packages such as `firefox 128.0`. */
export async function addMachine(
  server: TestServer,
  fields: Partial<Insertable<AgentsTable>>,
  software: readonly string[] = [],
): Promise<string> {
  const { agent_id: agentId } = await server.given.agent(fields)
  const packages = software.map((text) => {
    const [name = '', version = ''] = text.split(' ')
    return known(name, version)
  })
  await server.ctx.transaction((tx, emit) =>
    storeSoftware(tx, emit, {
      reports: [{ agentId, report: reportOf(packages) }],
      now: server.clock.now(),
    }),
  )
  return agentId
}

/** The sorted names of the machines that match. */
export async function namesOf(client: TestClient, search: string, more: object = {}) {
  const rows = (await client.call(listAgents, {})).body as AgentRow[]
  const { ids } = (await client.call(searchAgents, { body: { search, ...more } })).body
  return rows.filter(({ agent_id }) => ids.includes(agent_id)).map(({ hostname }) => hostname).toSorted() // prettier-ignore
}
