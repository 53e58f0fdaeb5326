import { existsSync } from 'node:fs'
import { listAgents } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { startFleet } from '@muster/fake-agent/fleet'
import { expect, test, vi } from 'vitest'
import { findPostgres } from '../../tools/test-postgres.ts'
import { findTrouble } from './clean-log.ts'
import { openScaledDeployment } from './deployment.ts'
import { addClient, makeToken } from './seed.ts'
import { signIn, storageStateOf } from './sign-in.ts'
import { startServer } from './start-server.ts'

test.each([
  ['{"level":40,"msg":"slow"}', true],
  ['{"level":50,"msg":"broken"}', true],
  ['{"level":"warn","message":"odd"}', true],
  ['(node:1) Warning: something', true],
  ['null', true],
  ['{"level":30,"msg":"stopping"}', false],
  ['{"level":"info","message":"connected"}', false],
  ['', false],
])('%s in a log is trouble: %s', (line, isTrouble) => {
  expect(findTrouble([line])).toHaveLength(isTrouble ? 1 : 0)
})

test('trouble that was expected is none', () => {
  expect(findTrouble(['{"level":40,"msg":"slow"}'], [/"slow"/])).toEqual([])
})

test('a server keeps address, folder and session over a kill', async () => {
  await using server = await startServer()
  const { url, dataFolder } = server
  const session = await signIn(url, server.admin)
  await addClient(session, 'Acme')
  await server.kill()
  await server.start()
  expect(server.url).toBe(url)
  expect(await session.call(listClients, { query: {} })).toMatchObject([{ name: 'Acme' }])
  expect(storageStateOf(session).origins[0]?.localStorage).toContainEqual({
    name: 'access_token',
    value: session.token,
  })
  await server.stop()
  server.expectCleanLog()
  await server[Symbol.asyncDispose]()
  expect(existsSync(dataFolder)).toBe(false)
})

test('a server that cannot start says why', async () => {
  await expect(startServer({ env: { MUSTER_PORT: 'many' } })).rejects.toThrow('MUSTER_PORT is not valid')
})

// Left out only where there is no PostgreSQL, which `npm test` says and CI refuses.
const scaledTest = findPostgres() === undefined ? [] : ['PostgreSQL and NATS']
test.for(scaledTest)('two servers on %s share machines and sessions', async () => {
  await using deployment = await openScaledDeployment()
  await using one = await startServer({ env: deployment.env })
  await using two = await startServer({ env: { ...deployment.env, MUSTER_DATA: one.dataFolder } })
  const session = await signIn(one.url, one.admin)
  const token = await makeToken(session, await addClient(session, 'Acme'))
  using fleet = await startFleet({ server: two.url, token, count: 3 })
  await fleet.waitForConnected()
  await vi.waitFor(async () => {
    const rows = await session.call(listAgents, { query: {} })
    expect(rows).toHaveLength(3)
    expect(rows.every((row) => 'connected' in row && row.connected)).toBe(true)
  })
})
