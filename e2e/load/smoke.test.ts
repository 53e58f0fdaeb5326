import { listAgents } from '@muster/contract/api/agents'
import { sendCommand } from '@muster/contract/api/runs'
import { startFleet } from '@muster/fake-agent/fleet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, openDeployment } from '../support/deployment.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { type Session, signIn } from '../support/sign-in.ts'
import { startServer, type TestServer } from '../support/start-server.ts'

// A small fleet under the load that the budgets name for a large one: what breaks here breaks there.
const MACHINES = 500
const REPORTS_PER_SECOND = 200

let deployment: Deployment
let server: TestServer
let session: Session
let token: string

beforeAll(async () => {
  deployment = await openDeployment()
  server = await startServer({ env: deployment.env })
  session = await signIn(server.url, server.admin)
  token = await makeToken(session, await addClient(session, 'Acme'))
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await deployment[Symbol.asyncDispose]()
})

test('a fleet reports while the API answers, works, and comes back after a restart', async () => {
  using fleet = await startFleet({
    server: server.url,
    token,
    count: MACHINES,
    reportsPerSecond: REPORTS_PER_SECOND,
  })
  await fleet.waitForConnected(MACHINES, 240_000)

  for (let call = 0; call < 50; call++) {
    expect(await session.call(listAgents, { query: {} })).toHaveLength(MACHINES)
  }

  const asked = fleet.machines.filter((machine) => machine.facts().platform === 'linux').slice(0, 50)
  const send = ({ agentId }: { agentId: string }) =>
    session.call(sendCommand, { params: { agent_id: agentId }, body: { shell: 'sh', cmd: 'hostname' } })
  const sent = await Promise.all(asked.map(send))
  expect(sent.map(({ state, stdout }) => ({ state, stdout }))).toEqual(
    asked.map(({ hostname }) => ({ state: 'done', stdout: `${hostname}\n` })),
  )
  // One after the other they share a connection, which keeps nothing of them.
  for (const machine of asked.slice(0, 15)) expect(await send(machine)).toMatchObject({ state: 'done' })
  expect(fleet.counts.refusedCommands).toBe(0)

  await server.restart()
  await fleet.waitForConnected(MACHINES, 240_000)
  expect(fleet.counts.refusals).toBe(0)
  fleet.stop()
  expect(await server.stop()).toBe(0)
  server.expectCleanLog()
})
