import { editAgent } from '@muster/contract/api/agents'
import { editRole } from '@muster/contract/api/roles'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import type { TestAgent } from '../agents/test-agent.ts'
import { endOf, nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

test('a role that loses the right ends terminals without a window, too', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  const admin = await server.given.user({ superuser: true })
  using window = await TestWindow.open(server, { ...at, user })
  const { channel, tool } = await nextOpening(agent)
  window.socket.terminate()
  await vi.waitFor(() => expect(endOf(agent, channel)).toMatchObject({ code: 'detached' }))
  const from = agent.frames.length
  const id = Number(user.roleId)
  await server.as(admin).call(editRole, { params: { id }, body: { can_use_terminal: false } })
  expect(await nextEnded(agent, from)).toEqual({ session: tool.session })
})

test('a machine that moves out of scope loses its windows, and terminals without one', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  const admin = await server.given.user({ superuser: true })
  const [own, other] = [
    await server.ctx.db.selectFrom('sites').selectAll().executeTakeFirstOrThrow(),
    await server.given.site(),
  ]
  const row = { role_id: Number(user.roleId), client_id: own.client_id }
  await server.ctx.db.insertInto('role_clients').values(row).execute()
  using left = await TestWindow.open(server, { ...at, user })
  const first = await nextOpening(agent)
  left.socket.terminate()
  await vi.waitFor(() => expect(endOf(agent, first.channel)).toMatchObject({ code: 'detached' }))
  const from = agent.frames.length
  using window = await TestWindow.open(server, { ...at, user })
  const second = await nextOpening(agent, from)
  await vi.waitFor(() => expect(server.app.channels.size).toBe(1))
  const params = { agent_id: at.agentId }
  await server.as(admin).call(editAgent, { params, body: { site: other.id } })
  expect(await window.closed).toEqual({ code: 4000, reason: 'not_found' })
  await vi.waitFor(() => expect(endOf(agent, second.channel)).toMatchObject({ code: 'not_found' }))
  expect(await nextEnded(agent, from)).toEqual({ session: first.tool.session })
})

/** The next session that the machine is asked to end. */
async function nextEnded(agent: TestAgent, from: number): Promise<unknown> {
  for (let index = from; ; index += 1) {
    const { payload } = await agent.nextCommand(index)
    if (payload.name === 'end-session') return payload.input
  }
}
