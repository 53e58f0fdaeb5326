import { type Client, listClients } from '@muster/contract/api/clients'
import { type DashInfo, getDashInfo, getVersion } from '@muster/contract/api/system'
import { type Me, getMe } from '@muster/contract/api/users'
import { givenDashInfo, givenMe } from './test-console.tsx'
import { answer, fakeServer } from './test-server.ts'

/** A client with sites by id; nothing is wrong there, and as many machines are at each site as said. */
export function testClient(id: number, name: string, sites: Record<number, string>, machines = 0): Client {
  const state = {
    agent_count: machines,
    maintenance_mode: false,
    maintenance_count: 0,
    failing_checks: { error: false, warning: false },
    block_policy_inheritance: false,
    custom_fields: [],
    tags: [],
    alert_template: null,
    server_policy: null,
    workstation_policy: null,
  }
  const site = (siteId: string, siteName: string) => ({
    ...state,
    id: Number(siteId),
    name: siteName,
    client: id,
    client_name: name,
  })
  return { ...state, id, name, sites: Object.entries(sites).map(([siteId, text]) => site(siteId, text)) }
}

interface GivenFrame {
  me?: Partial<Me>
  info?: Partial<DashInfo>
  version?: string
  clients?: Client[]
}

/** A server that answers what the frame round every screen asks for; what a screen asks is up to its test. */
export function givenFrame({ me, info, version = '0.1.0', clients }: GivenFrame = {}) {
  const server = fakeServer()
  server.on(getMe, () => answer(getMe, givenMe(me)))
  server.on(getVersion, () => answer(getVersion, version))
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo(info)))
  server.on(listClients, () => answer(listClients, clients ?? [testClient(1, 'Acme', { 1: 'Berlin' })]))
  return server
}
