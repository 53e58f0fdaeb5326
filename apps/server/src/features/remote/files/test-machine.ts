import {
  CHANNEL_KIND,
  type ChannelKind,
  encodeChannelEnd,
  encodeChannelFrame,
  encodeChannelText,
  encodeCredit,
  readChannelEnd,
  readChannelText,
} from '@muster/contract/agent/channel'
import { commands } from '@muster/contract/agent/commands'
import type { FileNews } from '@muster/contract/agent/files'
import { listAudit } from '@muster/contract/api/audit'
import { vi } from 'vitest'
import type { TestUser } from '../../../testing/test-given.ts'
import type { TestServer } from '../../../testing/test-server.ts'
import { TestAgent } from '../../agents/test-agent.ts'

export const raw = (path: string) => Buffer.from(path).toString('base64url')

/** A machine whose channels the test controls, and users with access to its files. */
export async function givenMachine(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site()
  const agent = await TestAgent.enrol(server, url, site.id)
  await agent.comeOnline()
  const user = await server.given.user({
    username: 'ada',
    permissions: ['can_manage_files', 'can_view_auditlogs'],
  })
  return {
    url,
    agent,
    user,
    site,
    ada: server.as(user),
    params: { agent_id: agent.agentId },
    [Symbol.dispose]: () => agent.cut(),
  }
}

/** The next file channel requested of the machine, answered by the test. */
export async function nextChannel(agent: TestAgent, from = 0) {
  for (let index = from; ; index += 1) {
    const { payload } = await agent.nextCommand(index)
    if (payload.name !== 'open-channel') continue
    const { channel, tool } = commands['open-channel'].parse(payload.input)
    if (tool.tool !== 'files') continue
    const of = (kind: ChannelKind) =>
      agent.channelFrames.filter((frame) => frame.channel === channel && frame.kind === kind)
    return {
      id: channel,
      order: tool.order,
      author: payload.author,
      news: (news: Partial<FileNews>) =>
        agent.sendText(
          encodeChannelText(channel, {
            type: 'sending',
            name: 'report.txt',
            size: null,
            offset: 0,
            version: 'v1',
            ...news,
          }),
        ),
      text: (message: unknown) => agent.sendText(encodeChannelText(channel, message)),
      give: (bytes: number) => agent.sendText(encodeCredit(channel, bytes)),
      received: () => Buffer.concat(of(CHANNEL_KIND.data).map((frame) => frame.payload)),
      messages: () => of(CHANNEL_KIND.text).map((frame) => readChannelText(frame.payload)),
      data: (payload: Uint8Array) =>
        agent.sendText(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel, payload })),
      end: (code: 'ended' | 'refused' = 'ended', message = 'That was all.') =>
        agent.sendText(encodeChannelEnd(channel, { code, message })),
      credit: () => of(CHANNEL_KIND.credit).length,
      ended: () =>
        vi.waitFor(() => {
          const [frame] = of(CHANNEL_KIND.end)
          if (frame === undefined) throw new Error('it goes on')
          return readChannelEnd(frame.payload)
        }),
    }
  }
}

/** Requests an address with the cookies of a user, like a browser that saves a file. */
export function fetchAs(
  server: TestServer,
  user: TestUser,
  { url, headers = {} }: { url: string; headers?: Record<string, string> },
): Promise<Response> {
  const cookie = [...server.as(user).cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return fetch(url, { headers: { cookie, ...headers } })
}

/** Audit rows about files, oldest first. */
export async function fileAudit(server: TestServer, user: TestUser): Promise<string[]> {
  const { body } = await server.as(user).call(listAudit, { body: { objectFilter: ['file'] } })
  return body.audit_logs.map(({ username, message }) => `${username}: ${message}`).toReversed()
}
