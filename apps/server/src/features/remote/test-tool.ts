import {
  CHANNEL_KIND,
  type ChannelKind,
  encodeChannelFrame,
  readChannelEnd,
} from '@muster/contract/agent/channel'
import { commands } from '@muster/contract/agent/commands'
import { listAudit } from '@muster/contract/api/audit'
import type { TestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

/** A connected machine, and a user with access to its terminal. */
export async function start(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site()
  const agent = await TestAgent.enrol(server, url, site.id)
  await agent.comeOnline({ checksVersion: 0 })
  const user = await server.given.user({ permissions: ['can_use_terminal', 'can_view_auditlogs'] })
  return { url, agent, user, agentId: agent.agentId }
}

/** The next command to open a channel, as read by the machine. */
export async function nextOpening(agent: TestAgent, from = 0) {
  for (let index = from; ; index += 1) {
    const { payload } = await agent.nextCommand(index)
    if (payload.name !== 'open-channel') continue
    const { channel, tool } = commands['open-channel'].parse(payload.input)
    if (tool.tool === 'terminal') return { channel, tool, payload }
  }
}

/** The next command to show a desktop. */
export async function nextDesktop(agent: TestAgent, from = 0) {
  for (let index = from; ; index += 1) {
    const { payload } = await agent.nextCommand(index)
    if (payload.name !== 'open-channel') continue
    const { channel, tool, recorded } = commands['open-channel'].parse(payload.input)
    if (tool.tool === 'desktop' || tool.tool === 'vnc') return { channel, tool, recorded, payload }
  }
}

export function frameOf(channel: number, kind: ChannelKind, payload: Uint8Array | string) {
  return encodeChannelFrame({
    kind,
    channel,
    payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
  })
}

export const endOf = (agent: TestAgent, channel: number) => {
  const found = agent.channelFrames.find(
    (frame) => frame.channel === channel && frame.kind === CHANNEL_KIND.end,
  )
  return found === undefined ? undefined : readChannelEnd(found.payload)
}

export async function auditOf(server: TestServer) {
  const reader = server.as(await server.given.user({ superuser: true }))
  const { body } = await reader.call(listAudit, { body: { actionFilter: ['remote_session'] } })
  return body.audit_logs.map(({ message, username }) => `${username}: ${message}`).toReversed()
}
