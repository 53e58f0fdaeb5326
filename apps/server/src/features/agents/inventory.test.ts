import { listAudit } from '@muster/contract/api/audit'
import { pingAgent, refreshAgent } from '@muster/contract/api/agents'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from './test-agent.ts'

test('an inventory refresh and a ping work while the machine is connected', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  const ada = server.as(await server.given.user({ superuser: true }))
  using agent = await TestAgent.enrol(server, url, site.id, { hostname: 'pc-1' })
  const params = { agent_id: agent.agentId }
  expect((await ada.call(pingAgent, { params })).body).toEqual({ name: 'pc-1', status: 'offline' })
  const away = await ada.call(refreshAgent, { params })
  expect(away).toMatchObject({
    status: 409,
    error: { code: 'agent_offline', detail: 'pc-1 is offline. Try again when it is connected.' },
  })

  await agent.connect()
  expect((await ada.call(pingAgent, { params })).body).toEqual({ name: 'pc-1', status: 'online' })
  const answer = ada.call(refreshAgent, { params })
  await agent.next((frame) => frame.type === 'command' && frame.command.payload.includes('report-facts'), 0)
  agent.report({ kind: 'facts', facts: { graphics: ['Fresh 9000'] } })
  expect((await answer).body).toMatchObject({ hostname: 'pc-1', graphics: 'Fresh 9000' })
  const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
  expect(audit_logs).toContainEqual(
    expect.objectContaining({ message: 'Refreshed the inventory of pc-1', agent_id: agent.agentId }),
  )
})
