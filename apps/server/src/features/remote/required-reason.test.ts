import { CHANNEL_CLOSE } from '@muster/contract/channels'
import { listRemoteSessions } from '@muster/contract/api/remote'
import { editCoreSettings } from '@muster/contract/api/settings'
import { setRemoteAccess } from '@muster/contract/api/remote-access'
import { commands } from '@muster/contract/agent/commands'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { getTicket, onceOpen } from '../live/test-console.ts'
import { NO_SETTINGS } from './access/queries.ts'
import { auditOf, nextDesktop, nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

const TERMINAL = { tool: 'terminal', session: null, cols: 80, rows: 24 }
const WHY = 'Ticket 4711: the printer'

/** A machine of a client that requires a reason, and a user with access to its tools. */
async function givenAsking(server: TestServer) {
  const at = await start(server)
  const admin = server.as(await server.given.user({ superuser: true }))
  const { client_id } = await server.ctx.db.selectFrom('sites').select('client_id').executeTakeFirstOrThrow()
  const ask = (level: 'client' | 'agent', id: string, ask_purpose: boolean) =>
    admin.call(setRemoteAccess, { params: { level, id }, body: { ...NO_SETTINGS, ask_purpose } })
  expect((await ask('client', `${client_id}`, true)).status).toBe(200)
  const user = await server.given.user({ permissions: ['can_use_terminal', 'can_use_mesh'] })
  const open = async (request: object, reason?: string) => {
    const window = new TestWindow(at.url, at.agentId, user)
    await onceOpen(window.socket)
    window.ask(await getTicket(server, user), request, reason)
    return window
  }
  return { ...at, admin, ask, open }
}

test('a reason is required, sent to the machine, and stored with the session', async () => {
  await using server = await createTestServer()
  const { agent, agentId, admin, open } = await givenAsking(server)
  using refused = await open(TERMINAL)
  expect(await refused.closed).toEqual({ code: CHANNEL_CLOSE.over, reason: 'purpose_needed' })
  expect(refused.end?.message).toMatch(
    /^Enter a reason to open a terminal on ".+"\. It is stored in the audit log/,
  )
  expect(await server.ctx.db.selectFrom('remote_sessions').select('id').execute()).toEqual([])
  expect(agent.frames.filter(({ type }) => type === 'command')).toEqual([])

  using opened = await open(TERMINAL, ` ${WHY} `)
  const { payload, tool } = await nextOpening(agent)
  expect(commands['open-channel'].parse(payload.input).purpose).toBe(WHY)
  const [message] = (await auditOf(server)).slice(-1)
  expect(message).toMatch(new RegExp(`: Opened a terminal on ".+", recorded. Reason: ${WHY}$`))
  const { body } = await admin.call(listRemoteSessions, { params: { agent_id: agentId } })
  expect(body).toMatchObject([{ id: tool.session, purpose: WHY }])
  expect(opened.end).toBeUndefined()

  // A continued session already has its reason.
  const from = agent.frames.length
  opened.socket.terminate()
  using again = await open({ ...TERMINAL, session: tool.session })
  expect(await nextOpening(agent, from)).toMatchObject({ tool: { resume: true } })
  expect(again.end).toBeUndefined()
})

test('a desktop requires a reason too, the nearest setting applies, and an invalid reason is refused', async () => {
  await using server = await createTestServer()
  const { agent, agentId, ask, open } = await givenAsking(server)
  const desktop = { tool: 'desktop', display: null }
  using refused = await open(desktop)
  expect(await refused.closed).toMatchObject({ reason: 'purpose_needed' })
  for (const bad of ['   ', 'x'.repeat(301)]) {
    using wrong = await open(desktop, bad)
    expect((await wrong.closed).code).toBe(CHANNEL_CLOSE.unknownMessage)
  }
  expect((await ask('agent', agentId, false)).status).toBe(200)
  using opened = await open(desktop)
  expect(commands['open-channel'].parse((await nextDesktop(agent)).payload.input).purpose).toBeUndefined()
  expect(opened.end).toBeUndefined()
})

test('the person at the machine sees the name and company of the user', async () => {
  await using server = await createTestServer()
  const { agent, agentId, admin, ask, open } = await givenAsking(server)
  await ask('agent', agentId, false)
  const personOf = async () => {
    const from = agent.frames.length
    using opened = await open(TERMINAL)
    const { payload } = await nextOpening(agent, from)
    expect(opened.end).toBeUndefined()
    return commands['open-channel'].parse(payload.input).person
  }
  const person = await personOf()
  expect(person).not.toContain(' of ')
  const saved = await admin.call(editCoreSettings, { body: { companyname: ' Nordwind IT ' } })
  expect(saved.body.companyname).toBe('Nordwind IT')
  expect(await personOf()).toBe(`${person} of Nordwind IT`)
  const audit = await server.ctx.db.selectFrom('audit_log').select('message').execute()
  expect(audit).toContainEqual({ message: 'Changed the company to "Nordwind IT"' })
})
