import { encodeChannelEnd } from '@muster/contract/agent/channel'
import type { TerminalDefaults } from '@muster/contract/agent/shells'
import { listAudit } from '@muster/contract/api/audit'
import { getTerminalDefaults } from '@muster/contract/api/remote'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { getTicket, onceOpen } from '../live/test-console.ts'
import { nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

const DEFAULTS: TerminalDefaults = {
  shells: [{ name: 'bash', path: '/bin/bash' }],
  agent_user: 'root',
  signed_in_user: null,
  why_no_user: 'Nobody is signed in at this machine.',
}

test('the shells of a machine are listed with the permission to open its terminal', async () => {
  await using server = await createTestServer()
  const { agent, user, agentId } = await start(server)
  const from = agent.frames.length
  const params = { agent_id: agentId }
  const asked = server.as(user).call(getTerminalDefaults, { params })
  const { payload } = await agent.nextCommand(from)
  expect(payload).toMatchObject({ name: 'list-shells', input: {}, author: user.username })
  agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: DEFAULTS })
  expect((await asked).body).toEqual(DEFAULTS)
  const stranger = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  expect((await stranger.call(getTerminalDefaults, { params })).status).toBe(403)
})

test('the requested shell and user are signed and recorded', async () => {
  await using server = await createTestServer()
  const { agent, user, url, agentId } = await start(server)
  using window = new TestWindow(url, agentId, user)
  const ticket = await getTicket(server, user)
  await onceOpen(window.socket)
  const options = { shell: '/usr/bin/fish', as_user: true }
  window.ask(ticket, { tool: 'terminal', session: null, cols: 80, rows: 24, ...options })
  const { channel, tool } = await nextOpening(agent)
  expect(tool).toMatchObject(options)
  const message = 'There is no program "/usr/bin/fish" on this machine.'
  agent.sendText(encodeChannelEnd(channel, { code: 'no_shell', message }))
  expect(await window.closed).toEqual({ code: 4000, reason: 'no_shell' })
  expect(window.end).toEqual({ code: 'no_shell', message })
  const body = { actionFilter: ['remote_session' as const] }
  const reader = server.as(await server.given.user({ superuser: true }))
  await vi.waitFor(async () => {
    const [refused, opened] = (await reader.call(listAudit, { body })).body.audit_logs
    expect(opened?.after_value).toEqual({ session: tool.session, recorded: true, ...options })
    expect(refused?.message).toBe('Failed to open the terminal on "PC-12": refused by the machine')
  })
})
