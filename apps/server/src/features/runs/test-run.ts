import { getHistory, sendCommand } from '@muster/contract/api/runs'
import type { Report } from '@muster/contract/agent/link'
import { expect, vi } from 'vitest'
import type { TestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

export const bash = { shell: 'bash' as const, cmd: 'uptime' }
export const at = () => new Date().toISOString()
export const result = (
  history_id: number,
  more: Partial<Extract<Report, { kind: 'result' }>> = {},
): Report => ({
  kind: 'result',
  history_id,
  at: at(),
  outcome: 'exited',
  reason: null,
  retcode: 0,
  execution_time: 0.5,
  output_cut_bytes: 0,
  ...more,
})

export async function startRuns(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site()
  const ada = await server.given.user({ superuser: true, username: 'ada' })
  const agent = await TestAgent.enrol(server, url, site.id)
  const params = { agent_id: agent.agentId }
  const send = async (more: object = {}) =>
    (await server.as(ada).call(sendCommand, { params, body: { ...bash, wait: false, ...more } })).body
  const look = async (id: number) => (await server.as(ada).call(getHistory, { params: { id } })).body
  const until = (id: number, state: string) =>
    vi.waitFor(async () => expect(await look(id)).toMatchObject({ state }))
  return { url, site, ada, agent, params, send, look, until, [Symbol.dispose]: () => agent.cut() }
}
